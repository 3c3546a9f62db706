//! What evaluations run in: minijinja's filters, tests and operators, each of which counts what it looks at and what it makes before it
//! does so. So no text or list grows beyond a bound, and no comparison or sort takes long.
//!
//! `rewrite.rs` puts the operators here. A built-in filter stands a second time under its name with a space before it, which no
//! expression can write.

use std::sync::LazyLock;

use minijinja::value::{Rest, Value, ValueKind, ValueOrKwargs};
use minijinja::{
    AutoEscape, Environment, Error, ErrorKind, Expression, Output, State, UndefinedBehavior, context,
    escape_formatter, filters,
};

use super::measure::{DEPTH_MAX, Extent, VALUE, extent};
use super::{FUEL, MADE_MAX, SEEN_MAX};

/// Bytes of an item of a list that is made of a text, and the longest text of a number.
const ITEM: usize = 48;

/// Recursive loops nested in each other.
const RECURSION_MAX: usize = 50;

/// What one evaluation has done so far.
#[derive(Default)]
struct Meter {
    /// Values looked at; a text counts as one for each 128 bytes.
    seen: usize,
    /// Bytes of texts, lists and maps made.
    made: usize,
}

/// The environment of all expressions and templates.
pub(super) static ENVIRONMENT: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_fuel(Some(FUEL));
    environment.set_recursion_limit(RECURSION_MAX);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_debug(true);
    environment.set_formatter(write);
    // They would let a template show, or grow without bound, what it was not given.
    environment.remove_global("debug");
    environment.remove_global("namespace");
    environment.add_function("range", range);
    environment.add_filter("fromjson", super::request::fromjson);
    operators(&mut environment);
    built_in(&mut environment);
    environment
});

/// Adds the operators as filters.
fn operators(environment: &mut Environment<'static>) {
    environment.add_filter("__seen", seen);
    environment.add_filter("__made", made);
    environment.add_filter("__add", |state: &mut State<'_, '_>, a: &Value, b: &Value| {
        grown(state, a, b)?;
        let sum = native(&ADD, a, b)?;
        made(state, sum)
    });
    environment.add_filter("__mul", multiplied);
    environment.add_filter("__concat", |state: &mut State<'_, '_>, a: &Value, b: &Value| {
        grown(state, a, b)?;
        native(&CONCAT, a, b)
    });
    environment.add_filter("__sub", |a: &Value, b: &Value| native(&SUB, a, b));
    environment.add_filter("__div", |a: &Value, b: &Value| native(&DIV, a, b));
    environment.add_filter("__floordiv", |a: &Value, b: &Value| native(&FLOOR_DIV, a, b));
    environment.add_filter("__rem", |a: &Value, b: &Value| native(&REM, a, b));
    environment.add_filter("__pow", |a: &Value, b: &Value| native(&POW, a, b));
}

/// What a built-in filter makes of its arguments, at most.
#[derive(Clone, Copy)]
enum Growth {
    /// Nothing that was not there, and at once.
    None,
    /// Nothing, after a look at all of the value.
    Look,
    /// A text, so many times as long.
    Text(usize),
    /// A list of its items, of its characters where it is a text.
    Items,
    /// As [`Items`](Self::Items), and what this says besides.
    More(fn(&[Value]) -> usize),
}

macro_rules! built_in_filters {
    ($($name:ident: $growth:expr),* $(,)?) => {
        /// The filters of expressions, besides the short names `count`, `d` and `e`.
        pub const FILTERS: &[&str] = &["fromjson", $(stringify!($name)),*];

        /// Replaces the built-in filters by bounded ones.
        fn built_in(environment: &mut Environment<'static>) {
            $(
                environment.add_filter(concat!(" ", stringify!($name)), filters::$name);
                let filter = bounded(concat!(" ", stringify!($name)), $growth);
                environment.add_filter(stringify!($name), filter);
            )*
            environment.add_filter("count", bounded(" length", Growth::None));
            environment.add_filter("d", bounded(" default", Growth::None));
            environment.add_filter("e", bounded(" escape", Growth::Text(6)));
        }
    };
}

