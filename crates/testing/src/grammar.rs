//! Generates expressions and templates from bytes by a grammar. For property tests and for the fuzzer, which includes this file.

/// A source of choices that takes one byte each. When no bytes are left, it always chooses the first option.
pub struct Choices<'a>(pub &'a [u8]);

impl Choices<'_> {
    /// Returns a number from 0 to `most - 1`.
    fn below(&mut self, most: usize) -> usize {
        match self.0.split_first() {
            Some((byte, rest)) => {
                self.0 = rest;
                usize::from(*byte) % most
            }
            None => 0,
        }
    }

    /// Returns one of the options.
    fn of<'t>(&mut self, options: &[&'t str]) -> &'t str {
        options[self.below(options.len())]
    }
}

/// The size of the numbers in generated text.
#[derive(Clone, Copy, PartialEq, Eq)]
#[allow(dead_code, reason = "the tests write small numbers, the fuzzer huge ones")]
pub enum Numbers {
    /// Numbers of usual size.
    Small,
    /// Also numbers that make filters use much memory or time.
    Huge,
}

/// The channels that generated expressions read, with their values, as JSON.
pub const CHANNELS: &str = r#"{"n":3,"f":2.5,"text":"one two, Three","list":[1,"b",null,[2,3]],"words":["x","yy","x"],
    "map":{"k":1,"text":"in","deep":{"list":[4,5]}},"rows":[{"a":2,"b":"q"},{"a":1,"b":"p"}],"none":null,"yes":true}"#;

const NAMES: [&str; 9] = ["n", "f", "text", "list", "words", "map", "rows", "none", "yes"];

const BINARY: [&str; 17] =
    ["~", "+", "-", "*", "/", "//", "%", "**", "==", "!=", "<", "<=", ">", ">=", "in", "and", "or"];

const PLAIN_FILTERS: [&str; 37] = [
    "abs",
    "bool",
    "capitalize",
    "count",
    "dictsort",
    "escape",
    "first",
    "float",
    "int",
    "items",
    "last",
    "length",
    "lines",
    "list",
    "lower",
    "max",
    "min",
    "reverse",
    "round",
    "safe",
    "sort",
    "split",
    "string",
    "sum",
    "title",
    "tojson",
    "trim",
    "unique",
    "upper",
    "urlencode",
    "chain",
    "zip",
    "pprint",
    "indent",
    "join",
    "d('x')",
    "default(0)",
];

const TESTS: [&str; 14] = [
    "defined",
    "undefined",
    "none",
    "string",
    "number",
    "sequence",
    "mapping",
    "iterable",
    "odd",
    "even",
    "in [1, 'x']",
    "eq(3)",
    "lt(2)",
    "true",
];

/// Generates an expression of a graph file; `depth` bounds its nesting, 0 gives a leaf.
pub fn expression(choices: &mut Choices<'_>, numbers: Numbers, depth: usize) -> String {
    if depth == 0 {
        return leaf(choices, numbers);
    }
    let part = |choices: &mut Choices<'_>| expression(choices, numbers, depth - 1);
    match choices.below(15) {
        0 | 1 => leaf(choices, numbers),
        2..=4 => format!("{} {} {}", part(choices), choices.of(&BINARY), part(choices)),
        5 => format!("({}) {} ({})", part(choices), choices.of(&BINARY), part(choices)),
        6 => format!("{} | {}", part(choices), choices.of(&PLAIN_FILTERS)),
        7 => filter(choices, numbers, depth),
        8 => slice(choices, numbers, depth),
        9 => format!(
            "{}{}",
            part(choices),
            choices.of(&[".text", ".k", "['deep']", "[0]", ".list", "[state.n]"])
        ),
        10 => format!("{} is {}{}", part(choices), choices.of(&["", "not "]), choices.of(&TESTS)),
        11 => format!("({} if {} else {})", part(choices), part(choices), part(choices)),
        12 => format!("[{}, {}]", part(choices), part(choices)),
        13 => format!(
            "{{'k': {}, {}: {}}}",
            part(choices),
            choices.of(&["'text'", "state.n", "1"]),
            part(choices)
        ),
        _ => format!("{}({})", choices.of(&["not ", "-"]), part(choices)),
    }
}

