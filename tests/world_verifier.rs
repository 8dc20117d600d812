//! What the verifier must give: nearly everything to the truth, nearly nothing to anything else.

#![expect(clippy::unwrap_used, reason = "helpers of tests may fail like tests")]

use chacha20::ChaCha8Rng;
use marscope::world::draw::draw;
use marscope::world::families::Family;
use marscope::world::image::Rgb8;
use marscope::world::prompt::Caption;
use marscope::world::reward::{self, RewardSet, Verdict, Verifier};
use marscope::world::sampler::{Split, sample_caption, sample_mixture, sample_scene};
use marscope::world::scene::Scene;
use rand::{Rng, RngExt, SeedableRng};

const SCENES: usize = 2000;

/// Calls `visit` with a generator, a caption of the family, its scene and its picture.
fn for_scenes(family: Family, mut visit: impl FnMut(&mut ChaCha8Rng, Caption, &Scene, &Rgb8)) {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    for i in 0..SCENES {
        let split = if i % 2 == 0 { Split::Train } else { Split::HeldOut };
        let caption = sample_caption(&mut rng, family, split);
        let scene = sample_scene(&mut rng, &caption);
        let picture = draw(&scene);
        visit(&mut rng, caption, &scene, &picture);
    }
}

fn mean(values: &[f32]) -> f32 {
    values.iter().sum::<f32>() / values.len() as f32
}

fn noise(rng: &mut impl Rng, side: usize) -> Rgb8 {
    let mut pixels = vec![0; 3 * side * side];
    rng.fill_bytes(&mut pixels);
    Rgb8::new(side, side, pixels).unwrap()
}

fn caption(prompt: &str) -> Caption {
    Caption::parse(prompt).unwrap()
}

#[test]
fn truth_earns_nearly_all() {
    for family in Family::ALL {
        let mut means = Vec::new();
        for_scenes(family, |_, caption, scene, picture| {
            let verdict = Verifier.verify(picture, &caption);
            assert!(verdict.exact, "{caption}: {verdict:?} {scene:?}");
            assert!(verdict.mean > 0.95 && verdict.legibility > 0.9, "{caption}: {verdict:?}");
            means.push(verdict.mean);
        });
        assert!(mean(&means) >= 0.985, "{family}: {}", mean(&means));
    }
}

/// A picture contradicts a caption of its own family if no object in it has an asked shape or an asked
/// colour, and, for counting, the number differs too. (Without the condition a caption that shares a shape
/// rightly earns for it.)
#[test]
fn contradicting_captions_earn_nearly_nothing() {
    for family in Family::ALL {
        let mut means = Vec::new();
        for_scenes(family, |rng, drawn, scene, picture| {
            let contradicts = |other: &Caption| {
                let differs = family != Family::Counting || other.count() != drawn.count();
                differs
                    && other.objects_asked().iter().all(|asked| {
                        (scene.objects.iter())
                            .all(|o| o.shape != asked.shape && asked.colour != Some(o.colour))
                    })
            };
            let other = std::iter::repeat_with(|| sample_caption(rng, family, Split::Train))
                .find(contradicts)
                .unwrap();
            let verdict = Verifier.verify(picture, &other);
            assert!(!verdict.exact, "{drawn} taken for {other}");
            means.push(verdict.mean);
        });
        assert!(mean(&means) <= 0.01, "{family}: {}", mean(&means));
    }
}

/// The prototype's measure: any other caption of the mixture, which may share a shape, a colour or the
/// number.
#[test]
fn other_captions_earn_little() {
    let mut rng = ChaCha8Rng::seed_from_u64(12);
    let mut means = Vec::new();
    while means.len() < 2 * SCENES {
        let [drawn, asked] = [(); 2].map(|()| sample_mixture(&mut rng, Split::Train));
        if drawn.canonical() != asked.canonical() {
            let picture = draw(&sample_scene(&mut rng, &drawn));
            means.push(Verifier.verify(&picture, &asked).mean);
        }
    }
    assert!(mean(&means) <= 0.15, "{}", mean(&means));
}

#[test]
fn noise_earns_nothing() {
    let mut rng = ChaCha8Rng::seed_from_u64(13);
    for family in Family::ALL {
        let mut means = Vec::new();
        for _ in 0..200 {
            let caption = sample_caption(&mut rng, family, Split::Train);
            let colour_noise = noise(&mut rng, 64);
            let mut grey_noise = colour_noise.clone();
            for pixel in grey_noise.pixels.chunks_exact_mut(3) {
                pixel.fill(pixel[0]);
            }
            for picture in [colour_noise, grey_noise] {
                let verdict = Verifier.verify(&picture, &caption);
                assert!(!verdict.exact && verdict.legibility < 0.1, "{verdict:?}");
                means.push(verdict.mean);
            }
        }
        assert!(mean(&means) <= 0.05, "{family}: {}", mean(&means));
    }
}

#[test]
fn odd_pictures_are_judged_without_panic() {
    let mut rng = ChaCha8Rng::seed_from_u64(14);
    let mut pictures = Vec::new();
    for grey in [0, 1, 127, 242, 255] {
        for (width, height) in [(0, 0), (1, 1), (1, 64), (2, 2), (3, 5), (64, 64), (4000, 3), (1500, 1200)] {
            pictures.push(Rgb8::filled(width, height, [grey; 3]));
        }
    }
    for side in [1, 2, 3, 4, 7, 65, 255, 257, 900] {
        pictures.push(noise(&mut rng, side));
    }
    for family in Family::ALL {
        let caption = sample_caption(&mut rng, family, Split::Train);
        for picture in &pictures {
            let verdict = Verifier.verify(picture, &caption);
            // Noise averaged down from 257 or 900 pixels has blotches of nearly one colour, hence not quite
            // nothing.
            let bound = if picture.pixels.iter().all(|&byte| byte == picture.pixels[0]) { 1e-6 } else { 0.2 };
            assert!(
                verdict.mean.is_finite() && verdict.mean <= bound && !verdict.exact,
                "{caption}: {verdict:?}"
            );
        }
    }
    let caption = caption("a circle");
    for picture in &pictures {
        for reward in reward::all() {
            assert!(
                reward.score(picture, &caption).is_finite(),
                "{} of {}",
                reward.name(),
                picture.pixels.len()
            );
        }
    }
}