built_in_filters!(
    abs: Growth::None,
    attr: Growth::None,
    batch: Growth::More(batch),
    bool: Growth::None,
    capitalize: Growth::Text(3),
    chain: Growth::Items,
    default: Growth::None,
    dictsort: Growth::Items,
    escape: Growth::Text(6),
    first: Growth::None,
    float: Growth::None,
    format: Growth::More(format),
    groupby: Growth::Items,
    indent: Growth::More(indent),
    int: Growth::None,
    items: Growth::Items,
    join: Growth::More(join),
    last: Growth::Look,
    length: Growth::None,
    lines: Growth::Items,
    list: Growth::Items,
    lower: Growth::Text(3),
    map: Growth::Items,
    max: Growth::Look,
    min: Growth::Look,
    pprint: Growth::More(pprint),
    reject: Growth::Items,
    rejectattr: Growth::Items,
    replace: Growth::More(replace),
    reverse: Growth::Items,
    round: Growth::None,
    safe: Growth::Text(1),
    select: Growth::Items,
    selectattr: Growth::Items,
    slice: Growth::More(slice),
    sort: Growth::Items,
    split: Growth::Items,
    string: Growth::Text(2),
    sum: Growth::More(sum),
    title: Growth::Text(3),
    tojson: Growth::More(tojson),
    trim: Growth::Text(1),
    unique: Growth::Items,
    upper: Growth::Text(3),
    urlencode: Growth::Text(3),
    zip: Growth::Items,
);

/// The filter of this name, which counts before it runs.
fn bounded(
    name: &'static str,
    growth: Growth,
) -> impl Fn(&mut State<'_, '_>, Rest<ValueOrKwargs>) -> Result<Value, Error> + Send + Sync + 'static {
    move |state, arguments| {
        let arguments = arguments.into_values();
        if matches!(growth, Growth::None) {
            return state.apply_filter(name, &arguments);
        }
        // `map` takes the name of a filter, which must not be one of those behind these.
        if arguments.iter().skip(1).any(|it| it.as_str().is_some_and(|text| text.starts_with(' ')))
            && name == " map"
        {
            return Err(Error::from(ErrorKind::UnknownFilter));
        }
        let bytes = look(state, &arguments)?;
        let made_at_most = match growth {
            Growth::None | Growth::Look => 0,
            Growth::Text(factor) => bytes.saturating_mul(factor),
            Growth::Items => items_of(&arguments),
            Growth::More(more) => items_of(&arguments).saturating_add(more(&arguments)),
        };
        make(state, made_at_most)?;
        let result = state.apply_filter(name, &arguments)?;
        if result.kind() == ValueKind::Iterable { made(state, result) } else { Ok(result) }
    }
}

/// Bytes of a list of the items, or the characters, of the arguments.
fn items_of(arguments: &[Value]) -> usize {
    let each = arguments.iter().map(|value| match value.as_str() {
        Some(text) => text.len().saturating_mul(ITEM),
        None => value.len().unwrap_or_default().saturating_mul(ITEM),
    });
    each.fold(0, usize::saturating_add)
}

/// The argument at a place, or of a name.
fn argument(arguments: &[Value], at: usize, name: &str) -> Option<Value> {
    let named = arguments.last().filter(|last| last.is_kwargs());
    let named = named.and_then(|named| named.get_attr(name).ok()).filter(|value| !value.is_undefined());
    named.or_else(|| arguments.get(at).filter(|value| !value.is_kwargs()).cloned())
}

