//! From numbers to places, and the round numbers on the way.

/// How an axis is divided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Evenly.
    #[default]
    Linear,
    /// By powers of ten. Numbers that are not above zero have no place on it.
    Log,
}

/// A round number of an axis.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    pub value: f64,
    /// Empty for a mark between two that are labelled.
    pub label: String,
}

/// What an axis covers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Extent {
    pub low: f64,
    pub high: f64,
    pub scale: Scale,
}

/// Round steps of a decade.
const STEPS: [f64; 3] = [1.0, 2.0, 5.0];

impl Extent {
    /// Covers all `values` that have a place on the scale; `None` if there is none.
    pub fn of(values: impl Iterator<Item = f64>, scale: Scale) -> Option<Self> {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(|value| scale.has(*value)) {
            low = low.min(value);
            high = high.max(value);
        }
        if low > high {
            return None;
        }
        // Half a span is never more than f64::MAX, a whole one may be.
        let narrow = high / 2.0 - low / 2.0 <= low.abs().max(high.abs()) * 1e-9;
        if narrow && scale == Scale::Log {
            (low, high) = ((low / 2.0).max(f64::MIN_POSITIVE), (high * 2.0).min(f64::MAX));
        } else if narrow {
            let room = if low == 0.0 { 1.0 } else { low.abs() * 0.1 };
            (low, high) = ((low - room).max(f64::MIN), (high + room).min(f64::MAX));
        }
        Some(Self { low, high, scale })
    }

    /// Wider by a share on both sides.
    pub fn padded(self, share: f64) -> Self {
        let room = (self.bend(self.high) - self.bend(self.low)) * share;
        let (low, high) = (self.bend(self.low) - room, self.bend(self.high) + room);
        let wider = match self.scale {
            Scale::Linear => Self { low, high, ..self },
            Scale::Log => Self { low: 10f64.powf(low), high: 10f64.powf(high), ..self },
        };
        let sound = wider.low.is_finite() && wider.high.is_finite() && self.scale.has(wider.low);
        if sound { wider } else { self }
    }

    /// Where `value` lies: 0 at the lower end, 1 at the upper.
    pub fn place(&self, value: f64) -> f64 {
        let (low, high) = (self.bend(self.low), self.bend(self.high));
        // Halved, so that no span overflows.
        (self.bend(value) / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0)
    }

    fn bend(&self, value: f64) -> f64 {
        if self.scale == Scale::Log { value.log10() } else { value }
    }

    /// Round numbers within, about `count` of them labelled, ascending.
    pub fn ticks(&self, count: usize) -> Vec<Tick> {
        if self.scale == Scale::Log {
            let decades = self.decades(count);
            if decades.iter().filter(|tick| !tick.label.is_empty()).count() > 1 {
                return decades;
            }
        }
        self.even(count)
    }

    fn even(&self, count: usize) -> Vec<Tick> {
        let raw = (self.high / 2.0 - self.low / 2.0) * 2.0 / count.max(1) as f64;
        let power = 10f64.powf(raw.log10().floor());
        let steps = STEPS.iter().chain(&[10.0]).map(|step| step * power);
        let Some(step) = steps.into_iter().find(|step| *step >= raw * 0.7) else { return Vec::new() };
        let decimals = (-step.log10().floor()).clamp(0.0, 20.0) as usize;
        let first = (self.low / step).ceil();
        let ticks = (0..=2 * count + 2).map(|i| (first + i as f64) * step);
        let mut ticks: Vec<Tick> = ticks
            .take_while(|value| *value <= self.high * (1.0 + f64::EPSILON) + step * 1e-9)
            .filter(|value| value.is_finite())
            .map(|value| Tick { value, label: even_label(value, step, decimals) })
            .collect();
        // Numbers so close that they look the same tell nothing.
        ticks.dedup_by(|a, b| a.label == b.label);
        ticks
    }

