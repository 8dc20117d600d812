//! Between pictures in bytes and image tensors.

use burn::tensor::{Device, Tensor, TensorData};

use crate::error::{Error, Result};
use crate::world::image::Rgb8;

/// `[images, height, width, 3]`, values 0 to 1.
///
/// # Errors
/// [`Error::Config`] if the list is empty or the pictures differ in size.
pub fn to_tensor(images: &[Rgb8], device: &Device) -> Result<Tensor<4>> {
    let first = images.first().ok_or_else(|| Error::Config("there are no pictures to encode".into()))?;
    let (width, height) = (first.width, first.height);
    let mut values = Vec::with_capacity(images.len() * 3 * width * height);
    for image in images {
        if (image.width, image.height) != (width, height) {
            return Err(Error::Config(format!(
                "pictures of {width} x {height} and {} x {} pixels cannot share a batch",
                image.width, image.height
            )));
        }
        values.extend(image.pixels.iter().map(|v| f32::from(*v) / 255.0));
    }
    Ok(Tensor::from_data(TensorData::new(values, [images.len(), height, width, 3]), device))
}

/// Pictures of an image tensor; values are clamped to 0..1 and rounded to bytes, NaN becomes 0.
///
/// # Shapes
/// - `images`: `[batch, height, width, 3]`
///
/// # Errors
/// [`Error::Device`] if the tensor cannot be read back.
pub fn to_images(images: Tensor<4>) -> Result<Vec<Rgb8>> {
    let [_, height, width, _] = images.dims();
    let values: Vec<f32> = images
        .try_into_vec_as()
        .map_err(|error| Error::Device(format!("the pictures could not be read from the device: {error}")))?;
    values
        .chunks_exact(3 * width * height)
        .map(|chunk| {
            let bytes = chunk.iter().map(|v| (v.clamp(0.0, 1.0) * 255.0).round() as u8).collect();
            Rgb8::new(width, height, bytes)
        })
        .collect()
}
