//! Two-dimensional sine-cosine positions of the image tokens.

/// `[side * side, width]` in row-major token order: a quarter of the channels each for sin x, cos x, sin y, cos y, with
/// frequencies `100^(-i / (width / 4))`: a grid of 8 to 32 tokens a side needs no longer waves.
#[must_use]
pub fn sin_cos_2d(side: usize, width: usize) -> Vec<f32> {
    let quarter = width / 4;
    let frequency = |i: usize| 100f32.powf(-(i as f32) / quarter as f32);
    let mut table = Vec::with_capacity(side * side * width);
    for y in 0..side {
        for x in 0..side {
            for (position, function) in
                [(x, f32::sin as fn(f32) -> f32), (x, f32::cos), (y, f32::sin), (y, f32::cos)]
            {
                table.extend((0..quarter).map(|i| function(position as f32 * frequency(i))));
            }
        }
    }
    table
}
