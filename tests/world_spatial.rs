//! The spatial rules against the verdicts of the original `GenEval` and T2I-CompBench functions on 40 pairs
//! of boxes.

#![expect(clippy::unwrap_used, reason = "helpers of tests may fail like tests")]

use marscope::world::scene::Relation;
use marscope::world::spatial::{
    Bounds, DepthMap, compute_iou, determine_depth_position, determine_position, image_score, is_duplicate,
    relative_position,
};
use serde_json::Value;

const RULES: &str = include_str!("data/spatial_rules.json");

fn cases() -> Vec<Value> {
    let rules: Value = serde_json::from_str(RULES).unwrap();
    let cases = rules["cases"].as_array().unwrap().clone();
    assert_eq!(cases.len(), 40);
    cases
}

fn bounds(case: &Value, key: &str) -> Bounds {
    Bounds::new([0, 1, 2, 3].map(|i| case[key][i].as_f64().unwrap()))
}

fn for_each_case(check: impl Fn(&Value, &Bounds, &Bounds)) {
    for case in cases() {
        check(&case, &bounds(&case, "box_a"), &bounds(&case, "box_b"));
    }
}

fn assert_near(found: f64, expected: &Value, case: &Value) {
    let expected = expected.as_f64().unwrap();
    assert!((found - expected).abs() < 1e-12, "{found} instead of {expected}: {}", case["note"]);
}

#[test]
fn geneval_relations_and_overlap_agree() {
    for_each_case(|case, a, b| {
        let mut found: Vec<&str> = relative_position(a, b).into_iter().map(Relation::name).collect();
        found.sort_unstable();
        let expected: Vec<&str> =
            case["geneval_relations"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
        assert_eq!(found, expected, "{}", case["note"]);
        assert_near(compute_iou(a, b), &case["geneval_iou"], case);
    });
}

#[test]
fn compbench_2d_positions_agree() {
    for_each_case(|case, a, b| {
        for (locality, expected) in case["t2i_2d"].as_object().unwrap() {
            assert_near(determine_position(locality, a, b), expected, case);
        }
    });
}

#[test]
fn compbench_2d_image_scores_agree() {
    for_each_case(|case, a, b| {
        let position = determine_position("on the left of", a, b);
        let expected = &case["t2i_2d_image_score_left_scores_0.9_0.7"];
        assert_near(image_score(Some(0.9), Some(0.7), position), expected, case);
    });
    // One object alone can reach a quarter at most, which the original then cuts to nothing.
    assert!(image_score(Some(1.0), None, 1.0).abs() < 1e-12);
}

#[test]
fn compbench_3d_positions_agree() {
    let (rows, columns) = (384, 512);
    let values =
        (0..rows * columns).map(|i| ((5 * (i / columns) + 3 * (i % columns)) % 251) as f64).collect();
    let depth = DepthMap { rows, columns, values };
    for_each_case(|case, a, b| {
        for (locality, expected) in case["t2i_3d"].as_object().unwrap() {
            assert_near(determine_depth_position(locality, a, b, &depth), expected, case);
        }
    });
}

#[test]
fn compbench_duplicates_agree() {
    for_each_case(|case, a, b| {
        assert_eq!(u64::from(is_duplicate(a, b)), case["t2i_numeracy_duplicate"].as_u64().unwrap(), "{case}");
    });
}
