//! Several drawings below one another.

use super::drawing::{Drawing, MARGIN};

/// Between two drawings.
const BETWEEN: f64 = 12.0;

/// `parts` below one another under a heading with notes. Parts are SVG files whose root says its width and height in pixels,
/// as [`super::Table::to_svg`] and [`crate::runs::report::figure::Figure::inline_svg`] give; parts of which no size can be
/// read are left out.
#[must_use]
pub fn stacked(title: &str, notes: &[String], parts: &[String]) -> String {
    tiled(title, notes, parts.chunks(1))
}

/// The same with the parts of each of `rows` beside one another.
#[must_use]
pub fn tiled<'a>(title: &str, notes: &[String], rows: impl IntoIterator<Item = &'a [String]>) -> String {
    let mut drawing = Drawing::default();
    let mut top = drawing.heading(title, notes);
    for row in rows {
        let (mut left, mut bottom) = (MARGIN, top);
        for part in row {
            let Some(size) = length(part, "width").zip(length(part, "height")) else { continue };
            drawing.part([left, top], [size.0, size.1], part);
            left += size.0 + BETWEEN;
            bottom = f64::max(bottom, top + size.1);
        }
        top = bottom + BETWEEN;
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
        let parts = [figure.clone(), figure];
        let all = stacked("both", &[], &parts);
        assert!(length(&all, "height").unwrap() > 2.0 * one);
        assert_eq!(all.matches("<svg ").count(), 3);
        let beside = tiled("both", &[], [&parts[..]]);
        assert!(length(&beside, "height").unwrap() < 2.0 * one);
        assert!(length(&beside, "width").unwrap() > 2.0 * length(&parts[0], "width").unwrap());
        assert_eq!(length("<svg width=\"4\">", "height"), None);
    }
}