    fn decades(&self, count: usize) -> Vec<Tick> {
        let (first, last) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
        let every = ((last - first) as usize).div_ceil(count.max(1)).max(1) as i32;
        let few = self.high.log10() - self.low.log10() <= 2.0;
        let mut ticks = Vec::new();
        for power in first..=last {
            for step in 1..=9 {
                let value = f64::from(step) * 10f64.powi(power);
                let labelled = match step {
                    1 => (power - first).rem_euclid(every) == 0,
                    2 | 5 => few,
                    _ => false,
                };
                let shown = labelled || every == 1;
                if shown && value.is_finite() && (self.low..=self.high).contains(&value) {
                    let label = if labelled { log_label(value, power) } else { String::new() };
                    ticks.push(Tick { value, label });
                }
            }
        }
        ticks
    }
}

impl Scale {
    /// Whether `value` has a place on it.
    pub(super) fn has(self, value: f64) -> bool {
        value.is_finite() && (self == Self::Linear || value > 0.0)
    }
}

fn even_label(value: f64, step: f64, decimals: usize) -> String {
    if value.abs() < step * 1e-6 {
        return "0".to_owned();
    }
    if value.abs() >= 1e6 || (value.abs() < 1e-3 && step < 1e-4) {
        // As many digits as tell neighbours apart.
        let digits = (value.abs().log10().floor() - step.log10().floor()).clamp(0.0, 15.0) as usize;
        return minus(&format!("{value:.digits$e}"));
    }
    minus(&format!("{value:.decimals$}"))
}

fn log_label(value: f64, power: i32) -> String {
    match power {
        -3..0 => format!("{value:.*}", power.unsigned_abs() as usize),
        0..5 => format!("{value:.0}"),
        _ => minus(&format!("{value:.0e}")),
    }
}

/// With the typographic minus.
fn minus(text: &str) -> String {
    text.replace('-', "\u{2212}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(low: f64, high: f64, scale: Scale) -> Vec<String> {
        let ticks = Extent { low, high, scale }.ticks(5);
        ticks.into_iter().map(|tick| tick.label).filter(|label| !label.is_empty()).collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(labels(0.0, 1.0, Scale::Linear), ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(-0.07, 0.13, Scale::Linear), ["\u{2212}0.05", "0", "0.05", "0.10"]);
        assert_eq!(labels(0.0, 30.0, Scale::Linear), ["0", "5", "10", "15", "20", "25", "30"]);
        assert_eq!(labels(0.02, 400.0, Scale::Log), ["0.1", "1", "10", "100"]);
        assert_eq!(labels(0.9, 12.0, Scale::Log), ["1", "2", "5", "10"]);
        assert_eq!(labels(3.1, 4.2, Scale::Log), ["3.2", "3.4", "3.6", "3.8", "4.0", "4.2"]);
    }

    #[test]
    fn any_range_has_few_ticks_and_no_panic() {
        let ends =
            [f64::MIN, -1e300, -1.0, 0.0, 5e-324, 1e-300, 1.0, 1.0 + 1e-15, 1e16, 1e16 + 2.0, f64::MAX];
        for scale in [Scale::Linear, Scale::Log] {
            for a in ends {
                for b in ends {
                    let Some(extent) = Extent::of([a, b, f64::NAN].into_iter(), scale) else { continue };
                    let extent = extent.padded(0.05);
                    let ticks = extent.ticks(5);
                    assert!(ticks.len() < 60, "{extent:?} {}", ticks.len());
                    for tick in ticks {
                        assert!((-0.01..=1.01).contains(&extent.place(tick.value)), "{extent:?} {tick:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn places() {
        let extent = Extent { low: 0.1, high: 1000.0, scale: Scale::Log };
        assert!((extent.place(1.0) - 0.25).abs() < 1e-12);
        assert_eq!(Extent::of([-1.0, 0.0].into_iter(), Scale::Log), None);
    }
}
