//! The environment of all evaluations: minijinja's filters, tests and operators, each of which counts its input and
//! its output before it runs. So no text or list grows beyond a bound, and no comparison or sort takes long.
//!
//! `rewrite.rs` puts the operators into the text. Each built-in filter is registered a second time under its name
//! with a leading space, which no expression can write.

use std::sync::LazyLock;

use minijinja::value::{Rest, Value, ValueKind, ValueOrKwargs};
use minijinja::{
    AutoEscape, Environment, Error, ErrorKind, Expression, Output, State, UndefinedBehavior, context,
    escape_formatter, filters,
};

use super::measure::{DEPTH_MAX, VALUE_SIZE, ValueSize, measure};
use crate::inline::json_text_size;

/// Maximum number of minijinja steps of one evaluation; a loop over 10,000 items takes a tenth of them.
pub const FUEL: u64 = 1_000_000;

/// Maximum number of values that one evaluation may read, which takes some tenths of a second; each 128 bytes of a
/// text count as one.
pub const SEEN_MAX: usize = 5_000_000;

/// Maximum number of bytes of texts and lists that one evaluation may make, temporary ones included: 64 MiB.
pub const MADE_MAX: usize = 64 * 1024 * 1024;

/// Estimated bytes of one element of a list that a filter makes; also an upper bound of an integer as text.
const TEXT_ITEM_SIZE: usize = 48;

/// Maximum nesting of recursive loops.
const RECURSION_MAX: usize = 50;

/// The counters of one evaluation, which end it when a bound is exceeded.
#[derive(Default)]
struct EvaluationMeter {
    /// Values read; each 128 bytes of a text count as one more.
    seen: usize,
    /// Bytes of texts, lists and maps made.
    made: usize,
}

/// The minijinja environment of all expressions and templates: strict about undefined values, without
/// escaping, with bounded filters and operators.
pub(super) static ENVIRONMENT: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_fuel(Some(FUEL));
    environment.set_recursion_limit(RECURSION_MAX);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_debug(true);
    environment.set_formatter(write_value);
    // These functions show, or let grow without bound, values that a template was not given.
    environment.remove_global("debug");
    environment.remove_global("namespace");
    environment.add_function("range", range);
    environment.add_filter("fromjson", fromjson);
    add_operators(&mut environment);
    add_builtin_filters(&mut environment);
    environment
});

/// Registers a filter for each operator, such as `__add` for `+`, and the counters `__seen` and `__made`.
/// `rewrite.rs` writes these filters instead of the operators.
fn add_operators(environment: &mut Environment<'static>) {
    environment.add_filter("__seen", count_seen);
    environment.add_filter("__made", materialize);
    environment.add_filter("__add", |state: &mut State<'_, '_>, a: &Value, b: &Value| {
        count_growth(state, a, b)?;
        let sum = apply_native(&ADD, a, b)?;
        materialize(state, sum)
    });
    environment.add_filter("__mul", multiply);
    environment.add_filter("__concat", |state: &mut State<'_, '_>, a: &Value, b: &Value| {
        count_growth(state, a, b)?;
        apply_native(&CONCAT, a, b)
    });
    environment.add_filter("__sub", |a: &Value, b: &Value| apply_native(&SUB, a, b));
    environment.add_filter("__div", |a: &Value, b: &Value| apply_native(&DIV, a, b));
    environment.add_filter("__floordiv", |a: &Value, b: &Value| apply_native(&FLOOR_DIV, a, b));
    environment.add_filter("__rem", |a: &Value, b: &Value| apply_native(&REM, a, b));
    environment.add_filter("__pow", |a: &Value, b: &Value| apply_native(&POW, a, b));
}

/// The upper bound of the output of a built-in filter, from which the output is counted before the filter
/// runs.
#[derive(Clone, Copy)]
enum Growth {
    /// No new texts or lists, in constant time.
    None,
    /// No new texts or lists, after reading the whole value.
    Look,
    /// A text, at most this many times as long as the input.
    Text(usize),
    /// A list of the items of the input, or of its characters.
    Items,
    /// As [`Items`](Self::Items), plus the bytes that the function computes.
    More(fn(&[Value]) -> usize),
}

