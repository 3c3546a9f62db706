//! Numbers with units in a text, comparable across units: "2 hours" equals "120 minutes".

use crate::workflows::ard::analysis::stem;

/// Number with its unit or its counted noun, as found in a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Measure {
    /// The number and the unit as written.
    pub text: String,
    /// Number converted to the base unit of its dimension.
    value: f64,
    dimension: Dimension,
}

/// Dimension of a unit, with the base unit to which values are converted. A count has the stem of the
/// counted noun.
#[derive(Debug, Clone, PartialEq)]
enum Dimension {
    /// In milliseconds.
    Time,
    /// In months, because a month has no fixed number of days.
    Months,
    /// In bytes.
    Size,
    Percent,
    /// In degrees Celsius.
    Temperature,
    /// In grams.
    Mass,
    /// In millimetres.
    Length,
    /// In watts.
    Power,
    /// In watt hours.
    Energy,
    /// Amount of a currency.
    Money,
    Count(String),
}

/// All numbers of a text.
#[derive(Debug, Default)]
pub(super) struct Measures {
    /// Numbers with a unit.
    pub measured: Vec<Measure>,
    /// Numbers without a unit, unless they are part of a name.
    bare: Vec<f64>,
}

/// Spellings of each unit, with the dimension and the factor to the base unit.
const UNITS: &[(&str, Dimension, f64)] = &[
    ("ms millisecond milliseconds", Dimension::Time, 1.0),
    ("s sec secs second seconds", Dimension::Time, 1e3),
    ("min mins minute minutes", Dimension::Time, 60e3),
    ("h hr hrs hour hours", Dimension::Time, 3_600e3),
    ("d day days", Dimension::Time, 86_400e3),
    ("wk week weeks", Dimension::Time, 604_800e3),
    ("month months", Dimension::Months, 1.0),
    ("year years", Dimension::Months, 12.0),
    ("byte bytes", Dimension::Size, 1.0),
    ("kb kib kilobytes", Dimension::Size, 1e3),
    ("mb mib megabyte megabytes", Dimension::Size, 1e6),
    ("gb gib gigabyte gigabytes", Dimension::Size, 1e9),
    ("tb tib terabyte terabytes", Dimension::Size, 1e12),
    ("% percent", Dimension::Percent, 1.0),
    ("°c celsius", Dimension::Temperature, 1.0),
    ("mg milligram milligrams", Dimension::Mass, 1e-3),
    ("g gram grams gramme grammes", Dimension::Mass, 1.0),
    ("kg kilo kilos kilogram kilograms", Dimension::Mass, 1e3),
    ("tonne tonnes", Dimension::Mass, 1e6),
    ("mm millimetre millimetres millimeter millimeters", Dimension::Length, 1.0),
    ("cm centimetre centimetres centimeter centimeters", Dimension::Length, 10.0),
    ("m metre metres meter meters", Dimension::Length, 1e3),
    ("km kilometre kilometres kilometer kilometers", Dimension::Length, 1e6),
    ("w watt watts", Dimension::Power, 1.0),
    ("kw kilowatt kilowatts", Dimension::Power, 1e3),
    ("wh", Dimension::Energy, 1.0),
    ("kwh", Dimension::Energy, 1e3),
    ("€ $ £ eur euro euros usd dollar dollars gbp pounds cent cents chf", Dimension::Money, 1.0),
];
/// Number words and their values.
const WORDS: &[(&str, f64)] = &[
    ("one", 1.0),
    ("a", 1.0),
    ("an", 1.0),
    ("two", 2.0),
    ("three", 3.0),
    ("four", 4.0),
    ("five", 5.0),
    ("six", 6.0),
    ("seven", 7.0),
    ("eight", 8.0),
    ("nine", 9.0),
    ("ten", 10.0),
    ("eleven", 11.0),
    ("twelve", 12.0),
    ("fourteen", 14.0),
    ("fifteen", 15.0),
    ("twenty", 20.0),
    ("thirty", 30.0),
    ("forty", 40.0),
    ("fifty", 50.0),
    ("sixty", 60.0),
    ("seventy", 70.0),
    ("eighty", 80.0),
    ("ninety", 90.0),
    ("hundred", 100.0),
    ("thousand", 1e3),
];
/// Words that mean a span of time, in milliseconds ("daily").
const PERIODS: &[(&str, f64)] = &[
    ("hourly", 3_600e3),
    ("daily", 86_400e3),
    ("nightly", 86_400e3),
    ("weekly", 604_800e3),
    ("overnight", 86_400e3),
];

