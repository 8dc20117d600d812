//! Properties of prompts, tokens, scenes and verdicts that hold for every caption and seed.

use chacha20::ChaCha8Rng;
use marscope::world::draw::draw;
use marscope::world::families::Family;
use marscope::world::prompt::{Caption, EXAMPLE, Link, ObjectSpec};
use marscope::world::reward::{Verdict, Verifier};
use marscope::world::sampler::{Split, is_held_out, sample_caption, sample_mixture, sample_scene};
use marscope::world::scene::{Colour, Object, Relation, Scene, Shape};
use marscope::world::tokenizer::{SLOTS, UNCONDITIONAL, VOCAB, WORDS, decode, encode};
use proptest::array::uniform6;
use proptest::option;
use proptest::prelude::{ProptestConfig, Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest};
use proptest::sample::select;
use rand::{RngExt, SeedableRng};

fn object() -> impl Strategy<Value = ObjectSpec> {
    (option::of(select(&Colour::ALL[..])), select(&Shape::ALL[..]))
        .prop_map(|(colour, shape)| ObjectSpec { colour, shape })
}

fn any_caption() -> impl Strategy<Value = Caption> {
    let link = option::of(select(&Relation::ALL[..])).prop_map(|r| r.map_or(Link::And, Link::Relation));
    prop_oneof![
        (1_u8..=4, object()).prop_map(|(count, object)| Caption::Count { count, object }),
        (object(), link, object()).prop_map(|(first, link, second)| Caption::Pair { first, link, second }),
    ]
}

/// Words of the grammar and a few outside it, so that random prompts get past the first word.
fn words() -> impl Strategy<Value = String> {
    let word = select(
        "a an the one two 3 five red orange circle squares stars and left right of to on top above under rad . photo é"
            .split(' ')
            .collect::<Vec<_>>(),
    );
    proptest::collection::vec(word, 0..9).prop_map(|words| words.join(" "))
}

/// A caption of `family` with its scene.
fn scene(seed: u64, family: Family) -> (ChaCha8Rng, Caption, Scene) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let caption = sample_caption(&mut rng, family, Split::Train);
    let scene = sample_scene(&mut rng, &caption);
    (rng, caption, scene)
}

