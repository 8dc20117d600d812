//! Weight files: a folder with `manifest.json` and one burnpack file a part.
//!
//! Shipped weights are half precision on disk and single precision in memory. The manifest names the sizes of the model,
//! so that shapes are checked before anything is loaded, and a checksum of each file, so that a truncated or altered one
//! is refused by name. Foreign checkpoints (safetensors, PyTorch) are read by their own loaders.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use burn::module::{Module, ModuleMapper, Param};
use burn::store::ModuleRecord;
use burn::tensor::{Bytes, Device, FloatDType, Tensor};
use serde::{Deserialize, Serialize};

use super::nn::init::WeightDraw;
use super::vae::Autoencoder;
use super::{Generator, Model, ModelConfig};
use crate::error::{Error, Result};

const MANIFEST: &str = "manifest.json";
const FORMAT: u32 = 1;

/// `manifest.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Version of this layout.
    pub format: u32,
    /// Sizes of the model.
    pub config: ModelConfig,
    /// The weights of pictures to latents and back.
    pub autoencoder: Option<WeightFile>,
    /// The weights of transformer and head.
    pub generator: Option<WeightFile>,
    /// How each part was made: command, seed, steps, seconds, scores.
    #[serde(default)]
    pub made: BTreeMap<String, serde_json::Value>,
}

impl Manifest {
    /// Reads the manifest of the model in `folder`, and not its weights.
    ///
    /// # Errors
    /// [`Error::Io`] if there is none, [`Error::Format`] if it is not one of ours.
    pub fn read(folder: &Path) -> Result<Self> {
        let place = folder.join(MANIFEST);
        Self::parse(&place, &fs::read(&place).map_err(Error::io("read", &place))?)
    }

    fn parse(place: &Path, bytes: &[u8]) -> Result<Self> {
        let manifest: Self = serde_json::from_slice(bytes)
            .map_err(|error| Error::format(place, format!("not a model manifest: {error}")))?;
        if manifest.format != FORMAT {
            return Err(Error::format(
                place,
                format!("a model of format {}; this version reads format {FORMAT}", manifest.format),
            ));
        }
        manifest.config.validate().map_err(|error| Error::format(place, error.to_string()))?;
        Ok(manifest)
    }
}

/// One weight file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WeightFile {
    /// File name, without folders.
    pub file: String,
    /// CRC-32 of its bytes.
    pub crc32: u32,
}

/// The parts of a model as files, on disk or compiled into the program.
#[derive(Debug)]
pub struct WeightFolder {
    path: PathBuf,
    manifest: Manifest,
    files: BTreeMap<String, Vec<u8>>,
}

/// The base model that ships with the program.
static SHIPPED: [(&str, &[u8]); 3] = [
    (MANIFEST, include_bytes!("../../assets/model/manifest.json")),
    ("autoencoder.bpk", include_bytes!("../../assets/model/autoencoder.bpk")),
    ("generator.bpk", include_bytes!("../../assets/model/generator.bpk")),
];

impl WeightFolder {
    /// The base model that ships with the program.
    ///
    /// # Errors
    /// Only if the program was built with broken weights.
    pub fn shipped() -> Result<Self> {
        Self::read_with(Path::new("the shipped model"), |name| {
            let file = SHIPPED.iter().find(|(shipped, _)| *shipped == name);
            Ok(file.map(|(_, bytes)| bytes.to_vec()).unwrap_or_default())
        })
    }

    /// Reads a folder.
    ///
    /// # Errors
    /// [`Error::Io`] if a file is missing, [`Error::Format`] if one is truncated, altered, of another version, or not
    /// ours.
    pub fn read(path: &Path) -> Result<Self> {
        if path.is_file() {
            return Err(Error::format(
                path,
                "is a file; a model is a folder with manifest.json, as `marscope pretrain` writes it",
            ));
        }
        Self::read_with(path, |name| {
            let file = path.join(name);
            fs::read(&file).map_err(Error::io("read", &file))
        })
    }

