//! Columns of the table of runs: what every run has, and the settings in which the open runs differ.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde_json::Value;

use super::number::{self, NOTHING};
use super::row::{RunRow, Setting};
use crate::runs::list::{HELD_OUT, REWARD};
use crate::runs::series::Series;
use crate::runs::store::RunStore;

/// Iterations of which the time is the median.
const TIMED: usize = 100;

/// A number of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// The last mean reward.
    FinalReward,
    /// The greatest mean reward.
    BestReward,
    /// The last score of prompts that are not trained on.
    HeldOut,
    /// The last KL.
    Kl,
    /// The last diversity.
    Diversity,
    /// The time of an iteration.
    IterationSeconds,
}

impl Quantity {
    /// All of them, in the order of the columns.
    pub const ALL: [Self; 6] = [
        Self::FinalReward,
        Self::BestReward,
        Self::HeldOut,
        Self::Kl,
        Self::Diversity,
        Self::IterationSeconds,
    ];

    /// Heading.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::FinalReward => "Final reward",
            Self::BestReward => "Best reward",
            Self::HeldOut => "Held-out",
            Self::Kl => "KL",
            Self::Diversity => "Diversity",
            Self::IterationSeconds => "s / iteration",
        }
    }

    /// What it is, in the paper's terms.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::FinalReward => "Mean reward of the groups of the last iteration (reward/mean).",
            Self::BestReward => "Greatest finite mean reward of an iteration (reward/mean).",
            Self::HeldOut => {
                "Last verifier score of prompts that are not trained on. If it falls while the reward rises, the reward \
                 is being exploited or the model forgets."
            }
            Self::Kl => "KL divergence from the reference policy in the last iteration.",
            Self::Diversity => {
                "Mean pairwise distance of the pictures of a group in the last iteration. Near 0 the group has collapsed."
            }
            Self::IterationSeconds => {
                "Median time of the last 100 iterations, evaluations and pauses not included."
            }
        }
    }

    /// Of what was recorded.
    #[must_use]
    pub fn of(self, store: &RunStore) -> Option<f64> {
        let last = |name: &str| store.series(name).and_then(Series::last).map(|point| point.value);
        match self {
            Self::FinalReward => last(REWARD),
            Self::BestReward => store.series(REWARD)?.summary()?.max,
            Self::HeldOut => HELD_OUT.iter().find_map(|name| last(name)),
            Self::Kl => last("kl"),
            Self::Diversity => last("diversity/images"),
            Self::IterationSeconds => median(store.series("time/iteration")?),
        }
    }
}

fn median(series: &Series) -> Option<f64> {
    let (_, _, values) = series.columns();
    let mut last: Vec<f64> = values.iter().rev().take(TIMED).copied().collect();
    last.sort_by(f64::total_cmp);
    last.get(last.len().checked_sub(1)? / 2).copied()
}

/// A column.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Colour, whether it is drawn, name.
    Name,
    /// Variant, or kind if there is none.
    Variant,
    /// Seed.
    Seed,
    /// Iterations done.
    Iterations,
    /// A number.
    Number(Quantity),
    /// A setting in which the runs differ, by its path.
    Setting(String),
    /// What is wrong with it.
    Problem,
}

impl Column {
    /// All columns for these rows.
    #[must_use]
    pub fn all(rows: &[RunRow], differing: &[String]) -> Vec<Self> {
        let mut columns = vec![Self::Name, Self::Variant, Self::Seed, Self::Iterations];
        columns.extend(Quantity::ALL.map(Self::Number));
        columns.extend(differing.iter().cloned().map(Self::Setting));
        if rows.iter().any(|row| row.problem.is_some()) {
            columns.push(Self::Problem);
        }
        columns
    }

