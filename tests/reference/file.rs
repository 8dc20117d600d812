//! A file of reference numbers, and comparisons that name what differs.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::Path;

use burn::module::Module;
use burn::tensor::{DType, Device, Gradients, Tensor, TensorData};
use marscope::model::params::{flat_gradients, flatten, with_values};
use safetensors::{Dtype, SafeTensors};

/// Tensors of one file, widened to f64.
pub struct Reference {
    file: String,
    tensors: BTreeMap<String, Stored>,
    compared: Cell<usize>,
}

/// One tensor.
pub struct Stored {
    pub shape: Vec<usize>,
    pub values: Vec<f64>,
}

impl Reference {
    /// Reads `tests/reference/{name}.safetensors`.
    pub fn read(name: &str) -> Self {
        let file = format!("tests/reference/{name}.safetensors");
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(&file);
        let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let views = SafeTensors::deserialize(&bytes).unwrap_or_else(|error| panic!("{file}: {error}"));
        let tensors = views
            .tensors()
            .into_iter()
            .map(|(name, view)| {
                let dtype = match view.dtype() {
                    Dtype::F16 => DType::F16,
                    Dtype::F32 => DType::F32,
                    Dtype::F64 => DType::F64,
                    Dtype::I64 => DType::I64,
                    other => panic!("{file}: {name} is {other:?}"),
                };
                let shape = view.shape().to_vec();
                let data = TensorData::from_bytes_vec(view.data().to_vec(), shape.clone(), dtype);
                (name, Stored { shape, values: data.iter::<f64>().collect() })
            })
            .collect();
        Self { file, tensors, compared: Cell::new(0) }
    }

    /// A tensor by name.
    pub fn get(&self, name: &str) -> &Stored {
        self.tensors.get(name).unwrap_or_else(|| panic!("{} has no tensor {name}", self.file))
    }

    /// Whole numbers by name.
    pub fn whole(&self, name: &str) -> Vec<usize> {
        self.get(name).values.iter().map(|v| *v as usize).collect()
    }

    /// A tensor by name, on the CPU.
    pub fn tensor<const D: usize>(&self, name: &str) -> Tensor<D> {
        let stored = self.get(name);
        let shape: [usize; D] = stored
            .shape
            .clone()
            .try_into()
            .unwrap_or_else(|shape| panic!("{}: {name} has the shape {shape:?}", self.file));
        let values: Vec<f32> = stored.values.iter().map(|v| *v as f32).collect();
        Tensor::from_data(TensorData::new(values, shape), &Device::flex())
    }

    /// The same as a leaf whose gradient is kept.
    pub fn leaf<const D: usize>(&self, name: &str) -> Tensor<D> {
        self.tensor::<D>(name).autodiff().require_grad()
    }

    /// `module` with every parameter replaced by `weights.{path}` of the file, and no stored weight left over.
    pub fn load<M: Module>(&self, module: M) -> M {
        let params = flatten(&module);
        let values: Vec<Tensor<1>> = params
            .iter()
            .map(|param| {
                let name = format!("weights.{}", param.path);
                let weight = self.get(&name);
                assert_eq!(weight.shape, param.shape, "{}: shape of {name}", self.file);
                let values: Vec<f32> = weight.values.iter().map(|v| *v as f32).collect();
                Tensor::from_data(
                    TensorData::new(values, [param.shape.iter().product::<usize>()]),
                    &Device::flex(),
                )
            })
            .collect();
        let stored = self.tensors.keys().filter(|name| name.starts_with("weights.")).count();
        assert_eq!(values.len(), stored, "{}: parameters of the module and weights stored", self.file);
        with_values(module, values)
    }

    /// Fails unless `got` is `name` of the file within `tolerance`, absolute or relative to its largest entry.
    pub fn compare<const D: usize>(&self, name: &str, got: Tensor<D>, tolerance: f64) {
        let want = self.get(name);
        assert_eq!(want.shape, got.dims(), "{}: shape of {name}", self.file);
        let bound = tolerance * largest(&want.values).max(1.0);
        self.compare_values(name, &values(got), &want.values, &vec![bound; want.values.len()]);
    }

    /// Fails unless `got` is `grad.{name}` within 1e-4 of its largest entry.
    pub fn compare_gradient<const D: usize>(&self, name: &str, got: Option<Tensor<D>>) {
        let name = format!("grad.{name}");
        let got = got.unwrap_or_else(|| panic!("{}: no gradient for {name}", self.file));
        let want = &self.get(&name).values;
        self.compare_values(&name, &values(got), want, &vec![1e-4 * largest(want); want.len()]);
    }

    /// Fails unless each entry of `got` is within its bound of that of `want`.
    pub fn compare_values(&self, name: &str, got: &[f64], want: &[f64], bounds: &[f64]) {
        assert_eq!((got.len(), bounds.len()), (want.len(), want.len()), "{}: entries of {name}", self.file);
        assert!(largest(want) > 0.0, "{}: {name} is zero and shows nothing", self.file);
        for (place, ((got, want), bound)) in got.iter().zip(want).zip(bounds).enumerate() {
            // NaN is within no bound.
            assert!(
                (got - want).abs() <= *bound,
                "{}: {name}[{place}] is {got:e} instead of {want:e}, {bound:e} off is allowed",
                self.file
            );
        }
        self.compared.set(self.compared.get() + 1);
    }

    /// Compares the gradient of every parameter of `module`.
    pub fn compare_gradients<M: Module>(&self, module: &M, gradients: Gradients) {
        for (param, gradient) in flatten(module).iter().zip(flat_gradients(module, gradients)) {
            self.compare_gradient(&param.path, gradient);
        }
    }

    /// Compares the gradients of those parameters of `module` below `prefix` of which the file holds one.
    pub fn compare_held_gradients<M: Module>(&self, module: &M, prefix: &str, gradients: Gradients) {
        for (param, gradient) in flatten(module).iter().zip(flat_gradients(module, gradients)) {
            let held = self.tensors.contains_key(&format!("grad.{}", param.path));
            if held && param.path.starts_with(prefix) {
                self.compare_gradient(&param.path, gradient);
            }
        }
    }

    /// Tensors compared so far, so that a test can tell that it compared what it meant to.
    pub fn compared(&self) -> usize {
        self.compared.get()
    }
}

/// The entries of a tensor.
pub fn values<const D: usize>(tensor: Tensor<D>) -> Vec<f64> {
    tensor.into_data().iter::<f64>().collect()
}

/// Largest magnitude.
pub fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |largest, v| largest.max(v.abs()))
}
