//! The report's numbers for spreadsheets and scripts: RFC 4180, every digit, empty where there is nothing.

use super::ablation::{Ablation, VariantRow};
use super::measure::Measure;
use super::stats::Interval;

/// One row a run.
#[must_use]
pub fn cells(ablation: &Ablation) -> String {
    let mut head: Vec<String> =
        ["variant", "prompt", "seed", "outcome", "reason", "iterations", "not_finite", "seconds", "folder"]
            .map(str::to_owned)
            .to_vec();
    head.extend(Measure::ALL.map(|measure| measure.key().to_owned()));
    let mut text = row(&head);
    for cell in &ablation.cells {
        let mut fields = vec![
            quoted(&cell.variant),
            quoted(&cell.prompt),
            cell.seed.to_string(),
            cell.outcome.word().to_owned(),
            quoted(&cell.outcome.reason()),
            cell.recorded.iterations.to_string(),
            cell.not_finite().to_string(),
            number(Some(cell.recorded.seconds)),
            quoted(&cell.folder.display().to_string()),
        ];
        fields.extend(Measure::ALL.map(|measure| number(cell.recorded.measures.get(measure))));
        text += &row(&fields);
    }
    text
}

/// One row a variant, prompt (empty: all) and measure.
#[must_use]
pub fn variants(ablation: &Ablation) -> String {
    const HEAD: &str = "variant,prompt,measure,unit,mean,low,high,deviation,n,not_finite,missing,difference,\
                        difference_low,difference_high,pairs,p\r\n";
    let mut text = HEAD.to_owned();
    let prompts = std::iter::once(None).chain(ablation.prompts().into_iter().map(Some));
    for prompt in prompts {
        for variant in ablation.rows_of(prompt) {
            add(&mut text, &variant, prompt.unwrap_or(""));
        }
    }
    text
}

fn add(text: &mut String, variant: &VariantRow, prompt: &str) {
    for of in &variant.measures {
        let [low, high] = ends(of.estimate.interval);
        let mut fields = vec![
            quoted(&variant.variant),
            quoted(prompt),
            of.measure.key().to_owned(),
            of.measure.unit().to_owned(),
            number(of.estimate.mean),
            low,
            high,
            number(of.estimate.deviation),
            of.estimate.n.to_string(),
            of.estimate.not_finite.to_string(),
            of.estimate.missing.to_string(),
        ];
        match &of.difference {
            Some(difference) => {
                let [low, high] = ends(difference.interval);
                let pairs = difference.pairs.to_string();
                fields.extend([number(difference.mean), low, high, pairs, number(difference.p)]);
            }
            None => fields.extend([const { String::new() }; 5]),
        }
        *text += &row(&fields);
    }
}

fn ends(interval: Option<Interval>) -> [String; 2] {
    [interval.map(|interval| interval.low), interval.map(|interval| interval.high)].map(number)
}

fn row(fields: &[String]) -> String {
    fields.join(",") + "\r\n"
}

/// Every digit that is needed to read the same number again.
fn number(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| format!("{value:?}"))
}

/// In quotes if it would be misread without.
fn quoted(text: &str) -> String {
    let plain = !text.contains([',', '"', '\r', '\n']) && text.trim() == text;
    if plain { text.to_owned() } else { format!("\"{}\"", text.replace('"', "\"\"")) }
}
