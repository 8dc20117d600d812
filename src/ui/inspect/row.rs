//! One row of the token list as text.

use super::facts::TokenFacts;
use super::number::number_or_dash;
use super::steps::{Fact, kept};

/// The text of a fact in a row, at the trained AR step with number `plane` or over all.
#[must_use]
pub fn cell(fact: Fact, token: &TokenFacts, plane: Option<usize>) -> String {
    match fact {
        Fact::Token => token.token.to_string(),
        Fact::Order => token.order.map_or_else(|| "–".into(), |order| order.to_string()),
        Fact::Rank => token.rank.map_or_else(|| "–".into(), |rank| rank.to_string()),
        Fact::Multi => token.multi.map_or("–", |multi| if multi { "yes" } else { "no" }).into(),
        Fact::Kept => match (kept(token, plane), plane) {
            (None, _) => "–".into(),
            (Some((kept, _)), Some(_)) => if kept > 0 { "yes" } else { "no" }.into(),
            (Some((kept, of)), None) => format!("{kept} of {of}"),
        },
        Fact::Uncertainty => number_or_dash(token.uncertainty.map(f64::from)),
        Fact::Gain | Fact::LossShare | Fact::Kl => number_or_dash(fact.of(token, plane)),
    }
}

/// What a screen reader says of a row.
#[must_use]
pub fn spoken(token: &TokenFacts, plane: Option<usize>) -> String {
    let facts = Fact::ALL.iter().skip(1).map(|fact| format!("{} {}", fact.name(), cell(*fact, token, plane)));
    format!("Token {}, {}", token.token, facts.collect::<Vec<_>>().join(", "))
}
