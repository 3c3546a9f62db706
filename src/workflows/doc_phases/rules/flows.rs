//! What a program calls when it starts: followed from its first function by names and imports, as far as these tell, each step to a
//! function that was seen. A call that could lead to several places is no step.

use std::collections::{BTreeMap, BTreeSet};

use super::parts::{owner, within};
use super::plan::{ListedFiles, MatchedLines, Plan, is_plain};
use super::project::folder_of;
use super::reach::{CalledDefinition, find, reach};
use crate::repo::{CallSite, FileOutline, Import, ImportMap, Language, Manifest, SymbolInfo, calls, outline};
use crate::workflows::doc_phases::memory::{RuntimeFlow, RuntimeStep};
use crate::workflows::doc_phases::phase::MatchedLine;
use crate::workflows::doc_phases::selection::{BranchLabel, FileBranches};

/// Maximum of programs of a component that are followed.
const PROGRAMS: usize = 3;
/// Maximum of files that are read to follow calls.
pub(super) const READS: usize = 8;
/// Maximum of reads of one file.
const PARTS: usize = 3;
/// Maximum of searches for functions of the same package.
const SEARCHES: usize = 6;
/// Maximum of steps in a flow.
const STEPS: usize = 30;
/// Maximum depth of nested calls.
const DEPTH: usize = 4;
/// Maximum of re-exports through which a name is followed.
const HANDED_ON: usize = 3;
/// Confidence of a flow: each call is in the text, but it may not happen.
const SURE: f64 = 0.8;

/// Entry point of a program: the path of its file, and a text such as `program shop, function main`.
pub(super) type Start = (String, String);

/// Returns the programs among `entry_points` (`path: program shop`) whose files are in `places`, at most
/// [`PROGRAMS`].
pub(super) fn starts(entry_points: &[String], places: &[String]) -> Vec<Start> {
    let named = entry_points.iter().filter_map(|entry| entry.split_once(": "));
    let programs = named.filter(|(path, what)| {
        let runs =
            ["program ", "a program", "run as ", "a script "].iter().any(|start| what.starts_with(start));
        let inside = within(path, places) || places.iter().any(|place| place == ".");
        runs && inside && is_plain(path) && Language::of_path(path).is_some()
    });
    programs.take(PROGRAMS).map(|(path, what)| (path.to_owned(), what.to_owned())).collect()
}

/// Returns a flow for each program: the calls from its first function on, as far as names and imports
/// determine them. Requests the files that it needs; while answers are missing, the flows are incomplete.
pub(super) fn flows(
    plan: &mut Plan,
    tree: &ListedFiles,
    manifests: &[Manifest],
    boundaries: &BTreeMap<String, Vec<String>>,
    starts: &[Start],
) -> Vec<RuntimeFlow> {
    if starts.is_empty() {
        return Vec::new();
    }
    let map = ImportMap::of_paths(tree.files.keys().cloned().collect(), manifests);
    let known = BTreeMap::new();
    let mut trail = CallWalk {
        plan,
        tree,
        map,
        boundaries,
        known,
        searches: BTreeSet::new(),
        steps: Vec::new(),
        beyond: 0,
        unread: 0,
        is_unread: false,
        gone: BTreeSet::new(),
    };
    starts.iter().filter_map(|start| trail.flow(start)).collect()
}

/// A file that was read, with its outline and calls.
struct ReadSource {
    outline: FileOutline,
    text: String,
    calls: Vec<CallSite>,
}

/// A function, or the top level of a script, whose calls are followed.
#[derive(Clone)]
struct FlowPlace {
    path: String,
    shown: String,
    /// First and last line of the function; `None` for the code of a script that is in no function.
    lines: Option<(usize, usize)>,
}

impl FlowPlace {
    fn of(path: &str, shown: String, symbol: &SymbolInfo) -> Self {
        Self { path: path.to_owned(), shown, lines: Some((symbol.line, symbol.line_end)) }
    }

    fn describe(&self) -> String {
        match self.lines {
            Some(_) => format!("{} ({})", self.shown, self.path),
            None => self.path.clone(),
        }
    }
}