    /// Heading.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Name => "Run",
            Self::Variant => "Variant",
            Self::Seed => "Seed",
            Self::Iterations => "Iterations",
            Self::Number(quantity) => quantity.name(),
            Self::Setting(path) => path.strip_prefix("rl.").unwrap_or(path),
            Self::Problem => "Problem",
        }
    }

    /// What it is.
    #[must_use]
    pub fn meaning(&self) -> String {
        match self {
            Self::Name => "Colour of its curves, whether it is drawn in comparisons, and its name.".into(),
            Self::Variant => "Variant of the algorithm, or the kind of run.".into(),
            Self::Seed => "Seed of everything random in the run.".into(),
            Self::Iterations => "Iterations done.".into(),
            Self::Number(quantity) => quantity.meaning().into(),
            Self::Setting(path) => format!(
                "Setting {path}, in which the open runs differ. An arrow means that it was changed while the run went on."
            ),
            Self::Problem => "Why the run cannot be read on.".into(),
        }
    }

    /// Whether it is written to the right.
    #[must_use]
    pub const fn is_number(&self) -> bool {
        matches!(self, Self::Seed | Self::Iterations | Self::Number(_))
    }

    /// What stands in it.
    #[must_use]
    pub fn text(&self, row: &RunRow) -> String {
        match self {
            Self::Name => row.name.clone(),
            Self::Variant if row.variant.is_empty() => row.kind.clone(),
            Self::Variant => row.variant.clone(),
            Self::Seed => row.seed.map_or_else(|| NOTHING.into(), |seed| seed.to_string()),
            Self::Iterations => row.iterations.to_string(),
            Self::Number(quantity) => number::number_or_nothing(row.number(*quantity)),
            Self::Setting(path) => row.settings.get(path).map_or_else(|| NOTHING.into(), Setting::text),
            Self::Problem => row.problem.clone().unwrap_or_default(),
        }
    }

    /// The order of two rows by this column. What is not there comes last either way, NaN before it.
    #[must_use]
    pub fn order(&self, a: &RunRow, b: &RunRow, descending: bool) -> Ordering {
        let turned = |order: Ordering| if descending { order.reverse() } else { order };
        self.lack(a).cmp(&self.lack(b)).then_with(|| turned(self.ascending(a, b)))
    }

    /// 0 if there is a value to be put in order, 1 for NaN, 2 if there is none.
    fn lack(&self, row: &RunRow) -> u8 {
        match self {
            Self::Seed => {
                if row.seed.is_some() {
                    0
                } else {
                    2
                }
            }
            Self::Setting(path) => {
                if row.settings.contains_key(path) {
                    0
                } else {
                    2
                }
            }
            Self::Number(quantity) => row.number(*quantity).map_or(2, |value| u8::from(value.is_nan())),
            Self::Name | Self::Variant | Self::Iterations | Self::Problem => 0,
        }
    }

    fn ascending(&self, a: &RunRow, b: &RunRow) -> Ordering {
        match self {
            Self::Seed => a.seed.cmp(&b.seed),
            Self::Iterations => a.iterations.cmp(&b.iterations),
            Self::Number(quantity) => numbers(a.number(*quantity), b.number(*quantity)),
            Self::Setting(path) => {
                let last =
                    |row: &RunRow| row.settings.get(path).and_then(|setting| setting.0.last().cloned());
                values(&last(a).unwrap_or_default(), &last(b).unwrap_or_default())
            }
            Self::Name | Self::Variant | Self::Problem => natural(&self.text(a), &self.text(b)),
        }
    }
}

fn numbers(a: Option<f64>, b: Option<f64>) -> Ordering {
    a.unwrap_or(f64::NAN).total_cmp(&b.unwrap_or(f64::NAN))
}

fn values(a: &Value, b: &Value) -> Ordering {
    match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        _ => natural(&number::setting(a), &number::setting(b)),
    }
}

/// Text in which runs of digits count as numbers: `seed-2` before `seed-10`.
#[must_use]
pub fn natural(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a.chars().peekable(), b.chars().peekable());
    loop {
        match (a.peek().copied(), b.peek().copied()) {
            (Some(x), Some(y)) if x.is_ascii_digit() && y.is_ascii_digit() => {
                let (x, y) = (digits(&mut a), digits(&mut b));
                let order = x.len().cmp(&y.len()).then(x.cmp(&y));
                if order.is_ne() {
                    return order;
                }
            }
            (x, y) if x == y && x.is_some() => {
                a.next();
                b.next();
            }
            (x, y) => return x.cmp(&y),
        }
    }
}

/// The digits at the front, without leading zeros.
fn digits(text: &mut std::iter::Peekable<std::str::Chars<'_>>) -> String {
    let mut found = String::new();
    while let Some(digit) = text.next_if(char::is_ascii_digit) {
        found.push(digit);
    }
    found.trim_start_matches('0').to_owned()
}

/// Paths of the settings in which the runs differ: two have different values, or one of a kind has none. The seed has a
/// column of its own.
#[must_use]
pub fn differing(rows: &[RunRow]) -> Vec<String> {
    let mut values: BTreeMap<&str, Vec<(&str, &Setting)>> = BTreeMap::new();
    let mut of_kind: BTreeMap<&str, usize> = BTreeMap::new();
    for row in rows.iter().filter(|row| !row.settings.is_empty()) {
        *of_kind.entry(&row.kind).or_default() += 1;
        for (path, setting) in &row.settings {
            values.entry(path).or_default().push((&row.kind, setting));
        }
    }
    let differs = |found: &[(&str, &Setting)]| {
        let missing = |kind: &str| {
            let with = found.iter().filter(|(other, _)| *other == kind).count();
            of_kind.get(kind).is_some_and(|all| with < *all)
        };
        found.windows(2).any(|pair| matches!(pair, [a, b] if a.1 != b.1))
            || found.iter().any(|(kind, _)| missing(kind))
    };
    let paths = values.iter().filter(|(path, found)| **path != "seed" && differs(found));
    paths.map(|(path, _)| (*path).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_within_names_count_as_numbers() {
        assert_eq!(natural("seed-2", "seed-10"), Ordering::Less);
        assert_eq!(natural("a", "a1"), Ordering::Less);
        assert_eq!(natural("run-007", "run-7"), Ordering::Equal);
    }

    proptest! {
        #[test]
        fn the_order_of_names_is_an_order(a in "[a-c0-9-]{0,6}", b in "[a-c0-9-]{0,6}", c in "[a-c0-9-]{0,6}") {
            prop_assert_eq!(natural(&a, &b), natural(&b, &a).reverse());
            if natural(&a, &b).is_le() && natural(&b, &c).is_le() {
                prop_assert!(natural(&a, &c).is_le());
            }
        }
    }
}