macro_rules! built_in_filters {
    ($($name:ident: $growth:expr),* $(,)?) => {
        /// Names of the filters of expressions, without the short names `count`, `d` and `e`.
        pub const FILTERS: &[&str] = &["fromjson", $(stringify!($name)),*];

        /// Replaces each built-in filter of minijinja by one that counts its input and output first.
        fn add_builtin_filters(environment: &mut Environment<'static>) {
            $(
                environment.add_filter(concat!(" ", stringify!($name)), filters::$name);
                let filter = bounded_filter(concat!(" ", stringify!($name)), $growth);
                environment.add_filter(stringify!($name), filter);
            )*
            environment.add_filter("count", bounded_filter(" length", Growth::None));
            environment.add_filter("d", bounded_filter(" default", Growth::None));
            environment.add_filter("e", bounded_filter(" escape", Growth::Text(6)));
        }
    };
}

built_in_filters!(
    abs: Growth::None,
    attr: Growth::None,
    batch: Growth::More(batch_bytes),
    bool: Growth::None,
    capitalize: Growth::Text(3),
    chain: Growth::Items,
    default: Growth::None,
    dictsort: Growth::Items,
    escape: Growth::Text(6),
    first: Growth::None,
    float: Growth::None,
    format: Growth::More(format_bytes),
    groupby: Growth::Items,
    indent: Growth::More(indent_bytes),
    int: Growth::None,
    items: Growth::Items,
    join: Growth::More(join_bytes),
    last: Growth::Look,
    length: Growth::None,
    lines: Growth::Items,
    list: Growth::Items,
    lower: Growth::Text(3),
    map: Growth::Items,
    max: Growth::Look,
    min: Growth::Look,
    pprint: Growth::More(pprint_bytes),
    reject: Growth::Items,
    rejectattr: Growth::Items,
    replace: Growth::More(replace_bytes),
    reverse: Growth::Items,
    round: Growth::None,
    safe: Growth::Text(1),
    select: Growth::Items,
    selectattr: Growth::Items,
    slice: Growth::More(slice_bytes),
    sort: Growth::Items,
    split: Growth::Items,
    string: Growth::Text(2),
    sum: Growth::More(sum_bytes),
    title: Growth::Text(3),
    tojson: Growth::More(tojson_bytes),
    trim: Growth::Text(1),
    unique: Growth::Items,
    upper: Growth::Text(3),
    urlencode: Growth::Text(3),
    zip: Growth::Items,
);

/// Returns a filter that counts its input and an upper bound of its output, and then runs the filter `name`.
/// It fails without running it if the evaluation exceeds a bound. `growth` gives the bound of the output.
fn bounded_filter(
    name: &'static str,
    growth: Growth,
) -> impl Fn(&mut State<'_, '_>, Rest<ValueOrKwargs>) -> Result<Value, Error> + Send + Sync + 'static {
    move |state, arguments| {
        let arguments = arguments.into_values();
        if matches!(growth, Growth::None) {
            return state.apply_filter(name, &arguments);
        }
        // `map` takes the name of a filter. A name with a leading space would bypass the bounds.
        if arguments.iter().skip(1).any(|it| it.as_str().is_some_and(|text| text.starts_with(' ')))
            && name == " map"
        {
            return Err(Error::from(ErrorKind::UnknownFilter));
        }
        let bytes = count_read(state, &arguments)?;
        let made_at_most = match growth {
            Growth::None | Growth::Look => 0,
            Growth::Text(factor) => bytes.saturating_mul(factor),
            Growth::Items => items_bytes(&arguments),
            Growth::More(more) => items_bytes(&arguments).saturating_add(more(&arguments)),
        };
        count_made(state, made_at_most)?;
        let result = state.apply_filter(name, &arguments)?;
        if result.kind() == ValueKind::Iterable { materialize(state, result) } else { Ok(result) }
    }
}

/// Returns an upper bound, in bytes, of a list that has each item of each argument as an element; for a text
/// each byte.
fn items_bytes(arguments: &[Value]) -> usize {
    let each = arguments.iter().map(|value| match value.as_str() {
        Some(text) => text.len().saturating_mul(TEXT_ITEM_SIZE),
        None => value.len().unwrap_or_default().saturating_mul(TEXT_ITEM_SIZE),
    });
    each.fold(0, usize::saturating_add)
}