    fn read_with(path: &Path, read: impl Fn(&str) -> Result<Vec<u8>>) -> Result<Self> {
        let place = path.join(MANIFEST);
        let manifest = Manifest::parse(&place, &read(MANIFEST)?)?;
        let mut files = BTreeMap::new();
        for part in [&manifest.autoencoder, &manifest.generator].into_iter().flatten() {
            if Path::new(&part.file).components().count() != 1 {
                return Err(Error::format(&place, format!("{:?} is not a plain file name", part.file)));
            }
            let bytes = read(&part.file)?;
            if crc32fast::hash(&bytes) != part.crc32 {
                return Err(Error::format(
                    &path.join(&part.file),
                    "the bytes do not match the manifest's checksum: the file is truncated or altered; copy it again",
                ));
            }
            files.insert(part.file.clone(), bytes);
        }
        Ok(Self { path: path.to_path_buf(), manifest, files })
    }

    /// The manifest.
    #[must_use]
    pub const fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Writes the same model to `folder`, byte for byte.
    ///
    /// # Errors
    /// [`Error::Io`] naming the file.
    pub fn copy_to(&self, folder: &Path) -> Result<()> {
        fs::create_dir_all(folder).map_err(Error::io("create the folder", folder))?;
        let place = folder.join(MANIFEST);
        let manifest = serde_json::to_vec_pretty(&self.manifest)
            .map_err(|error| Error::format(&place, format!("cannot be written as JSON: {error}")))?;
        for (name, bytes) in &self.files {
            let file = folder.join(name);
            fs::write(&file, bytes).map_err(Error::io("write", &file))?;
        }
        fs::write(&place, manifest).map_err(Error::io("write", &place))
    }

    /// The autoencoder, on `device`.
    ///
    /// # Errors
    /// [`Error::Format`] if the folder has none or its tensors do not fit the manifest.
    pub fn autoencoder(&self, device: &Device) -> Result<Autoencoder> {
        let empty = self.manifest.config.autoencoder.init(&mut WeightDraw::new(0, device)).materialize();
        self.load(self.manifest.autoencoder.as_ref(), "autoencoder", empty)
    }

    /// Transformer and head, on `device`.
    ///
    /// # Errors
    /// [`Error::Format`] if the folder has none or its tensors do not fit the manifest.
    pub fn generator(&self, device: &Device) -> Result<Generator> {
        let empty = Generator::new(&self.manifest.config, 0, device);
        self.load(self.manifest.generator.as_ref(), "generator", empty)
    }

    /// The whole model, on `device`.
    ///
    /// # Errors
    /// As its parts.
    pub fn model(&self, device: &Device) -> Result<Model> {
        Ok(Model {
            config: self.manifest.config.clone(),
            autoencoder: self.autoencoder(device)?,
            generator: self.generator(device)?,
        })
    }

    fn load<M: Module>(&self, part: Option<&WeightFile>, name: &str, empty: M) -> Result<M> {
        let part = part.ok_or_else(|| {
            Error::format(
                &self.path,
                format!("holds no {name}; `marscope pretrain --help` says how to make one"),
            )
        })?;
        let place = self.path.join(&part.file);
        let bytes = self.files.get(&part.file).cloned().unwrap_or_default();
        from_bytes(empty, bytes, &place)
    }
}

/// Loads burnpack bytes into a module of the same shapes; values are cast to the module's precision.
///
/// # Errors
/// [`Error::Format`] about `place` if they are not burnpack or the tensors differ in name or shape.
pub fn from_bytes<M: Module>(module: M, bytes: Vec<u8>, place: &Path) -> Result<M> {
    let record = ModuleRecord::from_bytes(Bytes::from_bytes_vec(bytes))
        .map_err(|error| Error::format(place, format!("not a burnpack weight file: {error}")))?;
    module
        .try_load_record(record.cast_to_module_dtype())
        .map_err(|error| Error::format(place, format!("the weights do not fit the model: {error}")))
}

/// The burnpack bytes of a module, in single or half precision.
///
/// # Errors
/// [`Error::Device`] if the weights cannot be read back.
pub fn to_bytes<M: Module>(module: M, half: bool) -> Result<Vec<u8>> {
    let module = if half { module.map(&mut Cast(FloatDType::F16)) } else { module };
    let bytes = module
        .into_record()
        .into_bytes()
        .map_err(|error| Error::Device(format!("the weights cannot be written: {error}")))?;
    Ok(bytes.to_vec())
}

