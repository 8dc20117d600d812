//! One JSON object with numbers, as a row of named numbers.

use std::collections::BTreeMap;

use super::super::event::Scalar;
use super::json::{Broken, Kind, Reader};
use super::tally::{Tally, Trouble, quoted};

/// Names grow with nesting; without a bound a long outer name times many inner ones would fill the memory.
const LONGEST_NAME: usize = 256;

/// The largest step that is still exact as a float.
const LAST_STEP: f64 = 9_007_199_254_740_992.0;

/// Name to number.
pub(super) type Row = BTreeMap<String, Scalar>;

/// Reads an object: numbers are kept, `true` and `false` become 1 and 0, the members of an inner object are named
/// `outer/inner`. Everything else is counted, at `place`.
pub(super) fn read_row(reader: &mut Reader, place: &str, tally: &mut Tally) -> Result<Row, Broken> {
    let mut row = Row::new();
    let mut name = String::new();
    members(reader, &mut name, &mut row, &mut |trouble, name| {
        tally.add(trouble, || format!("{} in {place}", quoted(name)));
    })?;
    Ok(row)
}

fn members(
    reader: &mut Reader,
    name: &mut String,
    row: &mut Row,
    left_out: &mut dyn FnMut(Trouble, &str),
) -> Result<(), Broken> {
    reader.object(|reader, member| {
        let outer = name.len();
        if outer + member.len() >= LONGEST_NAME {
            left_out(Trouble::LongName, member);
            return reader.skip();
        }
        if outer > 0 {
            name.push('/');
        }
        name.push_str(member);
        let number = match reader.kind()? {
            Kind::Number => Some(reader.number()?),
            Kind::Bool => Some(f64::from(u8::from(reader.boolean()?))),
            Kind::Object => {
                members(reader, name, row, left_out)?;
                None
            }
            other => {
                let trouble = match other {
                    Kind::List => Trouble::List,
                    Kind::Null => Trouble::Null,
                    _ => Trouble::Text,
                };
                left_out(trouble, name);
                reader.skip()?;
                None
            }
        };
        if let Some(number) = number {
            row.insert(name.clone(), Scalar(number));
        }
        name.truncate(outer);
        Ok(())
    })
}

/// `value` as a step: a whole number from 0 on.
pub(super) fn whole(value: f64) -> Option<usize> {
    (value.fract() == 0.0 && (0.0..=LAST_STEP).contains(&value)).then_some(value as usize)
}

/// Whether `seconds` can be a time since 1970 or since the start of a run, in milliseconds even. It may be wrong, but
/// differences of two are finite.
pub(super) fn is_time(seconds: f64) -> bool {
    seconds.abs() < LAST_STEP
}

/// Counts how often a run was set back to an earlier step.
#[derive(Debug, Default)]
pub(super) struct Order {
    /// The last step of each series and how often it went back.
    series: BTreeMap<String, (usize, usize)>,
    restarts: usize,
}

impl Order {
    /// Takes the next step of the series `name`, at `place`. Series may count different things, epochs beside steps, so
    /// each is held against itself; a restart sets back many and counts once.
    pub fn next(&mut self, name: &str, step: usize, tally: &mut Tally, place: impl FnOnce() -> String) {
        let Some((last, times)) = self.series.get_mut(name) else {
            self.series.insert(name.to_owned(), (step, 0));
            return;
        };
        if step < *last {
            *times += 1;
            if *times > self.restarts {
                self.restarts = *times;
                tally.add(Trouble::Backwards, || format!("from step {last} to {step}, {}", place()));
            }
        }
        *last = step;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flattens_and_counts() {
        let text = format!(
            r#"{{"a":{{"b":{{"c":1}},"d":true}},"e":NaN,"f":"2","g":[1],"h":null,"":{{"i":3}},"{}":{{"k":4}}}}"#,
            "x".repeat(300)
        );
        let mut tally = Tally::default();
        let row = read_row(&mut Reader::new(text.as_bytes()), "line 7", &mut tally).unwrap();
        let names: Vec<&str> = row.keys().map(String::as_str).collect();
        assert_eq!(names, ["a/b/c", "a/d", "e", "i"]);
        assert!(row["e"].0.is_nan());
        assert_eq!((row["a/b/c"].0, row["a/d"].0, row["i"].0), (1.0, 1.0, 3.0));
        for trouble in [Trouble::Text, Trouble::List, Trouble::Null, Trouble::LongName] {
            assert_eq!(tally.count(trouble), 1, "{trouble:?}");
        }
        assert!(tally.sentences()[0].ends_with("(\"h\" in line 7)"), "{:?}", tally.sentences());
    }

    #[test]
    fn a_restart_counts_once() {
        let mut tally = Tally::default();
        let mut order = Order::default();
        for (name, step) in
            [("a", 1), ("b", 1), ("a", 9), ("b", 9), ("epoch", 1), ("a", 5), ("b", 5), ("a", 6)]
        {
            order.next(name, step, &mut tally, String::new);
        }
        assert_eq!(tally.count(Trouble::Backwards), 1);
    }

    #[test]
    fn steps_are_whole() {
        assert_eq!(whole(3.0), Some(3));
        assert_eq!(whole(-0.0), Some(0));
        for value in [0.5, -1.0, f64::NAN, f64::INFINITY, 1e300] {
            assert_eq!(whole(value), None, "{value}");
        }
    }
}