/// Walk along the calls of a component's programs: the files that were read, and the steps of the current
/// flow.
struct CallWalk<'p, 'r> {
    plan: &'p mut Plan<'r>,
    tree: &'p ListedFiles,
    map: ImportMap,
    boundaries: &'p BTreeMap<String, Vec<String>>,
    known: BTreeMap<String, Option<ReadSource>>,
    /// Searches for functions of packages: pattern and folder.
    searches: BTreeSet<(String, String)>,
    steps: Vec<RuntimeStep>,
    /// Calls that there is no room for.
    beyond: usize,
    /// Calls that lead to files beyond the bounds of reads and searches.
    unread: usize,
    /// True if the last place that was looked for is beyond these bounds.
    is_unread: bool,
    /// Calls that are steps already, and functions that were followed.
    gone: BTreeSet<String>,
}

impl<'r> CallWalk<'_, 'r> {
    /// Returns the flow of one program, as deep as its steps fit into [`STEPS`]; `None` while it has no step.
    fn flow(&mut self, (path, what): &Start) -> Option<RuntimeFlow> {
        let start = self.start(path, what)?;
        // As deep as there is room for.
        for depth in (0..=DEPTH).rev() {
            (self.steps, self.beyond, self.unread, self.gone) = (Vec::new(), 0, 0, BTreeSet::new());
            self.follow(&start, depth);
            if self.beyond == 0 {
                break;
            }
        }
        let steps = std::mem::take(&mut self.steps);
        let all = steps.iter().flat_map(|step| [&step.component, &step.next]).filter(|id| !id.is_empty());
        let components: BTreeSet<String> = all.cloned().collect();
        let program = match what.split(", ").next().unwrap_or(what) {
            super::architecture::UNNAMED => format!("the program in {path}"),
            named => named.to_owned(),
        };
        let more = match self.beyond + self.unread {
            0 => String::new(),
            1 => " 1 more call is not named.".to_owned(),
            beyond => format!(" {beyond} more calls are not named."),
        };
        let own = format!("{} calls ", start.describe());
        let in_turn = if steps.iter().all(|step| step.action.starts_with(&own)) {
            ""
        } else {
            ", and what is called in turn,"
        };
        (!steps.is_empty()).then(|| RuntimeFlow {
            flow_id: format!("start-of-{path}").chars().take(200).collect(),
            flow_name: format!("Start of {program}").chars().take(200).collect(),
            description: format!(
                "What {} calls{in_turn} in the order of the text and inner calls first, as far as names and imports tell: calls that could lead to several \
                 functions are left out. Which of these calls happen depends on conditions and values.{more}",
                start.describe()
            ),
            trigger: format!("{program} is started"),
            steps,
            components_involved: components.into_iter().collect(),
            data_models_used: Vec::new(),
            confidence: SURE,
        })
    }

    /// Returns the function with which a program begins; of a script without one, its code outside of
    /// functions. `None` while the file is not read.
    fn start(&mut self, path: &str, what: &str) -> Option<FlowPlace> {
        let named = what.split_once(", function ").map(|(_, name)| name);
        let is_script = |language| {
            matches!(
                language,
                Language::Python
                    | Language::JavaScript
                    | Language::TypeScript
                    | Language::Tsx
                    | Language::Bash
            )
        };
        let read = self.read(path)?;
        let Some(name) = named.or((!is_script(read.outline.language)).then_some("main")) else {
            return Some(FlowPlace { path: path.to_owned(), shown: path.to_owned(), lines: None });
        };
        let symbols = &read.outline.symbols;
        let inner =
            || symbols.iter().find_map(|symbol| find(&read.outline.symbols, Some(&symbol.name), name));
        let symbol = find(symbols, None, name).or_else(inner)?;
        Some(FlowPlace::of(path, name.to_owned(), symbol))
    }

    /// Returns a file that was read and parsed. `None` while its text is missing, or if [`READS`] files were
    /// read already.
    fn read(&mut self, path: &str) -> Option<&ReadSource> {
        if !self.known.contains_key(path) {
            if self.known.len() >= READS {
                return None;
            }
            let text = self.plan.read_whole(path, PARTS);
            let read = text.and_then(|text| {
                let language = Language::of(path, &text)?;
                Some(ReadSource {
                    outline: outline(language, path, &text),
                    calls: calls(language, &text),
                    text,
                })
            });
            self.known.insert(path.to_owned(), read);
        }
        self.known.get(path)?.as_ref()
    }

    /// Appends the calls of a function as steps, and follows the called functions `depth` levels deep.
    fn follow(&mut self, from: &FlowPlace, depth: usize) {
        let Some(read) = self.read(&from.path) else { return };
        let branches = FileBranches::of(&read.outline, &read.text);
        let in_branch = |call: &CallSite| {
            let heads = branches.around(call.line, &call.name);
            let head = heads.last()?;
            let others = branches.further_calls(call.line, &call.name);
            // A step stands for all calls of the function: the branch of one says nothing of the others.
            if others.iter().any(|other| other.is_same && other.branches.is_empty()) {
                return None;
            }
            if others.iter().any(|other| !other.is_same || other.branches.last() != Some(head)) {
                return Some(", in branches that are not named".to_owned());
            }
            let (words, head) = match BranchLabel::of(head) {
                BranchLabel::Head(head) => ("branch", head),
                BranchLabel::ElseOf(head) => ("else branch of", head),
                BranchLabel::Inside(_) => return None,
            };
            Some(format!(", in the {words} {}", in_backticks(head)))
        };
        let told = |call: &CallSite| (call.name.clone(), in_branch(call).unwrap_or_default());
        let own: Vec<(String, String)> = own_calls(read, from).into_iter().map(told).collect();
        let component = owner(&from.path, self.boundaries).map(str::to_owned);
        for (name, branch) in own {
            self.is_unread = false;
            let Some(to) = self.place(&from.path, &name) else {
                self.unread += usize::from(
                    self.is_unread && self.gone.insert(format!("{} calls {name}", from.describe())),
                );
                continue;
            };
            let next = owner(&to.path, self.boundaries).map(str::to_owned);
            let call = format!("{} calls {}", from.describe(), to.describe());
            let (Some(component), Some(next)) = (component.clone(), next) else { continue };
            if to.describe() == from.describe() || !self.gone.insert(call.clone()) {
                continue;
            }
            if self.steps.len() >= STEPS {
                self.beyond += 1;
                continue;
            }
            self.steps.push(RuntimeStep { component, action: format!("{call}{branch}"), next });
            if depth > 0 && self.gone.insert(to.describe()) {
                self.follow(&to, depth - 1);
            }
        }
    }

    /// Returns the function that `name`, called in the file `path`, refers to; `None` if that cannot be
    /// determined.
    fn place(&mut self, path: &str, name: &str) -> Option<FlowPlace> {
        let read = self.read(path)?;
        let reach = reach(&read.outline, &read.text, name)?;
        match &reach.target {
            None => {
                let symbol = find(&read.outline.symbols, reach.of.as_deref(), &reach.name)?;
                Some(FlowPlace::of(path, reach.shown(), symbol))
            }
            Some(target) => self.behind(path, target, &reach, HANDED_ON),
        }
    }

    /// Returns the function that an imported name refers to: in the imported file, or in one from which that
    /// file re-exports it, at most `times` files further. `None` if the import may mean several files.
    fn behind(
        &mut self,
        path: &str,
        target: &str,
        reach: &CalledDefinition,
        times: usize,
    ) -> Option<FlowPlace> {
        let found = match self.read(path)?.outline.language {
            Language::Go => self.package(path, target, &reach.name)?,
            Language::Java if !target.contains('.') => vec![beside(path, target)],
            _ => self.imported(path, target),
        };
        let [only] = &found[..] else { return None };
        if !self.tree.has(only) {
            return None;
        }
        self.is_unread = self.known.len() >= READS && !self.known.contains_key(only);
        let read = self.read(only)?;
        if let Some(symbol) = find(&read.outline.symbols, reach.of.as_deref(), &reach.name) {
            return Some(FlowPlace::of(only, reach.shown(), symbol));
        }
        let handed = handed_on(&read.outline, reach)?;
        if times == 0 || only == path && handed == target {
            return None;
        }
        self.behind(&only.clone(), &handed, reach, times - 1)
    }

    /// Returns the files that an import of a file, which was read, refers to.
    fn imported(&self, path: &str, target: &str) -> Vec<String> {
        let import = Import { line: 0, text: String::new(), targets: vec![target.to_owned()] };
        let read = self.known.get(path).and_then(Option::as_ref);
        read.map(|read| self.map.import(&read.outline, &import)).unwrap_or_default()
    }

    /// Returns the files of a Go package that define the function `name`. An empty `target` means the package
    /// of the file itself.
    fn package(&mut self, path: &str, target: &str, name: &str) -> Option<Vec<String>> {
        let folder = if target.is_empty() {
            folder_of(path).to_owned()
        } else {
            folder_of(self.imported(path, target).first()?).to_owned()
        };
        // All functions of the folder by one search, if it shows them all.
        let all = self.search(r"(?-iu)^func [A-Za-z_]", &folder)?;
        let found = if all.lines > all.shown.len() {
            self.search(&format!(r"(?-iu)^func {name}[(\[]"), &folder)?
        } else {
            all
        };
        let defines = |line: &&MatchedLine| {
            let rest = line.text.trim_start().strip_prefix("func ").and_then(|rest| rest.strip_prefix(name));
            rest.is_some_and(|rest| rest.starts_with(['(', '[']))
        };
        let inside = found.shown.iter().filter(defines).map(|line| &line.path);
        let inside = inside.filter(|found| folder_of(found) == folder && !found.ends_with("_test.go"));
        Some(inside.cloned().collect())
    }

    /// Returns the lines below a folder that match a pattern. `None` while the answer is missing, and after
    /// [`SEARCHES`] different searches.
    fn search(&mut self, pattern: &str, folder: &str) -> Option<MatchedLines<'r>> {
        self.searches.insert((pattern.to_owned(), folder.to_owned()));
        if self.searches.len() > SEARCHES {
            self.searches.remove(&(pattern.to_owned(), folder.to_owned()));
            self.is_unread = true;
            return None;
        }
        self.plan.grep(pattern, folder)
    }
}

