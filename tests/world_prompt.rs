//! Prompts in free wording, the sentences for those that cannot be read, and the splits.

use chacha20::ChaCha8Rng;
use marscope::world::families::Family;
use marscope::world::prompt::{Caption, EXAMPLE};
use marscope::world::sampler::{MIXTURE, Split, is_held_out, sample_caption, sample_mixture};
use rand::SeedableRng;

#[test]
fn free_wording_is_understood() {
    for (prompt, canonical) in [
        ("circle", "a circle"),
        ("One Red Circle.", "a red circle"),
        ("a orange star", "an orange star"),
        ("the star", "a star"),
        ("2 red circle", "two red circles"),
        ("4 crosses", "four crosses"),
        ("a picture of three crosses", "three crosses"),
        ("an image of a circle and one square", "a circle and a square"),
        ("a blue square to the left of a green ring", "a blue square left of a green ring"),
        ("blue square on the right of green ring", "a blue square right of a green ring"),
        ("a photo of a ring on top of a cross", "a ring above a cross"),
        ("a ring over a cross", "a ring above a cross"),
        ("a ring under an orange cross", "a ring below an orange cross"),
        ("a\tring\n beneath  a cross", "a ring below a cross"),
    ] {
        assert_eq!(Caption::parse(prompt).unwrap().to_string(), canonical, "{prompt}");
    }
}

#[test]
fn each_fault_has_its_sentence() {
    for (prompt, part) in [
        ("two rad circles", r#""rad" is not a known word; did you mean "red"?"#),
        ("a red cirlce", r#""cirlce" is not a known word; did you mean "circle" or "circles"?"#),
        ("a red zzz", "the shapes are circle, square, triangle, star, ring, cross, the colours red,"),
        ("", "it asks for nothing"),
        (" . ", "it asks for nothing"),
        ("a photo of", "it asks for nothing"),
        ("circle red", r#""red" must stand before "circle""#),
        ("five circles", "counts go from one to four"),
        ("0 circles", "counts go from one to four"),
        ("17 circles", "counts go from one to four"),
        ("red circles", r#"it does not say how many; write "two circles""#),
        ("two red", "it ends where a shape should be named"),
        ("a", "it ends where a shape should be named"),
        ("a circle and", "it ends where a shape should be named"),
        ("a red blue circle", r#""red" and "blue" are two colours"#),
        ("left of a circle", r#""left" stands where a colour or a shape should be"#),
        ("a circle left a square", r#""left" needs "of" after it"#),
        ("a circle square", r#""square" cannot follow "circle"; two objects are joined by "and","#),
        ("two circles and a square", "only one of each"),
        ("a circle and a square and a ring", "at most two objects"),
        (&"circle ".repeat(60), "it has 420 characters, at most 200 are read"),
    ] {
        let sentence = Caption::parse(prompt).unwrap_err().to_string();
        assert!(sentence.contains(part), "{sentence}");
        assert!(sentence.starts_with("the prompt \"") && sentence.ends_with(EXAMPLE), "{sentence}");
    }
}

#[test]
fn families_know_their_captions_and_names() {
    let sizes: Vec<usize> = Family::ALL.iter().map(|family| family.captions().len()).collect();
    assert_eq!(sizes, [6, 30, 162, 48, 48 * 42, 48 * 47 * 4]);
    for family in Family::ALL {
        assert!(family.captions().iter().all(|caption| Family::of(caption) == family));
        assert_eq!(family.name().parse::<Family>().unwrap(), family);
    }
    let sentence = "colors".parse::<Family>().unwrap_err().to_string();
    assert!(sentence.contains(r#"did you mean "colours""#), "{sentence}");
}

#[test]
fn both_splits_have_captions_of_every_family() {
    for family in Family::ALL {
        let captions = family.captions();
        let held_out = captions.iter().filter(|caption| is_held_out(caption)).count();
        let share = held_out as f64 / captions.len() as f64;
        let range = match family {
            Family::SingleObject => 0.0..=0.0,
            Family::Position | Family::ColourAttribution => 0.08..=0.12,
            Family::Counting | Family::Colours | Family::TwoObjects => 0.10..=0.20,
        };
        assert!(range.contains(&share), "{family} holds out {share}");
        assert!(held_out >= 4 || family == Family::SingleObject, "{family} holds out {held_out} captions");
    }
    // The hash may never change: recorded runs rely on it.
    let kept = |prompt: &str| !is_held_out(&Caption::parse(prompt).unwrap());
    assert!(kept("two red circles") && kept("a blue square left of a green ring"));
}

#[test]
fn captions_come_from_the_split_and_family_asked_for() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut drawn = [0_usize; 6];
    for _ in 0..6000 {
        drawn[Family::of(&sample_mixture(&mut rng, Split::Train)) as usize] += 1;
        for family in Family::ALL {
            for split in [Split::Train, Split::HeldOut] {
                let caption = sample_caption(&mut rng, family, split);
                assert_eq!(Family::of(&caption), family);
                let held_out = split == Split::HeldOut && family != Family::SingleObject;
                assert_eq!(is_held_out(&caption), held_out, "{caption}");
            }
        }
    }
    for (family, weight) in MIXTURE {
        let share = drawn[family as usize] as f64 / 6000.0;
        assert!((share - weight).abs() < 0.03, "{family}: {share} instead of {weight}");
    }
}
