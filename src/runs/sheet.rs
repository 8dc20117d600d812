//! What a run did to its pictures, on one sheet.

use super::event::GroupRecord;
use super::media::read_picture;
use super::store::RunStore;
use crate::error::{Error, Result};
use crate::world::image::{Rgb8, contact_sheet};

/// The pictures of the first recorded group above those of the last, with the steps of the two. Their noise differs: these
/// are the pictures that were trained on.
///
/// # Errors
/// [`Error::Config`] if no group is recorded, [`Error::Io`] or [`Error::Format`] if a picture cannot be read.
pub fn first_and_last(store: &RunStore, scale: usize) -> Result<(usize, usize, Rgb8)> {
    let (Some((first, before)), Some((last, after))) = (store.groups().first(), store.groups().last()) else {
        return Err(Error::Config(format!("{} has no recorded pictures", store.path().display())));
    };
    let row = |group: &GroupRecord| -> Result<Vec<Rgb8>> {
        let read = group.pictures.iter().map(|picture| read_picture(store.path(), picture.png));
        read.map(|image| image.map(|image| image.upscaled(scale))).collect()
    };
    let mut images = row(before)?;
    let columns = images.len().max(1);
    images.extend(row(after)?);
    Ok((*first, *last, contact_sheet(&images, columns, 2)?))
}
