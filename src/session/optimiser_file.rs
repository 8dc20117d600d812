//! An optimiser's state as a safetensors file, with facts beside it.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use burn::tensor::TensorData;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};

use crate::error::{Error, Result};
use crate::rl::optim::OptimRecord;

/// The bytes of the file; `place` is for messages.
///
/// # Errors
/// [`Error::Format`] if the state has no such form.
pub(super) fn to_bytes(
    record: &OptimRecord,
    facts: BTreeMap<String, String>,
    place: &Path,
) -> Result<Vec<u8>> {
    let mut metadata: HashMap<String, String> = facts.into_iter().collect();
    metadata.extend(record.scalars.iter().map(|(name, value)| (format!("scalar:{name}"), value.to_string())));
    let views = record
        .tensors
        .iter()
        .map(|(name, data)| {
            TensorView::new(Dtype::F32, data.shape().to_vec(), data.as_bytes()).map(|view| (name, view))
        })
        .collect::<std::result::Result<Vec<_>, _>>()
        .map_err(|error| Error::format(place, format!("the optimiser's state cannot be written: {error}")))?;
    safetensors::serialize(views, Some(metadata))
        .map_err(|error| Error::format(place, format!("the optimiser's state cannot be written: {error}")))
}

/// Reads what [`to_bytes`] wrote: the state, and the facts beside it.
///
/// # Errors
/// [`Error::Format`] if it is truncated or not ours.
pub(super) fn parse(bytes: &[u8], path: &Path) -> Result<(OptimRecord, BTreeMap<String, String>)> {
    let bad = |error: safetensors::SafeTensorError| Error::format(path, format!("not a checkpoint: {error}"));
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(bad)?;
    let metadata: BTreeMap<String, String> =
        header.metadata().iter().flatten().map(|(k, v)| (k.clone(), v.clone())).collect();
    let mut record = OptimRecord::default();
    for (name, view) in SafeTensors::deserialize(bytes).map_err(bad)?.tensors() {
        if view.dtype() != Dtype::F32 {
            return Err(Error::format(path, format!("{name} is not single precision")));
        }
        let values: Vec<f32> =
            view.data().chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        record.tensors.push((name, TensorData::new(values, view.shape().to_vec())));
    }
    for (name, text) in &metadata {
        if let (Some(name), Ok(value)) = (name.strip_prefix("scalar:"), text.parse()) {
            record.scalars.push((name.to_owned(), value));
        }
    }
    Ok((record, metadata))
}