impl Measures {
    /// Reads the numbers of a text. `words` decides if number words ("two") count.
    pub(super) fn of(text: &str, words: NumberWords) -> Self {
        let mut found = Self::default();
        let pieces = pieces(text);
        let mut at = 0;
        while at < pieces.len() {
            let piece = pieces[at];
            at += 1;
            let period = PERIODS
                .iter()
                .find(|(word, _)| words == NumberWords::Read && piece.eq_ignore_ascii_case(word));
            if let Some((_, value)) = period {
                found.measured.push(Measure {
                    text: piece.to_owned(),
                    value: *value,
                    dimension: Dimension::Time,
                });
                continue;
            }
            let Some(value) = number(piece, words) else { continue };
            let before = at.checked_sub(2).map(|before| pieces[before]).unwrap_or_default();
            // A number after a letter or a mark of a version belongs to a name, such as "SHA-256" or "HTTP/2".
            let is_name = is_part_of_name(text, piece, before);
            let unit = unit_after(&pieces, at).or_else(|| currency(before));
            match unit {
                Some((dimension, factor, shown)) if !is_name => {
                    let text =
                        if shown == before { format!("{before}{piece}") } else { format!("{piece} {shown}") };
                    found.measured.push(Measure { text, value: value * factor, dimension });
                }
                _ if is_name => {}
                _ => found.bare.push(value),
            }
        }
        found
    }

    /// Returns true if one of these numbers equals the measure, in any unit of its dimension and within
    /// 3 %, or if a number without a unit equals `plain`.
    pub(super) fn hold(&self, measure: &Measure, plain: f64) -> bool {
        let is_same = |other: &Measure| {
            other.dimension == measure.dimension
                && (other.value - measure.value).abs() <= measure.value.abs() * 0.03
        };
        self.measured.iter().any(is_same)
            || self.bare.iter().any(|value| (value - plain).abs() < f64::EPSILON)
    }

    /// Returns true if there is a measure of the same dimension; for a count, one of the same noun.
    pub(super) fn count_same(&self, measure: &Measure) -> bool {
        self.measured.iter().any(|other| other.dimension == measure.dimension)
    }

    /// Adds the numbers of another text.
    pub(super) fn extend(&mut self, other: Self) {
        self.measured.extend(other.measured);
        self.bare.extend(other.bare);
    }
}

impl Measure {
    /// Returns true for a count of things, false for a measure in a unit.
    pub(super) fn is_count(&self) -> bool {
        matches!(self.dimension, Dimension::Count(_))
    }

    /// Returns the number as written, before its conversion to the base unit.
    pub(super) fn plain(&self) -> f64 {
        let digits = self.text.trim_start_matches(['€', '$', '£']);
        digits.split(' ').next().and_then(|first| number(first, NumberWords::Read)).unwrap_or(self.value)
    }
}

/// Option of `Measures::of` for number words such as "two".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NumberWords {
    /// Words count as numbers.
    Read,
    /// Only digits count.
    Ignored,
}