/// Returns a literal number.
fn number(choices: &mut Choices<'_>, numbers: Numbers) -> &'static str {
    const SMALL: [&str; 7] = ["2", "0", "1", "3", "-1", "1.5", "10"];
    const HUGE: [&str; 5] = ["1000000000", "30000", "99999", "100000000", "4000000000"];
    match numbers {
        Numbers::Huge if choices.below(2) == 0 => HUGE[choices.below(HUGE.len())],
        _ => SMALL[choices.below(SMALL.len())],
    }
}

/// Generates an expression without parts, such as `state.n` or a literal.
fn leaf(choices: &mut Choices<'_>, numbers: Numbers) -> String {
    match choices.below(9) {
        0..=3 => format!("state.{}", choices.of(&NAMES)),
        4 => format!("state['{}']", choices.of(&NAMES)),
        5 => number(choices, numbers).to_owned(),
        6 => choices.of(&["'a'", "'ü\\n'", "''", "'{{ x }}'", "none", "true", "1e300", "'100%'"]).to_owned(),
        7 => format!("range({})", number(choices, numbers)),
        _ => choices
            .of(&["state", "dict(a=1)", "[]", "{}", "(1, 'b')", "state[state.text]", "'text'"])
            .to_owned(),
    }
}

/// Generates an expression with a filter that has arguments.
fn filter(choices: &mut Choices<'_>, numbers: Numbers, depth: usize) -> String {
    let value = expression(choices, numbers, depth - 1);
    let n = number(choices, numbers);
    let other = expression(choices, numbers, 0);
    let filter = match choices.below(19) {
        0 => format!("batch({n}, {other})"),
        1 => format!("slice({n}, {other})"),
        2 => format!("indent({n}, true)"),
        3 => format!("indent(width={n})"),
        4 => format!("replace('', {other})"),
        5 => format!("replace({other}, 'ab')"),
        6 => format!("join({other})"),
        7 => format!("format({other})"),
        8 => format!("tojson(indent={n})"),
        9 => "map('upper')".to_owned(),
        10 => format!("map('batch', {n}, 'x')"),
        11 => "map(attribute='a')".to_owned(),
        12 => format!("select({})", choices.of(&["", "'odd'", "'eq', 1", "'in', state.list"])),
        13 => "selectattr('a', 'gt', 1)".to_owned(),
        14 => "groupby('a')".to_owned(),
        15 => format!("sum(start={other})"),
        16 => format!("chain({other})"),
        17 => format!("zip({other})"),
        _ => format!("split({})", choices.of(&["' '", "','", "'', 2"])),
    };
    let before = if choices.below(6) == 0 { format!("'%{n}d %s %{n}s'") } else { format!("({value})") };
    format!("{before} | {filter}")
}

/// Generates an expression with a slice: `(…)[1:2]`.
fn slice(choices: &mut Choices<'_>, numbers: Numbers, depth: usize) -> String {
    let value = expression(choices, numbers, depth - 1);
    let bound = |choices: &mut Choices<'_>| choices.of(&["", "1", "2", "-1", "state.n"]);
    let (begin, end) = (bound(choices), bound(choices));
    let step = choices.of(&["", ":", ":2", ":1"]);
    format!("({value})[{begin}:{end}{step}]")
}

/// Generates a template text with expressions and blocks; `depth` bounds the nesting of blocks.
pub fn template(choices: &mut Choices<'_>, numbers: Numbers, depth: usize) -> String {
    let value = |choices: &mut Choices<'_>| expression(choices, numbers, 2);
    let count = 1 + choices.below(3);
    let part = |choices: &mut Choices<'_>| {
        if depth == 0 {
            return format!("{{{{ {} }}}}", value(choices));
        }
        let body = template(choices, numbers, depth - 1);
        match choices.below(10) {
            0 => choices.of(&["plain", " \n", "ü ", "{# note #}", "\"quoted\" \\n"]).to_owned(),
            1 | 2 => format!("{{{{ {} }}}}", value(choices)),
            3 | 4 => format!(
                "{{% for x in {} %}}{body}{{{{ loop.index }}}}{{{{ x }}}}{{% endfor %}}",
                value(choices)
            ),
            5 => format!(
                "{{% if {} %}}{body}{{% elif {} %}}b{{% else %}}c{{% endif %}}",
                value(choices),
                value(choices)
            ),
            6 => format!("{{% set v = {} %}}{{{{ v }}}}{{{{ v | length }}}}", value(choices)),
            7 => format!("{{% set v %}}{body}{{% endset %}}{{{{ v | upper }}}}"),
            8 => format!("{{% filter upper | replace('A', 'bb') %}}{body}{{% endfilter %}}"),
            _ => format!(
                "{{% with s = state, t = {} %}}{body}{{{{ s.text }}}}{{{{ t }}}}{{% endwith %}}",
                value(choices)
            ),
        }
    };
    (0..count).map(|_| part(choices)).collect()
}