/// A decoder blurs and adds a little noise: that must cost little, or the verifier would judge the decoder.
#[test]
fn soft_pictures_still_read() {
    let mut rng = ChaCha8Rng::seed_from_u64(18);
    for family in Family::ALL {
        let verdicts: Vec<Verdict> = (0..300)
            .map(|_| {
                let caption = sample_caption(&mut rng, family, Split::Train);
                let picture = draw(&sample_scene(&mut rng, &caption));
                Verifier.verify(&softened(&picture, &mut rng), &caption)
            })
            .collect();
        let means: Vec<f32> = verdicts.iter().map(|verdict| verdict.mean).collect();
        let exact = verdicts.iter().filter(|verdict| verdict.exact).count();
        assert!(mean(&means) > 0.9 && exact >= 298, "{family}: mean {}, exact {exact}", mean(&means));
    }
}

/// Each pixel mixed with its four neighbours (half its own), plus uniform noise of +-0.06 a channel.
fn softened(picture: &Rgb8, rng: &mut impl Rng) -> Rgb8 {
    let mut soft = picture.clone();
    let last = picture.width - 1;
    for y in 0..picture.height {
        for x in 0..picture.width {
            let around =
                [(x.max(1) - 1, y), ((x + 1).min(last), y), (x, y.max(1) - 1), (x, (y + 1).min(last))];
            let mixed = [0, 1, 2].map(|channel| {
                let sum: u32 = around.iter().map(|&(x, y)| u32::from(picture.pixel(x, y)[channel])).sum();
                let mean = f32::from(picture.pixel(x, y)[channel]) / 2.0 + sum as f32 / 8.0;
                (mean + rng.random_range(-15.0..15.0_f32)).round() as u8
            });
            soft.set_pixel(x, y, mixed);
        }
    }
    soft
}

#[test]
fn a_wrong_number_costs_the_count() {
    let mut rng = ChaCha8Rng::seed_from_u64(15);
    for (drawn, asked) in
        [("two red circles", "three red circles"), ("four stars", "three stars"), ("a cross", "two crosses")]
    {
        let picture = draw(&sample_scene(&mut rng, &caption(drawn)));
        let verdict = Verifier.verify(&picture, &caption(asked));
        let count = verdict.count.unwrap();
        assert!(
            (count - 0.22).abs() < 0.02 && verdict.shape.unwrap() > 0.95 && !verdict.exact,
            "{verdict:?}"
        );
    }
}

#[test]
fn parts_apply_where_they_are_asked() {
    let picture = Rgb8::filled(64, 64, [20; 3]);
    let applies = |prompt: &str| {
        let verdict = Verifier.verify(&picture, &caption(prompt));
        [verdict.colour, verdict.shape, verdict.count, verdict.relation].map(|part| part.is_some())
    };
    assert_eq!(applies("a circle"), [false, true, true, false]);
    assert_eq!(applies("three red stars"), [true, true, true, false]);
    assert_eq!(applies("a circle and a square"), [false, true, true, false]);
    assert_eq!(applies("a red circle and a square"), [true, true, true, false]);
    assert_eq!(applies("a ring above a cross"), [false, true, true, true]);
}

#[test]
fn objects_described_alike_are_told_apart_by_the_relation() {
    let mut rng = ChaCha8Rng::seed_from_u64(16);
    for prompt in [
        "a star left of a star",
        "a star right of a star",
        "a star above a star",
        "a red ring below a red ring",
    ] {
        let picture = draw(&sample_scene(&mut rng, &caption(prompt)));
        assert!(Verifier.verify(&picture, &caption(prompt)).exact, "{prompt}");
    }
}

#[test]
fn reward_sets_add_up_and_explain_themselves() {
    let mut rng = ChaCha8Rng::seed_from_u64(17);
    let asked = caption("a red circle");
    let picture = draw(&sample_scene(&mut rng, &asked));
    let set: RewardSet = " verifier , jpeg_small=0.2, redness = -1 ".parse().unwrap();
    let breakdown = set.score(&picture, &asked);
    let [verifier, jpeg, redness] = breakdown.parts.as_slice() else { panic!("{breakdown:?}") };
    assert!((breakdown.total - (verifier.score + 0.2 * jpeg.score - redness.score)).abs() < 1e-6);
    assert!(verifier.score > 0.95 && jpeg.score < -0.5 && redness.score > 0.0, "{breakdown:?}");
    assert_eq!(
        set.to_string().parse::<RewardSet>().unwrap().to_string(),
        "verifier=1,jpeg_small=0.2,redness=-1"
    );

    for (text, part) in [
        ("", "names nothing"),
        ("verifer", r#"did you mean "verifier""#),
        ("clip", "The rewards are verifier,"),
        ("verifier=x", r#"the weight "x" is not a number"#),
        ("verifier=inf", r#"the weight "inf" is not a number"#),
        ("redness,redness=2", "named twice"),
    ] {
        let sentence = text.parse::<RewardSet>().unwrap_err().to_string();
        assert!(sentence.contains(part), "{sentence}");
    }
    for reward in reward::all() {
        assert!(reward.name().parse::<RewardSet>().is_ok());
    }
}