/// Returns an argument of a filter: the one with the keyword `name`, or else the one at index `at`, where 0
/// is the filtered value.
fn argument(arguments: &[Value], at: usize, name: &str) -> Option<Value> {
    let named = arguments.last().filter(|last| last.is_kwargs());
    let named = named.and_then(|named| named.get_attr(name).ok()).filter(|value| !value.is_undefined());
    named.or_else(|| arguments.get(at).filter(|value| !value.is_kwargs()).cloned())
}

/// Returns a numeric argument of a filter, by its keyword or its index, or `otherwise` if it is absent or no
/// number. Negative numbers give 0; a boolean counts as 2, an upper bound of its value.
fn number_argument(arguments: &[Value], at: usize, name: &str, otherwise: usize) -> usize {
    match argument(arguments, at, name) {
        None => otherwise,
        Some(value) if value.kind() == ValueKind::Bool => 2,
        Some(value) => match i128::try_from(value.clone()) {
            Ok(number) => usize::try_from(number).unwrap_or_default(),
            Err(_) => f64::try_from(value).map_or(otherwise, |number| {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a cast saturates"
                )]
                let number = number as usize;
                number
            }),
        },
    }
}

fn text_length(arguments: &[Value], at: usize, name: &str) -> usize {
    argument(arguments, at, name).and_then(|value| value.as_str().map(str::len)).unwrap_or_default()
}

/// Returns the bytes of the fill values of `batch`: they make the last batch as long as the others. 0 without
/// `fill_with`.
fn batch_bytes(arguments: &[Value]) -> usize {
    let fills = argument(arguments, 2, "fill_with").is_some();
    if fills { number_argument(arguments, 1, "count", 0).saturating_mul(VALUE_SIZE) } else { 0 }
}

/// Returns the bytes of the lists that `slice` makes: `count` of them, even empty ones.
fn slice_bytes(arguments: &[Value]) -> usize {
    number_argument(arguments, 1, "count", 0).saturating_mul(4 * VALUE_SIZE)
}

fn replace_bytes(arguments: &[Value]) -> usize {
    let text = |at: usize| arguments.get(at).map(Value::to_string).unwrap_or_default();
    let (value, from) = (text(0), text(1));
    let places = value.matches(from.as_str()).count();
    places
        .saturating_mul(arguments.get(2).and_then(Value::as_str).map_or(TEXT_ITEM_SIZE, str::len))
        .saturating_add(value.len())
}

fn indent_bytes(arguments: &[Value]) -> usize {
    let text = arguments.first().and_then(Value::as_str).unwrap_or_default();
    let lines = text.matches('\n').count() + 1;
    lines
        .saturating_mul(number_argument(arguments, 1, "width", 4).saturating_add(1))
        .saturating_add(text.len())
}

fn join_bytes(arguments: &[Value]) -> usize {
    let Some(value) = arguments.first() else { return 0 };
    let items = value.as_str().map_or_else(|| value.len().unwrap_or_default(), str::len);
    let joiner = text_length(arguments, 1, "d");
    items.saturating_mul(joiner).saturating_add(measure(value, usize::MAX).bytes.saturating_mul(2))
}

/// Returns the bytes that `sum` makes if `start` is no number, because each addition copies the sum so far;
/// otherwise 0.
fn sum_bytes(arguments: &[Value]) -> usize {
    let Some(value) = arguments.first() else { return 0 };
    let starts = argument(arguments, 2, "start").is_some_and(|start| start.kind() != ValueKind::Number);
    let items = value.len().unwrap_or_default();
    if starts { items.saturating_mul(measure(value, usize::MAX).bytes) } else { 0 }
}

fn tojson_bytes(arguments: &[Value]) -> usize {
    indented_bytes(arguments, number_argument(arguments, 1, "indent", 0))
}

fn pprint_bytes(arguments: &[Value]) -> usize {
    indented_bytes(arguments, 4)
}

