//! The numbers of a panel for spreadsheets and scripts.

use std::fmt::Write;

use super::curve::Curve;
use super::panel::{Panel, PanelChoice};
use crate::runs::series::Series;

/// Every point of the shown curves and of the edges of their bands, or those in a range of the horizontal axis, unsmoothed: RFC 4180, every digit, and
/// NaN, Infinity and -Infinity in words.
#[must_use]
pub fn to_csv(panel: &Panel<'_>, choice: &PanelChoice, range: Option<[f64; 2]>) -> String {
    let mut text = "run,name,step,seconds,value\r\n".to_owned();
    for curve in panel.shown(choice) {
        rows(&mut text, curve, (curve.name, curve.series), range);
        for (edge, series) in ["low", "high"].into_iter().zip(curve.band.into_iter().flatten()) {
            rows(&mut text, curve, (&format!("{} {edge}", curve.name), series), range);
        }
    }
    text
}

fn rows(text: &mut String, curve: &Curve<'_>, (name, series): (&str, &Series), range: Option<[f64; 2]>) {
    let (run, name) = (quoted(curve.run), quoted(name));
    for point in series.iter() {
        let x = curve.x.x(point);
        if range.is_none_or(|[low, high]| (low..=high).contains(&x)) {
            let (seconds, value) = (number(point.seconds), number(point.value));
            // Writing to a text does not fail.
            let _ = write!(text, "{run},{name},{},{seconds},{value}\r\n", point.step);
        }
    }
}

/// Every digit that is needed to read the same number again.
#[must_use]
pub fn number(value: f64) -> String {
    if value.is_nan() {
        "NaN".to_owned()
    } else if value.is_infinite() {
        if value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned()
    } else {
        format!("{value:?}")
    }
}

/// In quotes if it would be misread without.
#[must_use]
pub fn quoted(text: &str) -> String {
    let plain = !text.contains([',', '"', '\r', '\n']) && text.trim() == text;
    if plain { text.to_owned() } else { format!("\"{}\"", text.replace('"', "\"\"")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::series::Point;
    use crate::ui::plot::PlotColours;
    use eframe::egui::Visuals;

    #[test]
    fn every_number_comes_back() {
        let values = [0.1, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1e-300, 1.0 / 3.0];
        let mut series = Series::default();
        for (step, value) in values.into_iter().enumerate() {
            series.push(Point { step, seconds: step as f64 * 0.1, value });
        }
        let curves = [Curve::new("a \"b\", c", "kl", &series)];
        let colours = PlotColours::of(&Visuals::light());
        let panel = Panel {
            id: "p",
            title: "KL",
            unit: "",
            curves: &curves,
            marks: &[],
            cursor: None,
            smoothing: 0.9,
            colours,
        };
        let text = to_csv(&panel, &PanelChoice::default(), None);
        let lines: Vec<&str> = text.split_terminator("\r\n").collect();
        assert_eq!(lines.len(), 7);
        for (line, (step, value)) in lines[1..].iter().zip(values.into_iter().enumerate()) {
            let rest = line.strip_prefix("\"a \"\"b\"\", c\",kl,").unwrap();
            let fields: Vec<&str> = rest.split(',').collect();
            assert_eq!(fields[0].parse::<usize>().unwrap(), step);
            assert_eq!(fields[1].parse::<f64>().unwrap(), step as f64 * 0.1);
            let back: f64 = fields[2].parse().unwrap();
            assert!(back == value || (back.is_nan() && value.is_nan()), "{line}");
        }
        let part = to_csv(&panel, &PanelChoice::default(), Some([1.5, 3.0]));
        assert_eq!(part.lines().count(), 3);
        let hidden = PanelChoice { hidden: ["kl".to_owned()].into(), ..PanelChoice::default() };
        assert_eq!(to_csv(&panel, &hidden, None).lines().count(), 1);
    }
}