/// The files of a model folder, manifest first; parts that are `None` are left out.
///
/// # Errors
/// Those of [`to_bytes`].
pub fn to_files(
    config: &ModelConfig,
    autoencoder: Option<Autoencoder>,
    generator: Option<Generator>,
    made: BTreeMap<String, serde_json::Value>,
) -> Result<Vec<(String, Vec<u8>)>> {
    let mut files = Vec::new();
    let mut part = |name: &str, bytes: Option<Vec<u8>>| {
        bytes.map(|bytes| {
            let file = format!("{name}.bpk");
            let entry = WeightFile { file: file.clone(), crc32: crc32fast::hash(&bytes) };
            files.push((file, bytes));
            entry
        })
    };
    let autoencoder = part("autoencoder", autoencoder.map(|m| to_bytes(m, true)).transpose()?);
    let generator = part("generator", generator.map(|m| to_bytes(m, true)).transpose()?);
    let manifest = Manifest { format: FORMAT, config: config.clone(), autoencoder, generator, made };
    let mut text = serde_json::to_string_pretty(&manifest)
        .map_err(|error| Error::Config(format!("the manifest cannot be written as JSON: {error}")))?;
    text.push('\n');
    files.insert(0, (MANIFEST.to_owned(), text.into_bytes()));
    Ok(files)
}

struct Cast(FloatDType);

impl ModuleMapper for Cast {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        param.map(|tensor| tensor.without_autodiff().cast(self.0))
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;

    use super::*;
    use crate::model::params::flatten;

    fn small() -> ModelConfig {
        let mut config = ModelConfig::default();
        config.mar.width = 16;
        config.mar.depth = 1;
        config.head.width = 16;
        config.head.depth = 1;
        config.autoencoder.fine_width = 8;
        config.autoencoder.coarse_width = 8;
        config
    }

    fn values(generator: &Generator) -> Vec<f32> {
        flatten(generator).into_iter().flat_map(|p| p.value.try_into_vec_as::<f32>().unwrap()).collect()
    }

    #[test]
    fn weights_survive_the_file_and_half_precision_is_close() {
        let (config, device, place) = (small(), Device::flex(), Path::new("generator.bpk"));
        let generator = Generator::new(&config, 1, &device);
        let other = || Generator::new(&config, 2, &device);
        let exact = from_bytes(other(), to_bytes(generator.clone(), false).unwrap(), place).unwrap();
        assert_eq!(values(&exact), values(&generator));
        let half = from_bytes(other(), to_bytes(generator.clone(), true).unwrap(), place).unwrap();
        for (half, full) in values(&half).iter().zip(values(&generator)) {
            assert!((half - full).abs() <= 1e-3 * full.abs() + 1e-6, "{half} against {full}");
        }
    }

    #[test]
    fn spoiled_weight_files_are_refused_without_a_panic() {
        let (config, device, place) = (small(), Device::flex(), Path::new("generator.bpk"));
        let whole = to_bytes(Generator::new(&config, 1, &device), true).unwrap();
        let load = |bytes: Vec<u8>| from_bytes(Generator::new(&config, 2, &device), bytes, place);
        for length in (0..whole.len()).step_by(whole.len() / 60 + 1) {
            let error = load(whole[..length].to_vec()).err().map(|e| e.to_string());
            assert!(error.is_some_and(|e| e.contains("generator.bpk")), "cut to {length} bytes");
        }
        // A flipped bit in the header is refused or harmless; in the weights it is another weight.
        for at in 0..whole.len().min(2000) {
            let mut spoiled = whole.clone();
            spoiled[at] ^= 1 << (at % 8);
            let _ = load(spoiled);
        }
        let mut wider = small();
        wider.mar.width = 32;
        let other = from_bytes(Generator::new(&wider, 2, &device), whole, place);
        assert!(other.is_err(), "weights of another size");
    }
}