/// Returns an upper bound, in bytes, of a text with each value on its own line, indented by `width` times its
/// depth.
fn indented_bytes(arguments: &[Value], width: usize) -> usize {
    let Some(value) = arguments.first() else { return 0 };
    let ValueSize { values, bytes, depth } = measure(value, usize::MAX);
    let indentation = values.saturating_mul(2).saturating_mul(depth + 1).saturating_mul(width);
    indentation.saturating_add(bytes.saturating_mul(6))
}

/// Returns an upper bound, in bytes, of the output of `format`: each conversion writes an argument, padded to
/// the width that a number or `*` gives.
fn format_bytes(arguments: &[Value]) -> usize {
    let text = arguments.first().and_then(Value::as_str).unwrap_or_default();
    let digits = text.split(|c: char| !c.is_ascii_digit()).filter(|number| !number.is_empty());
    let widths = digits.map(|number| number.parse::<usize>().unwrap_or(usize::MAX));
    let stars = text.contains('*').then(|| {
        let numbers = arguments.iter().filter_map(|value| i128::try_from(value.clone()).ok());
        numbers.map(|number| usize::try_from(number.unsigned_abs()).unwrap_or(usize::MAX))
    });
    let widths = widths.chain(stars.into_iter().flatten()).fold(text.len(), usize::saturating_add);
    let conversions = text.matches('%').count();
    let largest =
        arguments.iter().skip(1).map(|value| measure(value, usize::MAX).bytes).max().unwrap_or_default();
    conversions.saturating_mul(largest.saturating_mul(2)).saturating_add(widths)
}

/// Counts the values that a reader of `value` looks at, and returns `value` unchanged. This is the filter
/// `__seen`.
fn count_seen(state: &mut State<'_, '_>, value: Value) -> Result<Value, Error> {
    count_read(state, std::slice::from_ref(&value))?;
    Ok(value)
}

/// Turns a lazy sequence into a list and counts its items. Other values are returned unchanged.
fn materialize(state: &mut State<'_, '_>, value: Value) -> Result<Value, Error> {
    if value.kind() != ValueKind::Iterable {
        return Ok(value);
    }
    let mut items = Vec::new();
    for item in value.try_iter()? {
        count_made(state, VALUE_SIZE)?;
        if item.kind() == ValueKind::Invalid {
            return Err(bound_error(item.to_string()));
        }
        items.push(item);
    }
    Ok(Value::from(items))
}

/// Counts the operands and the result of `a + b` or `a ~ b`, before it is computed. Two integers are not
/// counted.
fn count_growth(state: &mut State<'_, '_>, a: &Value, b: &Value) -> Result<(), Error> {
    if a.is_integer() && b.is_integer() {
        return Ok(());
    }
    let bytes = count_read(state, &[a.clone(), b.clone()])?;
    // Texts inside a list are written with escapes.
    let factor = if a.as_str().is_some() && b.as_str().is_some() { 1 } else { 2 };
    count_made(state, bytes.saturating_mul(factor))
}

/// Multiplies two values. The result of repeating a text or a list is counted first. This is the filter
/// `__mul`.
fn multiply(state: &mut State<'_, '_>, a: &Value, b: &Value) -> Result<Value, Error> {
    let pair = [(a, b), (b, a)];
    let repeated = pair.iter().find(|(value, _)| value.kind() != ValueKind::Number && !value.is_undefined());
    if let Some((value, times)) = repeated {
        let bytes = count_read(state, std::slice::from_ref(*value))?;
        count_made(state, bytes.saturating_mul(times.as_usize().unwrap_or_default()))?;
    }
    let product = apply_native(&MUL, a, b)?;
    materialize(state, product)
}

/// Returns minijinja's `range(lower, upper, step)` as a list instead of a lazy sequence. Counts its items.
fn range(
    state: &mut State<'_, '_>,
    lower: isize,
    upper: Option<isize>,
    step: Option<isize>,
) -> Result<Value, Error> {
    let range = minijinja::functions::range(lower, upper, step)?;
    materialize(state, range)
}

/// Writes the value of a tag `{{ … }}` to the output of a template, after its bytes were counted.
fn write_value(out: &mut Output<'_>, state: &mut State<'_, '_>, value: &Value) -> Result<(), Error> {
    let bytes = count_read(state, std::slice::from_ref(value))?;
    count_made(state, if value.as_str().is_some() { bytes } else { bytes.saturating_mul(2) })?;
    escape_formatter(out, state, value)
}