/// The number at a place; a huge one for what is no number but may be taken for one.
fn number(arguments: &[Value], at: usize, name: &str, otherwise: usize) -> usize {
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

fn length(arguments: &[Value], at: usize, name: &str) -> usize {
    argument(arguments, at, name).and_then(|value| value.as_str().map(str::len)).unwrap_or_default()
}

/// A fill value makes the last batch as long as all others.
fn batch(arguments: &[Value]) -> usize {
    let fills = argument(arguments, 2, "fill_with").is_some();
    if fills { number(arguments, 1, "count", 0).saturating_mul(VALUE) } else { 0 }
}

/// There are so many slices, empty ones too.
fn slice(arguments: &[Value]) -> usize {
    number(arguments, 1, "count", 0).saturating_mul(4 * VALUE)
}

fn replace(arguments: &[Value]) -> usize {
    let text = |at: usize| arguments.get(at).map(Value::to_string).unwrap_or_default();
    let (value, from) = (text(0), text(1));
    let places = value.matches(from.as_str()).count();
    places
        .saturating_mul(arguments.get(2).and_then(Value::as_str).map_or(ITEM, str::len))
        .saturating_add(value.len())
}

fn indent(arguments: &[Value]) -> usize {
    let text = arguments.first().and_then(Value::as_str).unwrap_or_default();
    let lines = text.matches('\n').count() + 1;
    lines.saturating_mul(number(arguments, 1, "width", 4).saturating_add(1)).saturating_add(text.len())
}

fn join(arguments: &[Value]) -> usize {
    let Some(value) = arguments.first() else { return 0 };
    let items = value.as_str().map_or_else(|| value.len().unwrap_or_default(), str::len);
    let joiner = length(arguments, 1, "d");
    items.saturating_mul(joiner).saturating_add(extent(value, usize::MAX).bytes.saturating_mul(2))
}

/// Sums of texts and lists are made anew with each item.
fn sum(arguments: &[Value]) -> usize {
    let Some(value) = arguments.first() else { return 0 };
    let starts = argument(arguments, 2, "start").is_some_and(|start| start.kind() != ValueKind::Number);
    let items = value.len().unwrap_or_default();
    if starts { items.saturating_mul(extent(value, usize::MAX).bytes) } else { 0 }
}

fn tojson(arguments: &[Value]) -> usize {
    indented(arguments, number(arguments, 1, "indent", 0))
}

fn pprint(arguments: &[Value]) -> usize {
    indented(arguments, 4)
}

/// Each value on a line of its own, as deep as it lies.
fn indented(arguments: &[Value], width: usize) -> usize {
    let Some(value) = arguments.first() else { return 0 };
    let Extent { values, bytes, depth } = extent(value, usize::MAX);
    let indentation = values.saturating_mul(2).saturating_mul(depth + 1).saturating_mul(width);
    indentation.saturating_add(bytes.saturating_mul(6))
}

/// Each conversion writes an argument, as wide as its number or a `*` says.
fn format(arguments: &[Value]) -> usize {
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
        arguments.iter().skip(1).map(|value| extent(value, usize::MAX).bytes).max().unwrap_or_default();
    conversions.saturating_mul(largest.saturating_mul(2)).saturating_add(widths)
}

/// Counts the look at a value, and gives it on.
fn seen(state: &mut State<'_, '_>, value: Value) -> Result<Value, Error> {
    look(state, std::slice::from_ref(&value))?;
    Ok(value)
}

/// Counts the items of what is computed when it is read, and makes it a list.
fn made(state: &mut State<'_, '_>, value: Value) -> Result<Value, Error> {
    if value.kind() != ValueKind::Iterable {
        return Ok(value);
    }
    let mut items = Vec::new();
    for item in value.try_iter()? {
        make(state, VALUE)?;
        if item.kind() == ValueKind::Invalid {
            return Err(refused(item.to_string()));
        }
        items.push(item);
    }
    Ok(Value::from(items))
}

/// Counts what two values make together.
fn grown(state: &mut State<'_, '_>, a: &Value, b: &Value) -> Result<(), Error> {
    if a.is_integer() && b.is_integer() {
        return Ok(());
    }
    let bytes = look(state, &[a.clone(), b.clone()])?;
    // Texts in a list are written with escapes.
    let factor = if a.as_str().is_some() && b.as_str().is_some() { 1 } else { 2 };
    make(state, bytes.saturating_mul(factor))
}

fn multiplied(state: &mut State<'_, '_>, a: &Value, b: &Value) -> Result<Value, Error> {
    let pair = [(a, b), (b, a)];
    let repeated = pair.iter().find(|(value, _)| value.kind() != ValueKind::Number && !value.is_undefined());
    if let Some((value, times)) = repeated {
        let bytes = look(state, std::slice::from_ref(*value))?;
        make(state, bytes.saturating_mul(times.as_usize().unwrap_or_default()))?;
    }
    let product = native(&MUL, a, b)?;
    made(state, product)
}

/// As minijinja's, but a list at once.
fn range(
    state: &mut State<'_, '_>,
    lower: isize,
    upper: Option<isize>,
    step: Option<isize>,
) -> Result<Value, Error> {
    let range = minijinja::functions::range(lower, upper, step)?;
    made(state, range)
}

/// Writes a value of a template.
fn write(out: &mut Output<'_>, state: &mut State<'_, '_>, value: &Value) -> Result<(), Error> {
    let bytes = look(state, std::slice::from_ref(value))?;
    make(state, if value.as_str().is_some() { bytes } else { bytes.saturating_mul(2) })?;
    escape_formatter(out, state, value)
}

/// Counts a look at all of the values. Returns their bytes.
fn look(state: &mut State<'_, '_>, values: &[Value]) -> Result<usize, Error> {
    let meter = state.get_or_insert_extension_with(Meter::default);
    let mut bytes = 0_usize;
    for value in values {
        let extent = extent(value, SEEN_MAX - meter.seen);
        meter.seen += extent.values;
        if meter.seen >= SEEN_MAX {
            return Err(refused(format!("it looks at more than {SEEN_MAX} values")));
        }
        if extent.depth > DEPTH_MAX {
            return Err(refused(format!("a value in it is nested more than {DEPTH_MAX} deep")));
        }
        bytes = bytes.saturating_add(extent.bytes);
    }
    Ok(bytes)
}

/// Counts a text that is about to be made of a value, so many times as long.
pub(super) fn count_text(state: &mut State<'_, '_>, value: &Value, factor: usize) -> Result<(), Error> {
    let bytes = look(state, std::slice::from_ref(value))?;
    make(state, bytes.saturating_mul(factor))
}

/// Counts bytes that are about to be made.
pub(super) fn make(state: &mut State<'_, '_>, bytes: usize) -> Result<(), Error> {
    let meter = state.get_or_insert_extension_with(Meter::default);
    meter.made = meter.made.saturating_add(bytes);
    if meter.made > MADE_MAX {
        return Err(refused(format!("it makes more than {MADE_MAX} bytes of texts and lists")));
    }
    Ok(())
}

fn refused(reason: String) -> Error {
    Error::new(ErrorKind::InvalidOperation, reason)
}

type Native = LazyLock<Expression<'static, 'static>>;

/// Operators as minijinja has them.
static PLAIN: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment
});

static ADD: Native = LazyLock::new(|| compiled("a + b"));
static SUB: Native = LazyLock::new(|| compiled("a - b"));
static MUL: Native = LazyLock::new(|| compiled("a * b"));
static DIV: Native = LazyLock::new(|| compiled("a / b"));
static FLOOR_DIV: Native = LazyLock::new(|| compiled("a // b"));
static REM: Native = LazyLock::new(|| compiled("a % b"));
static POW: Native = LazyLock::new(|| compiled("a ** b"));
static CONCAT: Native = LazyLock::new(|| compiled("a ~ b"));

fn compiled(text: &'static str) -> Expression<'static, 'static> {
    PLAIN.compile_expression(text).expect("it is an operator between two names")
}

fn native(operator: &Native, a: &Value, b: &Value) -> Result<Value, Error> {
    operator.eval(context! { a, b })
}
