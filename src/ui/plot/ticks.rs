//! Round numbers along an axis.

use super::scale::Scale;
use crate::ui::number::minus;

/// A line of the grid.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// Its coordinate.
    pub at: f64,
    /// What stands next to it; empty for a line between two that are labelled.
    pub label: String,
}

/// Round numbers between the coordinates `low` and `high` of an axis of that scale, at most about `most` of them labelled.
#[must_use]
pub fn ticks(scale: Scale, low: f64, high: f64, most: usize) -> Vec<Tick> {
    let most = most.clamp(1, 50);
    let sound = low.is_finite() && high.is_finite() && low < high;
    if !sound {
        return Vec::new();
    }
    let found = match scale {
        Scale::Linear => return even(low, high, most),
        Scale::Log => decades(low, high, most),
        Scale::Symlog { threshold } => both_sides(scale, threshold, [low, high], most),
    };
    if found.iter().filter(|tick| !tick.label.is_empty()).count() >= 2 {
        return found;
    }
    // Less than a decade is seen: even numbers, where they are on this axis.
    let within = even(scale.value(low), scale.value(high), most);
    let moved = within.into_iter().filter_map(|tick| Some(Tick { at: scale.place(tick.at)?, ..tick }));
    moved.collect()
}

/// Whole multiples of 1, 2 or 5 times a power of ten.
fn even(low: f64, high: f64, most: usize) -> Vec<Tick> {
    let raw = (high / 2.0 - low / 2.0) * 2.0 / most as f64;
    let power = 10f64.powf(raw.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * power);
    let Some(step) = steps.into_iter().find(|step| *step >= raw * (1.0 - 1e-9)) else { return Vec::new() };
    let first = (low / step - 1e-9).ceil();
    let mut ticks: Vec<Tick> = (0..=most + 2)
        .map(|i| (first + i as f64) * step)
        .take_while(|value| *value <= high + step * 1e-9)
        .filter(|value| value.is_finite())
        .map(|value| Tick { at: value, label: number(value, step) })
        .collect();
    // Numbers so close that they look the same tell nothing.
    ticks.dedup_by(|a, b| a.label == b.label);
    ticks
}

/// Powers of ten; `low` and `high` are logarithms.
fn decades(low: f64, high: f64, most: usize) -> Vec<Tick> {
    let (first, last) = (low.floor().max(-400.0) as i32, high.ceil().min(400.0) as i32);
    let every = (last - first).max(1).unsigned_abs().div_ceil(most as u32) as i32;
    let few = (high - low) * 3.0 <= most as f64;
    let mut ticks = Vec::new();
    for power in first..=last {
        for step in 1..=9 {
            let at = f64::from(power) + f64::from(step).log10();
            let labelled =
                if step == 1 { power.rem_euclid(every) == 0 } else { few && (step == 2 || step == 5) };
            if at >= low - 1e-9 && at <= high + 1e-9 && (labelled || (every == 1 && high - low <= 6.0)) {
                let label = if labelled { decade(f64::from(step), power) } else { String::new() };
                ticks.push(Tick { at, label });
            }
        }
    }
    ticks
}

/// Zero and powers of ten beyond the threshold, on both sides.
fn both_sides(scale: Scale, threshold: f64, [low, high]: [f64; 2], most: usize) -> Vec<Tick> {
    let first = threshold.log10().ceil().clamp(-300.0, 300.0) as i32;
    let farthest = low.abs().max(high.abs()).min(700.0).ceil() as i32;
    let every = farthest.unsigned_abs().div_ceil((most as u32).div_ceil(2)).max(1) as i32;
    let mut ticks = Vec::new();
    for power in (first..=first.saturating_add(farthest).min(308)).step_by(every as usize) {
        let value = 10f64.powi(power);
        ticks.push(Tick { at: scale.bend(-value), label: minus(&format!("-{}", decade(1.0, power))) });
        ticks.push(Tick { at: scale.bend(value), label: decade(1.0, power) });
    }
    ticks.push(Tick { at: 0.0, label: "0".to_owned() });
    ticks.retain(|tick| (low..=high).contains(&tick.at));
    ticks.sort_by(|a, b| a.at.total_cmp(&b.at));
    ticks
}

