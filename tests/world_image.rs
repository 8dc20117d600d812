//! Pictures: files, sheets, sizes, and what is said when they are wrong.

use std::fs;

use marscope::world::draw::draw;
use marscope::world::image::{Rgb8, contact_sheet};
use marscope::world::scene::{Colour, Object, Scene, Shape};

fn picture(x: f32) -> Rgb8 {
    let object = Object { shape: Shape::Star, colour: Colour::Cyan, x, y: 30.0, radius: 12.0 };
    draw(&Scene { background: [0.1; 3], objects: vec![object] })
}

#[test]
fn png_files_survive_the_round_trip_and_leave_nothing_beside_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("star.png");
    picture(20.0).write_png(&path).unwrap();
    picture(40.0).write_png(&path).unwrap();
    assert_eq!(Rgb8::read_png(&path).unwrap(), picture(40.0));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn wrong_files_and_pictures_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing.png");
    assert!(Rgb8::read_png(&missing).unwrap_err().to_string().starts_with("cannot read "));
    let broken = folder.path().join("broken.png");
    fs::write(&broken, "not a picture").unwrap();
    assert!(Rgb8::read_png(&broken).unwrap_err().to_string().contains("not a readable PNG or JPEG picture"));
    let mut cut = picture(20.0).to_png().unwrap();
    cut.truncate(cut.len() / 2);
    fs::write(&broken, cut).unwrap();
    assert!(Rgb8::read_png(&broken).is_err());
    assert!(picture(20.0).write_png(&folder.path().join("no/such/folder.png")).is_err());

    assert!(Rgb8::new(2, 2, vec![0; 11]).unwrap_err().to_string().contains("2 x 2 pixels"));
    assert!(Rgb8::new(usize::MAX, usize::MAX, Vec::new()).is_err());
    assert!(Rgb8::filled(0, 0, [0; 3]).to_png().is_err());
}

/// A PNG that claims 60,000 x 60,000 pixels must be refused before memory is taken for it.
#[test]
fn huge_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("huge.png");
    let mut bytes = picture(20.0).to_png().unwrap();
    let side = 60_000_u32.to_be_bytes();
    bytes[16..20].copy_from_slice(&side);
    bytes[20..24].copy_from_slice(&side);
    let crc = crc32(&bytes[12..29]).to_be_bytes();
    bytes[29..33].copy_from_slice(&crc);
    fs::write(&path, bytes).unwrap();
    let sentence = Rgb8::read_png(&path).unwrap_err().to_string();
    assert!(sentence.contains("at most 64 megapixels"), "{sentence}");
}

/// The checksum of PNG chunks.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _: u32| if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(u32::MAX, |crc, &byte| (0..8).fold(crc ^ u32::from(byte), step))
}

#[test]
fn sheets_keep_every_picture() {
    let pictures = [picture(20.0), picture(30.0), picture(40.0)];
    let sheet = contact_sheet(&pictures, 2, 3).unwrap();
    assert_eq!((sheet.width, sheet.height), (131, 131));
    assert_eq!(sheet.pixel(67 + 30, 30), pictures[1].pixel(30, 30));
    assert_eq!(sheet.pixel(40, 67 + 30), pictures[2].pixel(40, 30));
    assert_eq!([sheet.pixel(65, 10), sheet.pixel(100, 100)], [[255; 3]; 2]);

    assert!(contact_sheet(&[], 2, 3).unwrap_err().to_string().contains("at least one picture"));
    let unequal = [picture(20.0), Rgb8::filled(2, 2, [0; 3])];
    assert!(contact_sheet(&unequal, 2, 3).unwrap_err().to_string().contains("2 x 2"));
    assert!(contact_sheet(&pictures, 2, usize::MAX).is_err());
    assert!(contact_sheet(&pictures, 0, 0).is_ok());
}

#[test]
fn enlarging_repeats_pixels() {
    let small = Rgb8::new(2, 1, vec![1, 2, 3, 4, 5, 6]).unwrap();
    let large = small.upscaled(3);
    assert_eq!((large.width, large.height), (6, 3));
    assert_eq!([large.pixel(2, 2), large.pixel(3, 0)], [[1, 2, 3], [4, 5, 6]]);
    assert_eq!(small.upscaled(0), small);
    assert_eq!(Rgb8::filled(0, 0, [0; 3]).upscaled(4).pixels.len(), 0);
}

#[test]
fn smooth_pictures_make_smaller_jpegs() {
    let smooth = Rgb8::filled(64, 64, [20; 3]);
    assert!(smooth.jpeg_bytes(75) < picture(20.0).jpeg_bytes(75));
    assert_eq!(Rgb8::filled(0, 0, [0; 3]).jpeg_bytes(75), 0);
}

#[test]
fn scenes_of_any_numbers_are_drawn() {
    for [x, y, radius] in
        [[f32::NAN, 1.0, 5.0], [1e30, -1e30, 5.0], [32.0, 32.0, 1e9], [32.0, 32.0, 0.0], [32.0, 32.0, -4.0]]
    {
        for shape in Shape::ALL {
            let object = Object { shape, colour: Colour::Red, x, y, radius };
            let drawn = draw(&Scene { background: [0.1; 3], objects: vec![object] });
            assert_eq!(drawn.pixels.len(), 3 * 64 * 64);
        }
    }
}
