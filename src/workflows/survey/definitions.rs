//! Definitions of a file that are worth a line, with weights. A function is weighted by its callers,
//! its calls, its length and its decisions, a type by the files that name it.

use super::bodies::{FunctionBody, is_exit, read_body};
use super::build_conditions::BuildConditions;
use super::central::{CentralFile, root};
use super::contracts::contract;
use super::definition_kinds::{
    DECIDING, STANDARD, distinction, is_constant, is_constructor, is_conversion, is_guard, score,
};
use super::repeated::{lower_repeated, lower_repeated_conditions, mark_twins};
use super::view::{Survey, is_header};
use crate::repo::{CodeTree, FileOutline, Language, SymbolInfo, SymbolKind, Visibility, is_test_attribute};

/// Definition of a central file with its weight and the facts that its line may show. `definitions`
/// makes it; the map of a code base and the answers by rules read it.
pub(crate) struct MapDefinition<'o> {
    pub(crate) symbol: &'o SymbolInfo,
    /// Name of the type around it, if any.
    pub(crate) owner: Option<String>,
    /// Weight; greater is more important. Zero only for values that are listed for their `table`.
    pub(crate) score: f64,
    /// The body of a function; empty for other definitions.
    pub(crate) body: FunctionBody,
    /// The condition of the preprocessor around it.
    pub(crate) condition: Option<String>,
    /// Results, errors and conditions that the doc comment of a function states.
    pub(crate) contract: Option<String>,
    /// Whole text of a constant that is a list, a table or a pattern, with its own weight, which may be
    /// positive where `score` is zero.
    pub(crate) table: Option<(String, f64)>,
}

impl MapDefinition<'_> {
    /// Returns the name with the type around it: `Stock.take`.
    pub(crate) fn qualified(&self) -> String {
        qualified(self.owner.as_deref(), &self.symbol.name)
    }
}

/// Minimum number of lines of a function whose inner functions are listed too.
const OUTER: usize = 40;
/// Minimum number of lines of a trait method in an `impl` that is listed.
const IMPLEMENTED: usize = 6;
/// Maximum number of lines of a function that only passes something on.
pub(crate) const TRIVIAL: usize = 4;

/// Minimum number of resolved calls of a function that is a step of the work.
pub(crate) const STEP: usize = 5;

/// Weight that a table has beyond that of another value.
const TABLE: f64 = 3.0;
/// Maximum number of lines of a table that are read.
const TABLE_LINES: usize = 60;

/// Returns the definitions of a file that have a weight or a table, in the order of the outline. Tests,
/// and prototypes in headers of functions that other files define, are left out.
pub(crate) fn definitions<'o>(
    survey: &Survey,
    file: &CentralFile,
    outline: &'o FileOutline,
) -> Vec<MapDefinition<'o>> {
    let text = survey.code.text(&file.path).map(|(_, text)| text).unwrap_or_default();
    let tree = CodeTree::parse(outline.language, &text);
    let has_preprocessor = matches!(outline.language, Language::C | Language::Cpp | Language::CSharp);
    let conditions = if has_preprocessor { BuildConditions::of(&text) } else { BuildConditions::default() };
    let reader = DefinitionReader { survey, file, language: outline.language, text: &text, tree, conditions };
    let mut found = Vec::new();
    reader.collect(&outline.symbols, None, &mut found);
    let is_prototype = |symbol: &SymbolInfo| {
        is_header(&file.path) && symbol.kind.is_callable() && survey.implemented.contains(&symbol.name)
    };
    found.retain(|definition| {
        (definition.score > 0.0 || definition.table.is_some()) && !is_prototype(definition.symbol)
    });
    lower_repeated(&mut found);
    lower_repeated_conditions(&mut found);
    mark_twins(&mut found);
    found
}

/// Returns the name of a definition behind that of its owner: `Stock.take`.
pub(crate) fn qualified(owner: Option<&str>, name: &str) -> String {
    owner.map_or_else(|| name.to_owned(), |owner| format!("{owner}.{name}"))
}