fn near(a: Option<f32>, b: Option<f32>) -> bool {
    a.zip(b).is_none_or(|(a, b)| (a - b).abs() < 0.05)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    #[test]
    fn prompts_survive_the_round_trip(caption in any_caption()) {
        prop_assert_eq!(Caption::parse(&caption.to_string()).unwrap(), caption);
        let shouted = format!("  A Photo  of {} . ", caption.to_string().to_uppercase());
        prop_assert_eq!(Caption::parse(&shouted).unwrap(), caption);
        let stored = serde_json::to_string(&caption).unwrap();
        prop_assert_eq!(serde_json::from_str::<Caption>(&stored).unwrap(), caption);
    }

    #[test]
    fn tokens_survive_the_round_trip(caption in any_caption()) {
        let ids = encode(&caption);
        prop_assert_eq!(decode(ids), Some(caption));
        prop_assert!(ids != UNCONDITIONAL && ids.iter().all(|&id| usize::from(id) < VOCAB));
        let words: Vec<&str> = ids.iter().map(|&id| WORDS[usize::from(id)]).collect();
        for object in caption.objects_asked() {
            prop_assert!(words.contains(&object.shape.name()));
            prop_assert!(words.contains(&object.colour.map_or("any colour", Colour::name)));
        }
    }

    #[test]
    fn any_ids_decode_to_their_caption_or_none(ids in any::<[u8; SLOTS]>(), small in uniform6(0_u8..26)) {
        for ids in [ids, small] {
            prop_assert!(decode(ids).is_none_or(|caption| encode(&caption) == ids));
        }
    }

    #[test]
    fn any_text_is_a_caption_or_a_sentence(text in any::<String>(), words in words()) {
        for prompt in [text, words] {
            match Caption::parse(&prompt) {
                Ok(caption) => prop_assert_eq!(Caption::parse(&caption.to_string()).unwrap(), caption),
                Err(error) => {
                    let sentence = error.to_string();
                    prop_assert!(sentence.starts_with("the prompt \"") && sentence.ends_with(EXAMPLE), "{sentence}");
                    prop_assert!(!sentence.contains('\n') && sentence.chars().count() < 1200, "{sentence}");
                }
            }
        }
    }

    #[test]
    fn equivalent_captions_share_a_side(caption in any_caption()) {
        if let Caption::Pair { first, link, second } = caption {
            let link = match link {
                Link::And => Link::And,
                Link::Relation(relation) => Link::Relation(relation.opposite()),
            };
            let mirrored = Caption::Pair { first: second, link, second: first };
            prop_assert_eq!(mirrored.canonical(), caption.canonical());
            prop_assert_eq!(is_held_out(&mirrored), is_held_out(&caption));
        }
        prop_assert_eq!(caption.canonical().canonical(), caption.canonical());
    }

    #[test]
    fn a_drawn_scene_earns_full_reward(seed in any::<u64>()) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let caption = sample_mixture(&mut rng, Split::Train);
        let scene = sample_scene(&mut rng, &caption);
        prop_assert!(scene.objects.iter().all(Object::is_inside), "{scene:?}");
        let verdict = Verifier.verify(&draw(&scene), &caption);
        prop_assert!(verdict.exact && verdict.mean > 0.95, "{caption}: {verdict:?}");
    }

    #[test]
    fn swapping_the_objects_loses_the_relation_alone(seed in any::<u64>()) {
        let (_, caption, mut scene) = scene(seed, Family::Position);
        let before = Verifier.verify(&draw(&scene), &caption);
        let [first, second] = scene.objects.as_mut_slice() else { panic!("a pair") };
        (first.x, second.x) = (second.x, first.x);
        (first.y, second.y) = (second.y, first.y);
        let Verdict { colour, shape, count, relation, exact, .. } = Verifier.verify(&draw(&scene), &caption);
        prop_assert!(near(colour, before.colour) && near(shape, before.shape) && near(count, before.count));
        prop_assert!(relation.unwrap() < 0.01 && !exact, "{caption}: {relation:?}");
    }

    /// A wrong colour halves the colour part and the quality of that object, to which count and relation are
    /// tied.
    #[test]
    fn recolouring_an_object_loses_the_colour(seed in any::<u64>(), position in any::<bool>()) {
        let family = if position { Family::Position } else { Family::ColourAttribution };
        let (mut rng, caption, mut scene) = scene(seed, family);
        let before = Verifier.verify(&draw(&scene), &caption);
        let step = rng.random_range(1..8);
        let first = &mut scene.objects[0];
        first.colour = Colour::ALL[(first.colour as usize + step) % 8];
        let after = Verifier.verify(&draw(&scene), &caption);
        prop_assert!(after.colour.unwrap() < 0.55 && !after.exact, "{caption}: {after:?}");
        prop_assert!(near(after.shape, before.shape), "{caption}: {after:?}");
        prop_assert!((0.70..0.80).contains(&after.count.unwrap()), "{caption}: {after:?}");
        prop_assert!(after.relation.is_none_or(|relation| (0.65..0.75).contains(&relation)), "{caption}: {after:?}");
    }

    #[test]
    fn a_wrong_shape_loses_the_shape(seed in any::<u64>(), step in 1_usize..6) {
        let (_, caption, mut scene) = scene(seed, Family::Colours);
        let before = Verifier.verify(&draw(&scene), &caption);
        let object = &mut scene.objects[0];
        object.shape = Shape::ALL[(object.shape as usize + step) % 6];
        let after = Verifier.verify(&draw(&scene), &caption);
        prop_assert!(near(after.colour, before.colour) && after.shape.unwrap() < 0.05, "{caption}: {after:?}");
    }
}
