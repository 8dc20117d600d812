//! Consistency-aware selection: which tokens came closer to the final latent in an AR step (paper-facts 3.6).

/// AR steps before this one (counted from 0) are never masked.
pub const FIRST_MASKED_AR_STEP: usize = 2;

/// `cos(current, last) - cos(previous, last)` for each token. A latent that is exactly zero has the cosine 0.
///
/// # Shapes
/// - `previous`, `current`, `last`: `[tokens * channels]`, the denoised latents of all tokens at the AR step before, at this
///   one, and at the end
/// - output: `[tokens]`
#[must_use]
pub fn cosine_gain(previous: &[f32], current: &[f32], last: &[f32], channels: usize) -> Vec<f32> {
    let tokens = last.len() / channels;
    let token = |latents: &[f32], t: usize| cosine(&latents[t * channels..], &last[t * channels..], channels);
    (0..tokens).map(|t| (token(current, t) - token(previous, t)) as f32).collect()
}

fn cosine(a: &[f32], b: &[f32], channels: usize) -> f64 {
    let (mut dot, mut aa, mut bb) = (0.0f64, 0.0f64, 0.0f64);
    for (x, y) in a.iter().zip(b).take(channels) {
        let (x, y) = (f64::from(*x), f64::from(*y));
        dot += x * y;
        aa += x * x;
        bb += y * y;
    }
    // PyTorch's cosine_similarity floors each norm.
    dot / (aa.sqrt().max(1e-8) * bb.sqrt().max(1e-8))
}

/// Whether a token's policy term is kept: its gain is above `tau`, or this step predicts it, or the step is one of the
/// first two. A gain of NaN is not above anything.
#[must_use]
pub fn is_kept(gain: f32, tau: f64, ar_step: usize, predicted_now: bool) -> bool {
    ar_step < FIRST_MASKED_AR_STEP || predicted_now || f64::from(gain) > tau
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_two_steps_and_predicted_tokens_are_kept() {
        assert!(is_kept(-1.0, 0.0, 0, false) && is_kept(-1.0, 0.0, 1, false));
        assert!(!is_kept(-1.0, 0.0, 2, false) && is_kept(-1.0, 0.0, 2, true));
        assert!(!is_kept(0.0, 0.0, 2, false), "strictly above tau");
        assert!(!is_kept(f32::NAN, 0.0, 5, false));
    }
}
