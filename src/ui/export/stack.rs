//! Several drawings below one another.

use super::drawing::{Drawing, MARGIN};

/// Between two drawings.
const BETWEEN: f64 = 12.0;

/// `parts` below one another under a heading with notes. Parts are SVG files whose root says its width and height in pixels,
/// as [`super::Table::to_svg`] and [`crate::runs::report::figure::Figure::inline_svg`] give; parts of which no size can be
/// read are left out.
#[must_use]
pub fn stacked(title: &str, notes: &[String], parts: &[String]) -> String {
    let mut drawing = Drawing::default();
    let mut top = drawing.heading(title, notes);
    for part in parts {
        let Some(size) = length(part, "width").zip(length(part, "height")) else { continue };
        drawing.part([MARGIN, top], [size.0, size.1], part);
        top += size.1 + BETWEEN;
    }
    drawing.finish(title)
}

/// A length of the root.
fn length(svg: &str, name: &str) -> Option<f64> {
    let root = svg.split('>').next()?;
    let value = root.split(&format!(" {name}=\"")).nth(1)?;
    value.split('"').next()?.parse().ok().filter(|length: &f64| length.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::report::figure::{Figure, Line};

    #[test]
    fn parts_stand_below_one_another_and_none_is_cut() {
        let line = Line { name: "a".into(), points: vec![[0.0, 1.0], [1.0, 2.0]], ..Line::default() };
        let figure = Figure { title: "one".into(), series: vec![line], ..Figure::default() }.inline_svg();
        let one = length(&figure, "height").unwrap();
        let all = stacked("both", &[], &[figure.clone(), figure]);
        assert!(length(&all, "height").unwrap() > 2.0 * one);
        assert_eq!(all.matches("<svg ").count(), 3);
        assert_eq!(length("<svg width=\"4\">", "height"), None);
    }
}
