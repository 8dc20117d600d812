//! The filter of the table of runs: a regular expression over name, variant, kind and settings.

use regex::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};

/// What the user wrote, and what became of it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct RunFilter {
    /// As written.
    pub text: String,
    compiled: Option<(String, Result<Regex, String>)>,
}

impl From<String> for RunFilter {
    fn from(text: String) -> Self {
        Self { text, compiled: None }
    }
}

impl From<RunFilter> for String {
    fn from(filter: RunFilter) -> Self {
        filter.text
    }
}

impl RunFilter {
    /// Makes the expression of what is written now; cheap if it did not change.
    pub fn update(&mut self) {
        if self.compiled.as_ref().is_some_and(|(text, _)| *text == self.text) {
            return;
        }
        let built = RegexBuilder::new(&self.text).case_insensitive(true).multi_line(true).build();
        self.compiled = Some((self.text.clone(), built.map_err(|error| reason(&error))));
    }

    /// Whether a run with these lines is shown. An expression that cannot be read hides nothing.
    #[must_use]
    pub fn shows(&self, lines: &str) -> bool {
        match &self.compiled {
            Some((_, Ok(expression))) => expression.is_match(lines),
            _ => true,
        }
    }

    /// Why it filters nothing, if it cannot be read.
    #[must_use]
    pub fn problem(&self) -> Option<String> {
        let (_, built) = self.compiled.as_ref()?;
        built.as_ref().err().map(|reason| {
            format!("This is no regular expression: {reason}. All runs are shown; write \\ before a bracket that is meant as such.")
        })
    }
}

/// The last line of the message; those above draw the place with spaces, which need a fixed-width font.
fn reason(error: &regex::Error) -> String {
    let text = error.to_string();
    let last = text.lines().last().unwrap_or_default().trim();
    last.strip_prefix("error: ").unwrap_or(last).trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_broken_expression_says_why_and_hides_nothing() {
        let mut filter = RunFilter::from("mar(grpo".to_owned());
        filter.update();
        assert!(filter.shows("anything"));
        assert!(filter.problem().unwrap().contains("unclosed group"));
        filter.text = "mar_grpo|^rl.mte.share=0\\.3$".into();
        filter.update();
        assert_eq!(filter.problem(), None);
        assert!(
            filter.shows("x\nMAR_GRPO")
                && filter.shows("x\nrl.mte.share=0.3\ny")
                && !filter.shows("rl.mte.share=0.31")
        );
    }

    proptest! {
        #[test]
        fn any_text_either_filters_or_says_why(text in ".{0,20}", lines in ".{0,30}") {
            let mut filter = RunFilter::from(text);
            filter.update();
            prop_assert!(filter.problem().is_none() || filter.shows(&lines));
        }

        #[test]
        fn an_escaped_name_finds_itself(name in ".{0,20}") {
            let mut filter = RunFilter::from(regex::escape(&name));
            filter.update();
            prop_assert!(filter.shows(&name));
        }
    }
}