/// Returns the calls in a function, with those in its inner functions; of a script the calls outside of all
/// functions.
fn own_calls<'f>(read: &'f ReadSource, of: &FlowPlace) -> Vec<&'f CallSite> {
    let functions: Vec<(usize, usize)> = read
        .outline
        .walk()
        .filter(|(_, symbol)| symbol.kind.is_callable())
        .map(|(_, symbol)| (symbol.line, symbol.line_end))
        .collect();
    let within = |line: usize, (first, last): (usize, usize)| (first..=last).contains(&line);
    let is_own = |call: &&CallSite| match of.lines {
        Some(lines) => within(call.line, lines),
        None => !functions.iter().any(|lines| within(call.line, *lines)),
    };
    read.calls.iter().filter(is_own).collect()
}

/// Returns code as a code span; unchanged if it contains a backtick.
fn in_backticks(code: &str) -> String {
    if code.contains('`') { code.to_owned() } else { format!("`{code}`") }
}

/// Returns the path of the file of a Java class in the same package as `path`.
fn beside(path: &str, class: &str) -> String {
    match folder_of(path) {
        "" => format!("{class}.java"),
        folder => format!("{folder}/{class}.java"),
    }
}

/// Returns the import target from which a file takes the function or type of `reach`, if it re-exports or
/// imports that without renaming; `None` otherwise.
fn handed_on(file: &FileOutline, reach: &CalledDefinition) -> Option<String> {
    let wanted = reach.of.as_ref().unwrap_or(&reach.name);
    let plain = file.imports.iter().filter(|import| !import.text.contains(" as "));
    if matches!(file.language, Language::JavaScript | Language::TypeScript | Language::Tsx) {
        let mut words = plain.filter(|import| {
            let mut words = import.text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$');
            import.text.starts_with("export") && words.any(|word| word == wanted)
        });
        return words.next().and_then(|import| import.targets.first().cloned());
    }
    let mut targets = plain.flat_map(|import| &import.targets);
    targets.find(|target| target.rsplit([':', '.']).next() == Some(wanted)).cloned()
}
