//! Panels without a window: figures, files, counts.
#![cfg(feature = "gui")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use eframe::egui::{Color32, Visuals};

use marscope::runs::series::{Point, Series};
use marscope::ui::plot::{
    Curve, LinkedX, MarkLine, MarkStyle, Panel, PanelChoice, PlotColours, Scale, XAxis, XMap, to_svg,
};

fn series(values: impl IntoIterator<Item = f64>) -> Series {
    let mut series = Series::default();
    for (step, value) in values.into_iter().enumerate() {
        series.push(Point { step, seconds: step as f64 * 2.0, value });
    }
    series
}

fn panel<'a>(curves: &'a [Curve<'a>], marks: &'a [MarkLine<'a>]) -> Panel<'a> {
    Panel {
        id: "panel",
        title: "Reward <mean> & more",
        unit: "points",
        curves,
        marks,
        cursor: None,
        smoothing: 0.0,
        colours: PlotColours::of(&Visuals::light()),
    }
}

fn linked(panel: &Panel<'_>) -> LinkedX {
    let mut linked = LinkedX::default();
    linked.include(1, panel.x_extent());
    linked
}

/// Every element is closed, in order, and no text holds a bare sign of XML.
fn assert_well_formed(svg: &str) {
    let mut open = Vec::new();
    let mut rest = svg;
    while let Some(start) = rest.find('<') {
        assert!(!rest[..start].contains('>'), "{}", &rest[..start]);
        let end = start + rest[start..].find('>').unwrap();
        let tag = &rest[start + 1..end];
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name.to_owned()), "{tag}");
        } else if !tag.ends_with('/') {
            open.push(tag.split_whitespace().next().unwrap().to_owned());
        }
        rest = &rest[end + 1..];
    }
    assert!(open.is_empty(), "{open:?}");
    for piece in svg.split('&').skip(1) {
        assert!(["amp;", "lt;", "gt;", "quot;", "#39;"].iter().any(|e| piece.starts_with(e)), "&{piece:.9}");
    }
}

#[test]
fn a_figure_has_labels_units_legend_and_marks() {
    let (a, b) = (
        series((0..200).map(|i| if i == 50 { f64::NAN } else { f64::from(i) })),
        series((0..200).map(|i| if i == 60 { f64::INFINITY } else { f64::from(i) * 0.5 })),
    );
    let (low, high) =
        (series((0..200).map(|i| f64::from(i) - 5.0)), series((0..200).map(|i| f64::from(i) + 5.0)));
    let mut curves = [Curve::new("run", "grpo", &a), Curve::new("run", "mar_grpo", &b)];
    curves[0].band = Some([&low, &high]);
    (curves[1].dashed, curves[1].colour) = (true, 1);
    let style = MarkStyle { colour: Color32::from_rgb(200, 80, 0), dashed: true };
    let marks = [MarkLine { step: 100, run: "run", label: "mte.samples 3 \u{2192} 5", style }];
    let panel = Panel { smoothing: 0.9, ..panel(&curves, &marks) };
    let svg = to_svg(&panel, &PanelChoice::default(), &linked(&panel));
    assert_well_formed(&svg);
    for text in [
        ">Reward &lt;mean&gt; &amp; more<",
        ">Reward &lt;mean&gt; &amp; more (points)<",
        ">iteration<",
        ">150<",
        ">grpo (1 NaN)<",
        ">mar_grpo (1 inf)<",
        ">mte.samples 3 \u{2192} 5<",
        "smoothed beta=0.9 (before thinning), raw line behind",
        "<polygon",
        "stroke-dasharray",
        "fill=\"white\"",
    ] {
        assert!(svg.contains(text), "{text}\n{svg}");
    }
    assert!(!svg.contains("NaN,") && !svg.contains(",inf"), "no coordinate is not finite");
}

#[test]
fn a_branch_is_joined_to_the_last_point_of_its_parent_where_that_has_a_place() {
    let mut values = Series::default();
    values.push(Point { step: 10, seconds: 0.0, value: 1.0 });
    values.push(Point { step: 20, seconds: 0.0, value: 2.0 });
    let joined = |from: Option<[f64; 2]>, scale: Scale| {
        let curves = [Curve { branches_from: from, ..Curve::new("run", "kl", &values) }];
        let panel = panel(&curves, &[]);
        let svg = to_svg(&panel, &PanelChoice { scale, ..PanelChoice::default() }, &linked(&panel));
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        svg.contains("stroke-dasharray=\"2 2.5\"")
    };
    assert!(joined(Some([9.0, 1.5]), Scale::Linear));
    assert!(!joined(None, Scale::Linear));
    assert!(!joined(Some([9.0, f64::NAN]), Scale::Linear));
    assert!(!joined(Some([9.0, -1.0]), Scale::Log));
}

#[test]
fn a_figure_of_a_log_axis_says_so() {
    let values = series([10.0, 0.0, -3.0, 1000.0, f64::NAN]);
    let curves = [Curve::new("run", "kl", &values)];
    let panel = panel(&curves, &[]);
    let choice = PanelChoice { scale: Scale::Log, ..PanelChoice::default() };
    let svg = to_svg(&panel, &choice, &linked(&panel));
    assert_well_formed(&svg);
    assert!(svg.contains("log axis<") && svg.contains(">100<"), "{svg}");
    assert!(svg.contains("2 points not above 0, at the lower edge"), "{svg}");
}

#[test]
fn a_figure_of_time_has_its_unit_and_its_range() {
    let values = series((0..1000).map(f64::from));
    let mut curves = [Curve::new("run", "kl", &values)];
    curves[0].x = XMap::Seconds { offset: 0.0 };
    let panel = panel(&curves, &[]);
    let mut linked = LinkedX::default();
    linked.set_axis(XAxis::ActiveTime);
    linked.include(1, panel.x_extent());
    assert!(to_svg(&panel, &PanelChoice::default(), &linked).contains(">active time (min)<"));
    linked.show([0.0, 100.0]);
    let svg = to_svg(&panel, &PanelChoice::default(), &linked);
    assert!(svg.contains(">active time (s)<"));
    assert!(svg.matches(',').count() < 200, "only what is in the range is drawn");
}

#[test]
fn outliers_left_out_are_counted() {
    let values = series((0..1000).map(|i| if i % 250 == 7 { 1e6 } else { f64::from(i % 10) }));
    let curves = [Curve::new("run", "norm", &values)];
    let panel = panel(&curves, &[]);
    let choice = PanelChoice { ignore_outliers: true, ..PanelChoice::default() };
    let svg = to_svg(&panel, &choice, &linked(&panel));
    assert!(svg.contains("4 points outside the vertical range"), "{svg}");
    assert!(svg.contains(">8<"), "the axis is that of the others");
}

#[test]
fn an_empty_panel_is_a_figure_too() {
    let panel = panel(&[], &[]);
    assert_well_formed(&to_svg(&panel, &PanelChoice::default(), &LinkedX::default()));
}
