//! Parses a text to its tree, within bounds. The only file that implements traits of the parser.

use std::fmt;
use std::ops::Range;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::options::{AliasLimits, DuplicateKeyPolicy, NonFiniteFloatPolicy};
use serde_saphyr::{Budget, Location, MessageFormatter, Options, Spanned, UserMessageFormatter};

use super::{Amount, YamlEntry, YamlNode, YamlNumber, YamlValue};

/// Error of the parser.
pub type YamlError = serde_saphyr::Error;

/// Limits of a document, so that a small file cannot fill the memory or the stack.
#[derive(Debug, Clone, Copy)]
pub struct YamlLimits {
    /// Maximum nesting of lists and maps.
    pub depth: usize,
    /// Maximum number of values.
    pub values: usize,
    /// Maximum number of values that aliases may add.
    pub alias_values: usize,
}

/// Parses one document. Fails if it is invalid or exceeds the limits.
pub fn parse(text: &str, limits: &YamlLimits) -> Result<YamlNode, YamlError> {
    let mut tree: YamlNode = serde_saphyr::from_str_with_options(text, options(limits))?;
    tree.keep_written(text);
    Ok(tree)
}

/// Returns the line and the column of an error, from 1; both 0 if the parser gives none.
pub fn error_place(error: &YamlError) -> (usize, usize) {
    error.location().map_or((0, 0), |place| (as_size(place.line()), as_size(place.column())))
}

/// Returns the first line of an error's message, without its position.
pub fn error_text(error: &YamlError) -> String {
    let message = UserMessageFormatter.format_message(error.without_snippet());
    message.lines().next().unwrap_or("it is not valid YAML").to_owned()
}

/// Returns the byte range of a location; empty if the parser does not know it.
pub fn span_of(location: Location) -> Range<usize> {
    let span = location.span();
    let start = span.byte_offset().map_or(0, as_size);
    start..start + span.byte_len().map_or(0, as_size)
}

/// Converts a number of the parser; 0 if it does not fit.
fn as_size(number: u64) -> usize {
    usize::try_from(number).unwrap_or_default()
}

/// Returns the parser options: the limits, duplicate keys and infinite numbers allowed, `yes` and `no` as
/// strings.
fn options(limits: &YamlLimits) -> Options {
    let mut budget = Budget::default();
    budget.max_depth = limits.depth;
    budget.flow_nesting_limit = limits.depth;
    budget.max_nodes = limits.values;
    let mut alias_limits = AliasLimits::default();
    alias_limits.max_total_replayed_events = limits.alias_values;
    let mut options = Options::default();
    options.budget = Some(budget);
    options.alias_limits = alias_limits;
    options.duplicate_keys = DuplicateKeyPolicy::PassThrough;
    options.non_finite_float_policy = NonFiniteFloatPolicy::PassThrough;
    // YAML 1.1 reads `no` as false, but it is a good name, and a good text.
    options.strict_booleans = true;
    options
}

impl YamlNode {
    /// Sets the text of each number in the tree to the text in the file. An alias keeps its digits, because
    /// its span is that of its name, such as `*port`.
    fn keep_written(&mut self, text: &str) {
        match &mut self.value {
            YamlValue::Number(number) => {
                let written = text.get(self.span.clone()).map(str::trim).unwrap_or_default();
                if written.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.')) {
                    written.clone_into(&mut number.written);
                }
            }
            YamlValue::List(items) => items.iter_mut().for_each(|item| item.keep_written(text)),
            YamlValue::Map(entries) => entries.iter_mut().for_each(|entry| entry.value.keep_written(text)),
            YamlValue::Null | YamlValue::Bool(_) | YamlValue::Text(_) => {}
        }
    }
}

impl<'de> Deserialize<'de> for YamlNode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Spanned { value, referenced, .. } = Spanned::deserialize(deserializer)?;
        let (line, column) = (as_size(referenced.line()), as_size(referenced.column()));
        Ok(Self { value, span: span_of(referenced), line, column })
    }
}

impl<'de> Deserialize<'de> for YamlValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

/// The visitor that builds a [`YamlValue`] of any type.
struct ValueVisitor;

/// Makes a whole number, written in decimal digits.
fn integer(amount: impl Into<i128>) -> YamlValue {
    let amount = amount.into();
    YamlValue::Number(YamlNumber { written: amount.to_string(), amount: Amount::Integer(amount) })
}

