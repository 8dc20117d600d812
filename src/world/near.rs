//! Which known words a mistyped one may have meant.

use strsim::jaro_winkler;

/// Similarity (Jaro-Winkler, 0..1) from which a word is worth suggesting; "rad" and "red" have 0.80.
const NEAR: f64 = 0.75;

/// Up to three of `known` that look like `word`, best first.
pub fn near_words<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut scored: Vec<(f64, &str)> = known.into_iter().map(|k| (jaro_winkler(word, k), k)).collect();
    scored.retain(|&(score, _)| score >= NEAR);
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.truncate(3);
    scored.into_iter().map(|(_, k)| k).collect()
}

/// `; did you mean "a", "b" or "c"?`, or nothing when no word is near.
pub fn suggestion<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let near = near_words(word, known);
    if near.is_empty() { String::new() } else { format!("; did you mean {}?", alternatives(&near)) }
}

/// `"a", "b" or "c"`.
pub fn alternatives(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|w| format!("{w:?}")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        Some((only, _)) => only.clone(),
        None => String::new(),
    }
}
