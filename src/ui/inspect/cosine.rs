//! The cosine similarity of a token to its final latent over the AR steps, rebuilt from the recorded gains.

use super::facts::TokenFacts;

/// For each trained AR step the cosine of the token's denoised latent to its final latent.
///
/// At the AR step that predicts the token the denoised latent is the final one, so the cosine is 1 there, and a gain is the
/// difference of two neighbours. `None` where a step in between was not trained or has no gain: the chain is broken.
#[must_use]
pub fn cosines(token: &TokenFacts) -> Vec<Option<f64>> {
    let steps = &token.steps;
    let mut cosines = vec![None; steps.len()];
    let Some(start) = steps.iter().position(|step| Some(step.ar_step) == token.order) else { return cosines };
    cosines[start] = Some(1.0);
    for plane in start + 1..steps.len() {
        let neighbours = steps[plane].ar_step == steps[plane - 1].ar_step + 1;
        let gain = steps[plane].gain.filter(|_| neighbours);
        cosines[plane] = cosines[plane - 1].zip(gain).map(|(before, gain)| before + f64::from(gain));
    }
    for plane in (0..start).rev() {
        let neighbours = steps[plane + 1].ar_step == steps[plane].ar_step + 1;
        let gain = steps[plane + 1].gain.filter(|_| neighbours);
        cosines[plane] = cosines[plane + 1].zip(gain).map(|(after, gain)| after - f64::from(gain));
    }
    cosines
}

#[cfg(test)]
mod tests {
    use super::super::facts::{Decision, StepFacts, Why};
    use super::*;

    fn token(order: usize, steps: &[(usize, Option<f32>)]) -> TokenFacts {
        let steps = steps.iter().map(|(ar_step, gain)| StepFacts {
            ar_step: *ar_step,
            gain: *gain,
            decision: Decision::Kept(Why::Gain),
            loss_share: None,
            kl: None,
        });
        let steps = steps.collect();
        let (uncertainty, rank, within_share, multi) = (None, None, None, None);
        TokenFacts { token: 0, order: Some(order), uncertainty, rank, within_share, multi, steps }
    }

    #[test]
    fn gains_add_up_to_one_where_the_token_is_predicted() {
        let chain = token(2, &[(0, None), (1, Some(0.5)), (2, Some(0.25)), (3, Some(-0.125))]);
        assert_eq!(cosines(&chain), [Some(0.25), Some(0.75), Some(1.0), Some(0.875)]);
    }

    #[test]
    fn a_step_that_was_not_trained_breaks_the_chain() {
        let broken = token(3, &[(0, None), (2, Some(0.5)), (3, Some(0.25)), (5, Some(0.1))]);
        assert_eq!(cosines(&broken), [None, Some(0.75), Some(1.0), None]);
        assert_eq!(
            cosines(&token(4, &[(0, None), (2, Some(0.5))])),
            [None, None],
            "its own step was not trained"
        );
    }
}
