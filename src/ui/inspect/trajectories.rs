//! The trajectories of one token, taken out of the large maps.

use crate::rl::select::uncertainty;

/// States of one token over the diffusion steps: `[states][channels]`, from noise to the finished latent.
pub type States = Vec<Vec<f32>>;

/// The S extra trajectories of `token` from the map `trajectories`,
/// `[pictures, S, diffusion steps + 1, tokens, channels]`.
///
/// # Errors
/// A sentence if the shape is another one or does not hold the token.
pub fn extra(
    shape: &[usize],
    values: &[f32],
    (picture, token): (usize, usize),
) -> Result<Vec<States>, String> {
    let &[pictures, count, states, tokens, channels] = shape else {
        return Err(wrong("trajectories", shape));
    };
    if picture >= pictures || token >= tokens || values.len() != shape.iter().product::<usize>() {
        return Err(wrong("trajectories", shape));
    }
    let of = |number: usize| {
        let first = (picture * count + number) * states;
        (first..first + states).map(|state| row(values, state * tokens + token, channels)).collect()
    };
    Ok((0..count).map(of).collect())
}

/// The trajectory that was sampled, from the map `sampled_trajectory`, `[pictures, diffusion steps + 1, tokens, channels]`.
/// It is NaN where the AR step that predicted the token was not trained and so not kept.
///
/// # Errors
/// As [`extra`].
pub fn sampled(shape: &[usize], values: &[f32], (picture, token): (usize, usize)) -> Result<States, String> {
    let &[pictures, states, tokens, channels] = shape else { return Err(wrong("sampled_trajectory", shape)) };
    if picture >= pictures || token >= tokens || values.len() != shape.iter().product::<usize>() {
        return Err(wrong("sampled_trajectory", shape));
    }
    let first = picture * states;
    Ok((first..first + states).map(|state| row(values, state * tokens + token, channels)).collect())
}

/// Numbers of `token` over the trained diffusion steps, from a map
/// `[pictures, trained AR steps, tokens, trained diffusion steps]`.
///
/// # Errors
/// As [`extra`].
pub fn over_diffusion(
    (name, shape): (&str, &[usize]),
    values: &[f32],
    (picture, plane, token): (usize, usize, usize),
) -> Result<Vec<f32>, String> {
    let &[pictures, planes, tokens, steps] = shape else { return Err(wrong(name, shape)) };
    let inside = picture < pictures && plane < planes && token < tokens;
    if !inside || values.len() != shape.iter().product::<usize>() {
        return Err(wrong(name, shape));
    }
    Ok(row(values, (picture * planes + plane) * tokens + token, steps))
}

fn row(values: &[f32], number: usize, length: usize) -> Vec<f32> {
    values.get(number * length..(number + 1) * length).map(<[f32]>::to_vec).unwrap_or_default()
}

fn wrong(name: &str, shape: &[usize]) -> String {
    format!("The map {name} has shape {shape:?}, which does not hold this token; the record is damaged.")
}

/// Standard deviation over the trajectories at each state, mean over channels: the uncertainty at the last one.
#[must_use]
pub fn spread(extra: &[States]) -> Vec<f32> {
    let states = extra.first().map_or(0, Vec::len);
    let at = |state: usize| {
        let latents: Vec<&[f32]> = extra.iter().filter_map(|t| t.get(state)).map(Vec::as_slice).collect();
        let channels = latents.first().map_or(0, |latent| latent.len());
        if channels == 0 {
            f32::NAN
        } else {
            uncertainty(&latents, channels).first().copied().unwrap_or(f32::NAN)
        }
    };
    (0..states).map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_found_where_the_recorder_put_it() {
        let shape = [2, 3, 4, 5, 2];
        let values: Vec<f32> = (0..240).map(|v| v as f32).collect();
        let found = extra(&shape, &values, (1, 3)).unwrap();
        for (s, states) in found.iter().enumerate() {
            for (t, latent) in states.iter().enumerate() {
                let first = (((3 + s) * 4 + t) * 5 + 3) as f32 * 2.0;
                assert_eq!(*latent, [first, first + 1.0]);
            }
        }
        let single = sampled(&[2, 4, 5, 2], &values[..80], (1, 3)).unwrap();
        assert_eq!(single[2], [66.0, 67.0]);
        let kl = over_diffusion(("kl", &[2, 3, 5, 4]), &values[..120], (1, 2, 4)).unwrap();
        assert_eq!(kl, [116.0, 117.0, 118.0, 119.0]);
        assert!(extra(&shape, &values, (2, 0)).unwrap_err().contains("trajectories"));
        assert!(sampled(&shape, &values, (0, 0)).is_err() && extra(&shape, &values[1..], (0, 0)).is_err());
    }

    #[test]
    fn the_spread_ends_at_the_uncertainty() {
        let trajectories = [vec![vec![0.0, 0.0], vec![1.0, 4.0]], vec![vec![0.0, 0.0], vec![3.0, 4.0]]];
        assert_eq!(spread(&trajectories), [0.0, 0.5]);
        assert_eq!(spread(&trajectories)[1], uncertainty(&[&[1.0, 4.0], &[3.0, 4.0]], 2)[0]);
        assert!(spread(&[vec![vec![f32::NAN]], vec![vec![1.0]]])[0].is_nan());
        assert!(spread(&[]).is_empty());
    }
}