/// A multiple of `step`, with as many digits as tell it from its neighbours.
fn number(value: f64, step: f64) -> String {
    if value.abs() < step * 1e-6 {
        return "0".to_owned();
    }
    if value.abs() >= 1e7 || (value.abs() < 1e-3 && step < 1e-4) {
        let digits = (value.abs().log10().floor() - step.log10().floor()).clamp(0.0, 15.0) as usize;
        return minus(&format!("{value:.digits$e}"));
    }
    let decimals = (-(step * (1.0 + 1e-9)).log10().floor()).clamp(0.0, 20.0) as usize;
    minus(&format!("{value:.decimals$}"))
}

fn decade(step: f64, power: i32) -> String {
    let value = step * 10f64.powi(power);
    match power {
        -3..0 => format!("{value:.*}", power.unsigned_abs() as usize),
        0..5 => format!("{value:.0}"),
        _ => minus(&format!("{step:.0}e{power}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: Scale, low: f64, high: f64) -> Vec<String> {
        let ticks = ticks(scale, low, high, 6);
        ticks.into_iter().map(|tick| tick.label).filter(|label| !label.is_empty()).collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(labels(Scale::Linear, 0.0, 1.0), ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(Scale::Linear, -0.07, 0.13), ["\u{2212}0.05", "0", "0.05", "0.10"]);
        assert_eq!(
            labels(Scale::Linear, 99_000.0, 101_000.0),
            ["99000", "99500", "100000", "100500", "101000"]
        );
        assert_eq!(labels(Scale::Log, -2.0, 3.0), ["0.01", "0.1", "1", "10", "100", "1000"]);
        assert_eq!(labels(Scale::Log, -0.05, 1.1), ["1", "2", "5", "10"]);
        assert_eq!(labels(Scale::Log, 0.5, 0.6), ["3.2", "3.4", "3.6", "3.8"]);
        assert_eq!(
            labels(Scale::Log, -6.0, -4.5),
            ["1e\u{2212}6", "2e\u{2212}6", "5e\u{2212}6", "1e\u{2212}5", "2e\u{2212}5"]
        );
    }

    #[test]
    fn symlog_has_zero_and_both_signs() {
        let scale = Scale::Symlog { threshold: 0.1 };
        let at = |value| scale.bend(value);
        let expected = ["\u{2212}10", "\u{2212}1", "\u{2212}0.1", "0", "0.1", "1", "10"];
        assert_eq!(
            ticks(scale, at(-20.0), at(20.0), 12).iter().map(|t| t.label.as_str()).collect::<Vec<_>>(),
            expected
        );
        assert_eq!(labels(scale, at(0.01), at(0.05)), ["0.01", "0.02", "0.03", "0.04", "0.05"]);
    }

    #[test]
    fn any_range_has_few_ticks_within_it() {
        let ends = [-1e300, -5.0, -1e-9, 0.0, 1e-12, 1.0, 1.0 + 1e-13, 307.0, 1e16, 1e300];
        for scale in [Scale::Linear, Scale::Log, Scale::Symlog { threshold: 1e-3 }] {
            for low in ends {
                for high in ends {
                    let found = ticks(scale, low, high, 8);
                    assert!(found.len() < 70, "{scale:?} {low} {high}: {}", found.len());
                    let room = (high - low).abs() * 1e-6 + 1e-8;
                    for tick in &found {
                        assert!(
                            tick.at >= low - room && tick.at <= high + room,
                            "{scale:?} {low} {high} {tick:?}"
                        );
                    }
                }
            }
        }
    }
}