/// Splits a text into words, numbers ("1,500" and "15 000" stay whole) and signs of units.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut last = ' ';
    for (at, c) in text.char_indices() {
        let next_is_digit = text[at + c.len_utf8()..].starts_with(|c: char| c.is_ascii_digit());
        let joins = c.is_alphanumeric()
            && (last.is_ascii_digit() == c.is_ascii_digit() || !last.is_alphanumeric())
            || (matches!(c, '.' | ',') && last.is_ascii_digit() && next_is_digit)
            || (c.is_whitespace() && last.is_ascii_digit() && is_group(&text[at + c.len_utf8()..]));
        let continues = joins
            && (last.is_alphanumeric()
                || last == '°'
                || ((matches!(last, '.' | ',') || last.is_whitespace()) && c.is_ascii_digit() && start < at));
        if !continues || matches!(c, '%' | '€' | '$' | '£') {
            if start < at {
                pieces.push(
                    text[start..at].trim_matches(|c: char| !c.is_alphanumeric() && !"%€$£°".contains(c)),
                );
            }
            start = at;
        }
        last = c;
    }
    pieces.push(text[start..].trim_matches(|c: char| !c.is_alphanumeric() && !"%€$£°".contains(c)));
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

/// Returns true if a text begins with exactly three digits, such as the end of "15 000".
fn is_group(text: &str) -> bool {
    text.len() > 2 && text.chars().take_while(char::is_ascii_digit).count() == 3
}

/// Parses a number in digits or, if `words` allows it, in words. A comma separates thousands before
/// three digits, else decimals.
fn number(piece: &str, words: NumberWords) -> Option<f64> {
    if piece.starts_with(|c: char| c.is_ascii_digit()) {
        let piece = &piece.replace(char::is_whitespace, "");
        // A comma before three digits separates thousands; other commas are decimal.
        let is_thousands = piece.split(',').skip(1).all(|group| group.len() == 3);
        let plain = if is_thousands { piece.replace(',', "") } else { piece.replace(',', ".") };
        return plain.parse().ok();
    }
    let found = WORDS.iter().find(|(word, _)| words == NumberWords::Read && piece.eq_ignore_ascii_case(word));
    found.map(|(_, value)| *value)
}

/// Returns dimension, factor and text of the unit behind a number. `at` is the index of the piece
/// behind the number. In a range ("5 to 10 minutes") both numbers get the same unit. A plural noun is
/// the unit of a count.
fn unit_after<'a>(pieces: &[&'a str], at: usize) -> Option<(Dimension, f64, &'a str)> {
    let is_joint = |piece: &str| ["to", "or", "and"].contains(&piece);
    let rest = match pieces.get(at..)? {
        [joint, second, rest @ ..] if is_joint(joint) && number(second, NumberWords::Ignored).is_some() => {
            rest
        }
        [second, rest @ ..] if number(second, NumberWords::Ignored).is_some() => rest,
        rest => rest,
    };
    let unit = *rest.first()?;
    let lower = unit.to_lowercase();
    let known = UNITS.iter().find(|(words, ..)| words.split(' ').any(|word| word == lower));
    if let Some((_, dimension, factor)) = known {
        return Some((dimension.clone(), *factor, unit));
    }
    let is_noun = lower.len() > 3 && lower.chars().all(char::is_alphabetic) && lower.ends_with('s');
    is_noun.then(|| (Dimension::Count(stem(&lower)), 1.0, unit))
}

/// Returns the unit of a currency sign or code; `None` for other pieces.
fn currency(piece: &str) -> Option<(Dimension, f64, &str)> {
    ["€", "$", "£", "EUR", "USD", "GBP", "CHF"].contains(&piece).then_some((Dimension::Money, 1.0, piece))
}

/// Returns true for a number that a hyphen or slash (or nothing) joins to the word `before` it, such as
/// "SHA-256".
fn is_part_of_name(text: &str, piece: &str, before: &str) -> bool {
    let is_word = !before.is_empty() && before.chars().all(char::is_alphabetic) && currency(before).is_none();
    is_word && ["-", "/", ""].iter().any(|mark| text.contains(&format!("{before}{mark}{piece}")))
}
