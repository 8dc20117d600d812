//! A module's float parameters as a flat list, in a fixed order: what optimisers, averages and norms work on.

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::tensor::{Gradients, Tensor};

/// One parameter, flattened.
#[derive(Clone, Debug)]
pub struct FlatParam {
    /// Field names joined by dots: `mar.blocks.0.mlp.fc1.weight`.
    pub path: String,
    /// Its shape.
    pub shape: Vec<usize>,
    /// Its values, outside the autodiff graph.
    pub value: Tensor<1>,
    /// Whether it is trained.
    pub trained: bool,
}

/// All float parameters of `module`.
#[must_use]
pub fn flatten<M: Module>(module: &M) -> Vec<FlatParam> {
    let mut visitor = Flatten { path: Vec::new(), gradients: None, params: Vec::new(), found: Vec::new() };
    module.visit(&mut visitor);
    visitor.params
}

/// The gradient of each parameter in the order of [`flatten`]; `None` where it has none (frozen or unused).
#[must_use]
pub fn flat_gradients<M: Module>(module: &M, gradients: Gradients) -> Vec<Option<Tensor<1>>> {
    let mut visitor =
        Flatten { path: Vec::new(), gradients: Some(gradients), params: Vec::new(), found: Vec::new() };
    module.visit(&mut visitor);
    visitor.found
}

/// `module` with its parameters replaced, in the order of [`flatten`].
///
/// # Panics
/// If `values` has fewer entries than the module has parameters, or of other sizes.
#[must_use]
pub fn with_values<M: Module>(module: M, values: Vec<Tensor<1>>) -> M {
    module.map(&mut Replace { values: values.into_iter() })
}

/// A copy with leaves of its own: the graphs of two threads never meet.
#[must_use]
pub fn fork_leaves<M: Module>(module: &M) -> M {
    let values = flatten(module).into_iter().map(|p| p.value).collect();
    with_values(module.clone(), values)
}

struct Flatten {
    path: Vec<String>,
    gradients: Option<Gradients>,
    params: Vec<FlatParam>,
    found: Vec<Option<Tensor<1>>>,
}

impl ModuleVisitor for Flatten {
    fn enter_module(&mut self, name: &str, _container_type: &str) {
        self.path.push(name.to_owned());
    }

    fn exit_module(&mut self, _name: &str, _container_type: &str) {
        self.path.pop();
    }

    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let value = param.val();
        if let Some(gradients) = &mut self.gradients {
            self.found.push(value.grad_remove(gradients).map(|g| g.flatten(0, D - 1)));
            return;
        }
        self.params.push(FlatParam {
            path: self.path.join("."),
            shape: value.dims().to_vec(),
            trained: value.is_require_grad(),
            value: value.without_autodiff().flatten(0, D - 1),
        });
    }
}

struct Replace<I> {
    values: I,
}

impl<I: Iterator<Item = Tensor<1>>> ModuleMapper for Replace<I> {
    #[expect(
        clippy::expect_used,
        reason = "documented panic: the list comes from `flatten` of the same module"
    )]
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let value = self.values.next().expect("one value for each parameter");
        param.map(|old| {
            let trained = old.is_require_grad();
            let mut new = value.reshape(old.dims());
            if old.is_autodiff() {
                new = new.to_device(&old.device()).autodiff();
            }
            if trained { new.require_grad() } else { new }
        })
    }
}
