//! Against `serde_json`, and where Python is more generous.

use proptest::prelude::{Just, Strategy, any, prop, prop_assert, prop_assert_eq, prop_oneof, proptest};
use serde_json::{Map, Value, json};

use super::{Broken, Kind, Reader};

/// Builds what `serde_json` would; numbers that JSON does not know become strings with a mark.
fn build(reader: &mut Reader) -> Result<Value, Broken> {
    Ok(match reader.kind()? {
        Kind::Object => {
            let mut map = Map::new();
            reader.object(|reader, name| {
                map.insert(name.to_owned(), build(reader)?);
                Ok(())
            })?;
            Value::Object(map)
        }
        Kind::List => {
            let mut list = Vec::new();
            reader.list(|reader| {
                list.push(build(reader)?);
                Ok(())
            })?;
            Value::Array(list)
        }
        Kind::String => Value::String(reader.string()?.into_owned()),
        Kind::Number => {
            let number = reader.number()?;
            serde_json::Number::from_f64(number).map_or_else(|| json!(format!("<{number}>")), Value::Number)
        }
        Kind::Bool => Value::Bool(reader.boolean()?),
        Kind::Null => {
            reader.skip()?;
            Value::Null
        }
    })
}

fn parse(text: &[u8]) -> Result<Value, Broken> {
    let mut reader = Reader::new(text);
    let value = build(&mut reader)?;
    reader.end()?;
    Ok(value)
}

/// Strings that look like the words this reader adds, and any others.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("NaN".to_owned()),
        Just("-Infinity, \"NaN\": NaN".to_owned()),
        any::<String>(),
        "[\\\\\"NaInfity:, ]{0,12}",
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<f64>().prop_map(|v| json!(v)),
        // serde_json keeps integers apart from floats; this reader does not.
        any::<i32>().prop_map(|v| json!(f64::from(v))),
        text().prop_map(Value::String),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::Array),
            prop::collection::vec((text(), inner), 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn reads_what_serde_json_writes(value in value(), pretty in any::<bool>()) {
        let text = if pretty { serde_json::to_vec_pretty(&value) } else { serde_json::to_vec(&value) }.unwrap();
        prop_assert_eq!(parse(&text).unwrap(), value);
        let mut reader = Reader::new(&text);
        reader.skip().unwrap();
        prop_assert_eq!(reader.at(), text.len());
    }

    #[test]
    fn any_cut_of_a_container_is_noticed(value in value(), share in 0.0..1.0_f64) {
        let text = serde_json::to_vec(&json!([value])).unwrap();
        let cut = (text.len() as f64 * share) as usize;
        let broken = parse(&text[..cut]).unwrap_err();
        // A cut inside a character of several bytes is found when the string does not end.
        prop_assert!(broken.cut && broken.at <= cut, "{broken:?}");
    }

    #[test]
    fn strings_stay_untouched(name in text(), string in text(), number in prop_oneof![
        Just(("NaN", "<NaN>")), Just(("Infinity", "<inf>")), Just(("-Infinity", "<-inf>")),
    ]) {
        let [quoted_name, quoted] = [&name, &string].map(|s| serde_json::to_string(s).unwrap());
        let line = format!("{{\"a\":[{quoted},{}],{quoted_name}: {}\t}}", number.0, number.0);
        let value = parse(line.as_bytes()).unwrap();
        prop_assert_eq!(&value[&name], &json!(number.1));
        if name != "a" {
            prop_assert_eq!(&value["a"], &json!([string, number.1]));
        }
    }

    #[test]
    fn bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        // Bytes that are near JSON get further than random ones.
        let letters = b"{}[]\",:\\u0e1-.NaIt \xC3";
        let near: Vec<u8> = bytes.iter().map(|b| letters[usize::from(*b) % letters.len()]).collect();
        for bytes in [bytes, near] {
            let mine = parse(&bytes);
            if let Ok(theirs) = serde_json::from_slice::<Value>(&bytes) {
                prop_assert_eq!(mine.is_ok(), true, "{}", theirs);
            } else if let Err(broken) = mine {
                prop_assert!(broken.at <= bytes.len());
            }
        }
    }
}

#[test]
fn takes_what_python_writes() {
    let text = r#"{"a": NaN, "b": [Infinity, -Infinity], "c": 1e999, "d": "\ud83d\ude00 \ud800!"}"#;
    let value = parse(text.as_bytes()).unwrap();
    assert_eq!(value, json!({"a": "<NaN>", "b": ["<inf>", "<-inf>"], "c": "<inf>", "d": "😀 \u{FFFD}!"}));
}

#[test]
fn faults_have_a_place_and_a_reason() {
    let fault = |text: &str| parse(text.as_bytes()).map_err(|b| (b.at, b.what, b.cut)).unwrap_err();
    assert_eq!(fault("{\"a\" 1}"), (5, "a colon is missing", false));
    assert_eq!(fault("[1 2]"), (3, "a comma or a closing bracket is missing", false));
    assert_eq!(fault("[1,]"), (3, "a value is missing", false));
    assert_eq!(fault("-NaN"), (1, "a digit is missing", false));
    assert_eq!(fault("[01]"), (1, "a number begins with a zero too many", false));
    assert_eq!(fault("\"a"), (2, "the text ends too early", true));
    assert_eq!(fault("Infinit"), (7, "the text ends too early", true));
    assert_eq!(fault("1 2"), (2, "there is something after the value", false));
    assert_eq!(fault(&"[".repeat(100_000)), (65, "values are nested too deep", false));
}