/// Counts all values, with the values in them, as read. Returns their size in bytes; fails above
/// [`SEEN_MAX`], and for a value that is nested too deeply.
fn count_read(state: &mut State<'_, '_>, values: &[Value]) -> Result<usize, Error> {
    let meter = state.get_or_insert_extension_with(EvaluationMeter::default);
    let mut bytes = 0_usize;
    for value in values {
        let size = measure(value, SEEN_MAX - meter.seen);
        meter.seen += size.values;
        if meter.seen >= SEEN_MAX {
            return Err(bound_error(format!("it looks at more than {SEEN_MAX} values")));
        }
        if size.depth > DEPTH_MAX {
            return Err(bound_error(format!("a value in it is nested more than {DEPTH_MAX} deep")));
        }
        bytes = bytes.saturating_add(size.bytes);
    }
    Ok(bytes)
}

/// Counts `value` as read, and a text of `factor` times its bytes as made. Fails if a bound is exceeded. It
/// is called before the text is made.
pub(super) fn count_text(state: &mut State<'_, '_>, value: &Value, factor: usize) -> Result<(), Error> {
    let bytes = count_read(state, std::slice::from_ref(value))?;
    count_made(state, bytes.saturating_mul(factor))
}

/// Adds `bytes` to the bytes that this evaluation has made; fails above [`MADE_MAX`]. It is called before
/// they are allocated.
pub(super) fn count_made(state: &mut State<'_, '_>, bytes: usize) -> Result<(), Error> {
    let meter = state.get_or_insert_extension_with(EvaluationMeter::default);
    meter.made = meter.made.saturating_add(bytes);
    if meter.made > MADE_MAX {
        return Err(bound_error(format!("it makes more than {MADE_MAX} bytes of texts and lists")));
    }
    Ok(())
}

fn bound_error(reason: String) -> Error {
    Error::new(ErrorKind::InvalidOperation, reason)
}

/// A compiled expression of the form `a + b` in minijinja's own environment.
type NativeOperator = LazyLock<Expression<'static, 'static>>;

/// minijinja's own operators, which the bounded ones call.
static PLAIN: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment
});

static ADD: NativeOperator = LazyLock::new(|| compile("a + b"));
static SUB: NativeOperator = LazyLock::new(|| compile("a - b"));
static MUL: NativeOperator = LazyLock::new(|| compile("a * b"));
static DIV: NativeOperator = LazyLock::new(|| compile("a / b"));
static FLOOR_DIV: NativeOperator = LazyLock::new(|| compile("a // b"));
static REM: NativeOperator = LazyLock::new(|| compile("a % b"));
static POW: NativeOperator = LazyLock::new(|| compile("a ** b"));
static CONCAT: NativeOperator = LazyLock::new(|| compile("a ~ b"));

fn compile(text: &'static str) -> Expression<'static, 'static> {
    PLAIN.compile_expression(text).expect("it is an operator between two names")
}

fn apply_native(operator: &NativeOperator, a: &Value, b: &Value) -> Result<Value, Error> {
    operator.eval(context! { a, b })
}

/// Percent-encodes a value for a URL. Fails for null and undefined values, which Jinja's own `urlencode`
/// turns into an empty text.
pub(super) fn urlencode(state: &mut State<'_, '_>, value: &Value) -> Result<String, Error> {
    if value.is_undefined() || value.is_none() {
        return Err(ErrorKind::UndefinedError.into());
    }
    count_text(state, value, 3)?;
    minijinja::filters::urlencode(value)
}

/// Parses a text as JSON, after the size of the value was counted. Fails if the text is not JSON. This is the
/// filter `fromjson`.
fn fromjson(state: &mut State<'_, '_>, text: &str) -> Result<Value, Error> {
    count_made(state, json_text_size(text))?;
    let value: serde_json::Value = serde_json::from_str(text)
        .map_err(|error| Error::new(ErrorKind::InvalidOperation, format!("the text is not JSON: {error}")))?;
    Ok(minijinja::value::Serde(value).into())
}
