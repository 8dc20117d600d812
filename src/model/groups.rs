//! Which parameters train, and which share a learning rate.

use burn::module::{Module, ParamGroup};

use super::Generator;

/// A part of the generator that is frozen, measured or given a learning rate as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The diffusion head.
    Head,
    /// The transformer without the text encoder.
    Transformer,
    /// The text encoder.
    Text,
}

impl Part {
    /// All parts; together they hold every parameter once.
    pub const ALL: [Self; 3] = [Self::Head, Self::Transformer, Self::Text];

    /// Name used in configuration and records.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Head => "head",
            Self::Transformer => "transformer",
            Self::Text => "text",
        }
    }

    /// Anchored pattern of the parameter paths of this part.
    const fn pattern(self) -> &'static str {
        match self {
            Self::Head => r"^head\.",
            Self::Transformer => r"^mar\.(token|mask_token|stem|positions|blocks|norm)",
            Self::Text => r"^mar\.text\.",
        }
    }

    /// The part to which the parameter at `path` belongs.
    #[must_use]
    pub fn of(path: &str) -> Self {
        if path.starts_with("head.") {
            Self::Head
        } else if path.starts_with("mar.text.") {
            Self::Text
        } else {
            Self::Transformer
        }
    }

    /// The parameters of this part.
    ///
    /// # Panics
    /// Never: the patterns are constants, and a test compiles each.
    #[must_use]
    #[expect(clippy::expect_used, reason = "constant patterns, compiled by a test")]
    pub fn group(self) -> ParamGroup {
        ParamGroup::from_regex(self.pattern()).expect("constant pattern")
    }

    /// The generator with this part frozen: its weights get no gradient, but gradient still flows through it.
    #[must_use]
    pub fn freeze(self, generator: Generator) -> Generator {
        generator.set_require_grad_group(self.group(), false)
    }
}

#[cfg(test)]
mod tests {
    use burn::module::ModuleVisitor;
    use burn::module::Param;
    use burn::tensor::{Device, Tensor};

    use super::*;
    use crate::model::ModelConfig;

    struct Count([usize; 3], Vec<ParamGroup>, usize, Vec<String>);

    impl ModuleVisitor for Count {
        fn enter_module(&mut self, name: &str, _: &str) {
            self.3.push(name.into());
        }
        fn exit_module(&mut self, _: &str, _: &str) {
            self.3.pop();
        }
        fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
            let path = self.3.join(".");
            let hits: Vec<usize> = (0..3).filter(|i| self.1[*i].matches(&param.id, Some(&path))).collect();
            assert_eq!(hits.len(), 1, "{path} belongs to one part");
            assert_eq!(Part::ALL[hits[0]], Part::of(&path));
            self.0[hits[0]] += 1;
            self.2 += 1;
        }
    }

    #[test]
    fn every_parameter_belongs_to_one_part() {
        let generator = Generator::new(&ModelConfig::default(), 0, &Device::flex());
        let groups = Part::ALL.iter().map(|p| p.group()).collect();
        let mut count = Count([0; 3], groups, 0, Vec::new());
        generator.visit(&mut count);
        assert!(count.0.iter().all(|n| *n > 3), "{:?}", count.0);
    }
}