/// Makes a floating-point number, written in decimal digits.
fn float(amount: f64) -> YamlValue {
    YamlValue::Number(YamlNumber { written: amount.to_string(), amount: Amount::Float(amount) })
}

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = YamlValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<YamlValue, E> {
        Ok(YamlValue::Null)
    }

    fn visit_none<E>(self) -> Result<YamlValue, E> {
        Ok(YamlValue::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<YamlValue, D::Error> {
        YamlValue::deserialize(deserializer)
    }

    fn visit_bool<E>(self, value: bool) -> Result<YamlValue, E> {
        Ok(YamlValue::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<YamlValue, E> {
        Ok(integer(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<YamlValue, E> {
        Ok(integer(value))
    }

    fn visit_i128<E>(self, value: i128) -> Result<YamlValue, E> {
        Ok(integer(value))
    }

    fn visit_u128<E>(self, value: u128) -> Result<YamlValue, E> {
        #[expect(clippy::cast_precision_loss, reason = "no reader needs an integer of 128 bits")]
        Ok(i128::try_from(value).map_or_else(|_| float(value as f64), integer))
    }

    fn visit_f64<E>(self, value: f64) -> Result<YamlValue, E> {
        Ok(float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<YamlValue, E> {
        Ok(YamlValue::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<YamlValue, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(YamlValue::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<YamlValue, A::Error> {
        let mut map = Vec::new();
        while let Some(Spanned { value: key, referenced, .. }) = entries.next_key::<Spanned<String>>()? {
            let (line, column) = (as_size(referenced.line()), as_size(referenced.column()));
            map.push(YamlEntry {
                key,
                span: span_of(referenced),
                line,
                column,
                value: entries.next_value()?,
            });
        }
        Ok(YamlValue::Map(map))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

    use std::fmt::Write as _;

    use serde_json::json;

    use super::*;

    const LIMITS: YamlLimits = YamlLimits { depth: 48, values: 250_000, alias_values: 10_000 };

    #[test]
    fn values_know_their_places_and_numbers_keep_their_text() {
        let text = "a: 1.10\nb:\n  - x: yes\n    y: 0x1F\nc: &port 80\nd: *port\n";
        let tree = parse(text, &LIMITS).unwrap();
        let written = |key: &str| match &tree.find(key).unwrap().value {
            YamlValue::Number(number) => number.written.clone(),
            other => panic!("{other:?}"),
        };
        assert_eq!(["a", "c", "d"].map(written), ["1.10", "80", "80"]);
        let YamlValue::List(items) = &tree.get("b").unwrap().value else { panic!("{tree:?}") };
        assert_eq!(items[0].get("x").unwrap().value, YamlValue::Text("yes".into()));
        assert_eq!((items[0].line, items[0].get("y").unwrap().line), (3, 4));
        assert_eq!(&text[items[0].get("y").unwrap().span.clone()], "0x1F");
        assert_eq!((tree.find_line("b"), tree.find_line("d")), (Some(2), Some(6)));
        let port = tree.get("c").unwrap();
        assert_eq!((port.line, port.column), (5, 10));
    }

    #[test]
    fn a_dotted_path_is_found_in_both_notations() {
        for text in ["conditions:\n  kibana.version: ^9\n", "conditions:\n  kibana:\n    version: ^9\n"] {
            let tree = parse(text, &LIMITS).unwrap();
            let found = &tree.find("conditions.kibana.version").unwrap().value;
            assert_eq!(*found, YamlValue::Text("^9".into()), "{text}");
        }
    }

    #[test]
    fn json_keeps_integers_and_the_first_of_equal_keys() {
        let text = "{a: 1, a: 2, b: 0x1F, c: 1.50, d: [no, ~, true], e: 18446744073709551615, f: .inf}";
        let expected = json!({
            "a": 1, "b": 31, "c": 1.5, "d": ["no", null, true], "e": 18_446_744_073_709_551_615_u64, "f": "inf"
        });
        assert_eq!(parse(text, &LIMITS).unwrap().to_json(), expected);
    }

    #[test]
    fn the_second_of_equal_keys_is_found_wherever_it_stands() {
        let place =
            |text| parse(text, &LIMITS).unwrap().find_duplicate().map(|entry| (entry.line, entry.column));
        assert_eq!(place("a: 1\nb: 2\na: 3\n"), Some((3, 1)));
        assert_eq!(place("a: [{ x: 1 }, { y: 1, y: 2 }]\n"), Some((1, 23)));
        assert_eq!(place("a: { x: 1 }\nb: { x: 1 }\n"), None);
    }

    #[test]
    fn bombs_of_aliases_and_deep_nesting_are_errors() {
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..12 {
            let before = format!("*a{}", level - 1);
            writeln!(bomb, "a{level}: &a{level} [{}]", vec![before; 9].join(", ")).unwrap();
        }
        for text in [bomb, "[".repeat(100_000), "- ".repeat(100_000), "a: [".to_owned()] {
            assert!(parse(&text, &LIMITS).is_err());
        }
        let error = parse("a: 1\nb: [", &LIMITS).unwrap_err();
        assert!(error_place(&error).0 >= 2 && !error_text(&error).is_empty(), "{error:?}");
    }
}