/// Reader that collects the definitions of one file for `definitions`.
struct DefinitionReader<'s, 'a> {
    survey: &'s Survey<'a>,
    file: &'s CentralFile,
    language: Language,
    text: &'s str,
    /// `None` if parsing was given up.
    tree: Option<CodeTree<'s>>,
    conditions: BuildConditions,
}

impl DefinitionReader<'_, '_> {
    /// Appends the definitions among `symbols` and inside them to `found`. Methods of interfaces that
    /// are trivial, fields, variants and tests are skipped. `owner` is the name of the type around the
    /// symbols.
    fn collect<'o>(
        &self,
        symbols: &'o [SymbolInfo],
        owner: Option<&str>,
        found: &mut Vec<MapDefinition<'o>>,
    ) {
        for symbol in symbols.iter().filter(|symbol| !is_test(symbol)) {
            let owner = symbol.receiver().or(owner).map(str::to_owned);
            match symbol.kind {
                // The methods of a module of Ruby are called with its name; its classes are not.
                SymbolKind::Module if self.language == Language::Ruby => {
                    for child in &symbol.children {
                        let module = Some(symbol.name.as_str()).filter(|_| child.kind.is_callable());
                        self.collect(std::slice::from_ref(child), module.or(owner.as_deref()), found);
                    }
                }
                SymbolKind::Module | SymbolKind::Namespace => {
                    self.collect(&symbol.children, owner.as_deref(), found);
                }
                SymbolKind::Impl => self.collect_implementation(symbol, found),
                SymbolKind::Field if is_constant(&symbol.name) && self.table(symbol).is_some() => {
                    self.push(symbol, owner.as_deref(), found);
                }
                SymbolKind::Field | SymbolKind::Variant => {}
                // The line of an interface names its members.
                SymbolKind::Interface | SymbolKind::Trait => {
                    self.push(symbol, owner.as_deref(), found);
                    for member in
                        symbol.children.iter().filter(|it| it.kind.is_callable() && length(it) > TRIVIAL)
                    {
                        self.push(member, Some(&symbol.name), found);
                    }
                }
                // `typedef struct shop { … } shop` of C.
                kind if kind.is_type() && owner.as_deref() == Some(symbol.name.as_str()) && self.is_c() => {}
                kind => {
                    self.push(symbol, owner.as_deref(), found);
                    // The functions inside a long one are its parts.
                    if kind.is_type() || kind.is_callable() && length(symbol) >= OUTER {
                        self.collect(&symbol.children, Some(&symbol.name), found);
                    }
                }
            }
        }
    }

    fn is_c(&self) -> bool {
        matches!(self.language, Language::C | Language::Cpp)
    }

    /// Appends the methods of an `impl` block to `found`. For an `impl` of a trait these are only
    /// methods of at least `IMPLEMENTED` lines, and none of traits such as `Debug` or `Clone`.
    fn collect_implementation<'o>(&self, symbol: &'o SymbolInfo, found: &mut Vec<MapDefinition<'o>>) {
        let bare = |name: &str| name.split(['<', ' ']).next().unwrap_or_default().to_owned();
        let Some((of, to)) = symbol.signature.rsplit_once(" for ") else {
            return self.collect(&symbol.children, Some(&bare(&symbol.name)), found);
        };
        if ["Debug", "Display", "Clone", "PartialEq", "Hash", "Ord"].iter().any(|name| of.ends_with(name)) {
            return;
        }
        for method in symbol.children.iter().filter(|method| length(method) >= IMPLEMENTED) {
            if method.kind.is_callable() {
                self.push(method, Some(&bare(to)), found);
            }
        }
    }

    /// Appends a symbol with its weight, its decisions, its contract and its table to `found`.
    fn push<'o>(&self, symbol: &'o SymbolInfo, owner: Option<&str>, found: &mut Vec<MapDefinition<'o>>) {
        let body = if symbol.kind.is_callable() { self.body(symbol) } else { FunctionBody::default() };
        let is_value = symbol.kind.is_value() && owner.is_none() || symbol.kind == SymbolKind::Field;
        let table = is_value.then(|| self.table(symbol)).flatten();
        let table = table.map(|text| {
            let tells_default = symbol.name.to_lowercase().contains("default");
            let more = TABLE + if tells_default { 1.5 } else { 0.0 };
            (text, score(self.file, symbol, true, false) + more)
        });
        let score = if symbol.kind.is_callable() {
            self.function_score(symbol, owner, &body)
        } else {
            score(self.file, symbol, false, owner.is_some())
        };
        let is_told = symbol.kind.is_callable() && symbol.docstring.is_some();
        let contract = is_told.then(|| contract(self.language, self.text, symbol)).flatten();
        let owner = owner.map(str::to_owned);
        let condition = self.conditions.around(symbol.line);
        found.push(MapDefinition { symbol, owner, score, body, condition, contract, table });
    }

    /// Returns the text of a constant on one line if its value is a list, a table or a regular
    /// expression with some words in it. `None` for other values. A text with a secret is returned too;
    /// the quoter refuses it later.
    fn table(&self, symbol: &SymbolInfo) -> Option<String> {
        let to = symbol.line_end.min(symbol.line + TABLE_LINES - 1);
        let mut text = self.tree.as_ref()?.code(symbol.line, to);
        if to < symbol.line_end {
            text.push_str(" …");
        }
        let (_, value) = text.split_once('=')?;
        let value = value.trim_start_matches(['=', ' ']);
        // An object of a class is no table.
        if symbol.kind == SymbolKind::Field && value.starts_with("new ") {
            return None;
        }
        let is_subscript = value.find('[').is_some_and(|at| {
            value[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_')
                && !value.contains(['"', '\'', '{'])
        });
        let is_text = value.starts_with(['"', '\'', '`']);
        let is_list =
            !is_text && !is_subscript && (value.starts_with(['[', '{', '(']) || value.contains(['[', '{']));
        let is_pattern = ["re.compile(", "regexp.", "regex!", "Regex::new", "Pattern.compile", "RegExp("]
            .iter()
            .any(|call| value.contains(call))
            || value.starts_with('/') && !value.starts_with("//");
        let is_code = ["=> {", "|| {", "require(", "function(", "function (", "lambda ", "import("]
            .iter()
            .any(|part| value.contains(part));
        let inside = value.find(['[', '{', '(']).map_or(value, |at| &value[at..]);
        let is_about = symbol.name.starts_with("__");
        let has_parts = !is_about && inside.chars().filter(|c| c.is_alphanumeric()).count() > 1;
        // Lists of signs and of numbers tell nothing.
        let words = inside.split(|c: char| !c.is_alphabetic()).filter(|word| word.len() > 2).count();
        let tells = is_pattern || words > 0 || inside.len() < 60;
        ((is_list || is_pattern) && has_parts && !is_code && tells).then_some(text)
    }

    /// Reads the body of a function. The functions inside a long one are told on lines of their own.
    fn body(&self, symbol: &SymbolInfo) -> FunctionBody {
        let statements = self.tree.as_ref().and_then(|tree| tree.body(symbol));
        let is_long = length(symbol) >= OUTER;
        let inner = symbol.children.iter().filter(|child| is_long && child.kind.is_callable());
        let inner: Vec<(usize, usize)> = inner.map(|child| (child.line, child.line_end)).collect();
        let is_other = |line: usize| inner.iter().any(|(start, end)| (*start..=*end).contains(&line));
        read_body(self.language, &statements.unwrap_or_default(), &is_other)
    }

    /// Returns the weight of a function. Callers, calls, nearness to an entry point, length, decisions
    /// and documentation raise it; conversions, constructors and trivial functions have less. Zero
    /// leaves it out.
    fn function_score(&self, symbol: &SymbolInfo, owner: Option<&str>, body: &FunctionBody) -> f64 {
        let name = qualified(owner, &symbol.name);
        let is_entry = matches!(symbol.name.as_str(), "main" | "init") && owner.is_none();
        let lines = length(symbol);
        let calls = self.survey.calls.calls_of(&self.file.path, &name, (symbol.line, symbol.line_end)).len();
        if is_entry && calls == 0 || lines == 0 || symbol.kind == SymbolKind::Macro && is_guard(symbol) {
            return 0.0;
        }
        let is_member = owner.is_some();
        let named = self.file.named_in.get(&symbol.name).copied().unwrap_or_default();
        let named = root(named) * distinction(symbol, is_member);
        let callers = root(self.survey.calls.callers_of(&name)).max(named);
        #[allow(clippy::cast_precision_loss, reason = "functions have few lines, and depths are small")]
        let (length, nearness) = (
            (lines.min(200) as f64).ln(),
            self.survey.calls.depth_of(&self.file.path, &name).map_or(0.0, |depth| 1.6 - 0.4 * depth as f64),
        );
        let rules = body.condition_weight.min(8.0);
        let is_deciding = words_of(&symbol.name).iter().any(|word| DECIDING.contains(&word.as_str()));
        let is_in_readme =
            !is_constructor(symbol, owner) && self.survey.named_in_readme.contains(&symbol.name);
        let all = 0.8 * length
            + 0.35 * callers.min(4.0)
            + 0.6 * root(calls)
            + 0.2 * rules
            + 0.3 * root(body.ends.len())
            + if body.ends.iter().any(|end| is_exit(&end.text)) { 1.2 } else { 0.0 }
            + nearness.max(0.0)
            + if symbol.docstring.is_some() { 0.5 } else { 0.0 }
            + if symbol.visibility == Visibility::Public { 0.2 } else { 0.0 }
            + if is_deciding { 0.6 } else { 0.0 }
            + if is_in_readme { 1.2 } else { 0.0 };
        let is_trivial = symbol.kind == SymbolKind::Macro
            || lines <= TRIVIAL
            || symbol.signature.ends_with("= delete")
            || symbol.signature.ends_with("= default");
        match () {
            // One that calls many is a step of the work, whatever its name.
            () if calls >= STEP => all,
            () if is_conversion(&symbol.name) => all - 1.2,
            // A constructor that refuses something tells what the type holds.
            () if is_constructor(symbol, owner) && !body.ends.is_empty() => all * 0.7,
            () if is_constructor(symbol, owner) => all * if calls > 2 { 0.4 } else { 0.2 },
            () if STANDARD.contains(&symbol.name.as_str()) => all * 0.4,
            // What users call is told even if another function does the work.
            () if is_trivial && !(is_in_readme && symbol.visibility == Visibility::Public) => all * 0.5,
            () => all,
        }
    }
}

/// Splits a name into its words in lower case: `checkState`, `check_state` and `CHECK-STATE` → `check`,
/// `state`.
pub(crate) fn words_of(name: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut before = ' ';
    for c in name.chars() {
        let is_part = c.is_alphanumeric();
        let starts = !before.is_alphanumeric() || c.is_uppercase() && !before.is_uppercase();
        if is_part && starts {
            found.push(String::new());
        }
        if let Some(word) = found.last_mut().filter(|_| is_part) {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    found
}

/// Returns the number of lines of a definition.
pub(super) fn length(symbol: &SymbolInfo) -> usize {
    symbol.line_end.saturating_sub(symbol.line) + 1
}

/// Returns true for a definition with an attribute or decorator of tests.
pub(crate) fn is_test(symbol: &SymbolInfo) -> bool {
    symbol.decorators.iter().any(|mark| is_test_attribute(mark))
}
