//! The parts of a repository that a request shows to a model: facts with their places, the tree, files. All of it is data of strangers:
//! invisible characters, values of secrets and the marks of our own prompts are taken out.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::passages::{LineRange, show_files};
use crate::facts::{FactKind, FactValue, PathRole};
use crate::repo::{NodeKind, ScanLimits, TreeNode, cut};
use crate::workflows::contextualize::content::{ContextLayout, write_context};
use crate::workflows::contextualize::services::{OpenRepository, RepositoryPlace};
use crate::workflows::contextualize::state::{ContextRun, RepositoryIdentity};
use crate::workflows::foreign_text::without_secrets;

/// Most files of a request for an analysis (CTX-12).
pub(super) const ANALYSED_FILES: usize = 20;
/// Largest file of such a request, in bytes (CTX-19).
const FILE_BYTES: u64 = 50_000;
/// Longest part of a file of such a request, in characters (CTX-19).
const FILE_CHARS: usize = 20_000;
/// Part of the material of a text that the lines are which an agent read, in percent; the rest is facts.
const READ_PERCENT: usize = 40;
/// Longest tree, in characters.
const TREE_CHARS: usize = 6_000;
/// Most entries of a directory of the tree.
const TREE_CHILDREN: usize = 25;
/// Deepest level of the tree.
const TREE_DEPTH: usize = 4;

/// Returns the location of the run's repository: source, commit (if known) and settings.
pub(super) fn place<'a>(
    input: &'a ContextRun,
    repository: Option<&'a RepositoryIdentity>,
) -> RepositoryPlace<'a> {
    let commit = repository.and_then(|it| it.commit.as_deref());
    RepositoryPlace { source: &input.source, commit, settings: &input.settings }
}

/// The parts of a repository in a request about the whole of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RepositoryMaterial {
    /// The context file by rules: facts with their places.
    pub(super) facts: String,
    /// The tree, indented.
    pub(super) tree: String,
    /// Files, the most important first.
    pub(super) files: Vec<ShownFile>,
}

/// A file in a request, with numbered lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ShownFile {
    /// Path of the file.
    pub(super) path: String,
    /// Its text, or the beginning of it.
    pub(super) text: String,
    /// Number of lines that are not shown.
    pub(super) left_out: usize,
}

/// Returns the material of an analysis in at most `chars` characters: up to two fifths are facts, up to an
/// eighth is the tree, and the rest is files: first those in `first`, then those that the rules rank highest.
pub(super) fn for_analysis(
    repository: &OpenRepository,
    summary: Option<&str>,
    first: &[String],
    chars: usize,
) -> RepositoryMaterial {
    let facts = facts_digest(repository, summary, chars * 2 / 5);
    let tree = tree_digest(repository, TREE_CHARS.min(chars / 8));
    let left = chars.saturating_sub(facts.len() + tree.len());
    let ranked = rank_files(repository).into_iter().filter(|path| !first.contains(path));
    let paths = first.iter().cloned().chain(ranked);
    let named = first.len().min(ANALYSED_FILES);
    RepositoryMaterial { files: important_files(repository, paths, named, left), facts, tree }
}

/// Returns the material of a context file in at most `chars` characters: the tree, the lines that an agent
/// read (up to 40 %), and facts.
pub(super) fn for_text(
    repository: &OpenRepository,
    summary: Option<&str>,
    read: &[(String, Vec<LineRange>)],
    chars: usize,
) -> RepositoryMaterial {
    let tree = tree_digest(repository, TREE_CHARS.min(chars / 8));
    let files = show_files(repository, read, chars / 100 * READ_PERCENT);
    let files_chars = files.iter().map(|file| file.text.len()).sum::<usize>();
    let facts = facts_digest(repository, summary, chars.saturating_sub(tree.len() + files_chars));
    RepositoryMaterial { facts, tree, files }
}

/// Returns the context file that rules write, cut to `chars` characters and safe to quote in a prompt.
pub(super) fn facts_digest(repository: &OpenRepository, summary: Option<&str>, chars: usize) -> String {
    let tokens = chars / crate::llm::CHARACTERS_PER_TOKEN;
    let text = write_context(&repository.code, repository.facts(), summary, ContextLayout::Context, tokens);
    cut(&as_data(&text.markdown), chars).kept.to_owned()
}

/// Returns the tree of the repository, indented, in at most `chars` characters; deep levels are left out
/// first.
pub(super) fn tree_digest(repository: &OpenRepository, chars: usize) -> String {
    let limits = ScanLimits { depth: TREE_DEPTH, children: TREE_CHILDREN };
    let scan = crate::repo::scan(&**repository.code.files(), limits);
    let mut text = String::new();
    for depth in (1..=TREE_DEPTH).rev() {
        text.clear();
        write_tree(&scan.tree, 0, depth, &mut text);
        if text.len() <= chars {
            break;
        }
    }
    cut(&as_data(&text), chars).kept.to_owned()
}

fn write_tree(node: &TreeNode, level: usize, depth: usize, text: &mut String) {
    for child in &node.children {
        let mark = if child.kind == NodeKind::Directory { "/" } else { "" };
        let _ = writeln!(text, "{}{}{mark}", "  ".repeat(level), child.name);
        if level + 1 < depth {
            write_tree(child, level + 1, depth, text);
        }
    }
    if node.truncated > 0 {
        let _ = writeln!(text, "{}… {} more", "  ".repeat(level), node.truncated);
    }
}

/// Returns the beginnings of at most 20 of these files, in at most `chars` characters in total. The first
/// `named` ones share it equally, so that each is shown.
fn important_files(
    repository: &OpenRepository,
    paths: impl Iterator<Item = String>,
    named: usize,
    chars: usize,
) -> Vec<ShownFile> {
    let mut left = chars;
    let mut shown = Vec::new();
    for (at, path) in paths.enumerate() {
        let is_named = at < named;
        if shown.len() == ANALYSED_FILES || !is_named && left < FILE_CHARS / 20 {
            break;
        }
        let part = if is_named { left / (named - at) } else { left };
        let Some(file) = show_file(repository, &path, part.min(FILE_CHARS)) else { continue };
        left = left.saturating_sub(file.text.len());
        shown.push(file);
    }
    shown
}

/// Returns the paths of files to read first: entry points, then the files that most others depend on, then
/// files with a stated purpose.
fn rank_files(repository: &OpenRepository) -> Vec<String> {
    let facts = repository.facts();
    let mut needed: BTreeMap<&str, usize> = BTreeMap::new();
    let mut entries: Vec<&str> = Vec::new();
    for fact in facts.iter().filter(|fact| fact.role == PathRole::Runtime) {
        match &fact.value {
            FactValue::Edge { to, .. } => *needed.entry(to).or_default() += 1,
            FactValue::Target { entry, .. } => entries.push(entry),
            _ => {}
        }
    }
    let mut central: Vec<(&str, usize)> = needed.into_iter().collect();
    central.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let described = facts.of_kind(FactKind::Purpose).map(|fact| fact.subject.path());
    let mut seen = BTreeSet::new();
    let all = entries.into_iter().chain(central.into_iter().map(|(path, _)| path)).chain(described);
    all.filter(|path| !path.is_empty() && seen.insert(*path)).map(str::to_owned).collect()
}

/// Returns a file with numbered lines, cut at a line to `chars` characters; `None` if it exceeds 50 kB, is no
/// text, or no line fits.
pub(super) fn show_file(repository: &OpenRepository, path: &str, chars: usize) -> Option<ShownFile> {
    let files = repository.code.files();
    let found = files.path(std::path::Path::new(path)).ok()?;
    if files.size(&found).ok()? > FILE_BYTES {
        return None;
    }
    let text = as_data(&files.read_text(&found).ok()?);
    let (mut shown, mut count) = (String::new(), 0);
    for (number, line) in (1..).zip(text.lines()) {
        let line = format!("{number}| {line}\n");
        if shown.len() + line.len() > chars {
            break;
        }
        shown.push_str(&line);
        count = number;
    }
    let left_out = text.lines().count() - count;
    (!text.trim().is_empty() && count > 0).then(|| ShownFile {
        path: found.to_string(),
        text: shown,
        left_out,
    })
}

/// Elements of our prompts that hold data. Their ends must not stand in the data.
const ELEMENTS: &[&str] =
    &["facts", "tree", "file", "files", "summary", "question", "document", "request", "analysis", "insights"];

/// Makes a text of the repository safe to quote in a prompt: secrets are replaced, and closing tags of the
/// prompt's elements, such as `</file`, are broken.
pub(super) fn as_data(text: &str) -> String {
    let mut safe = without_secrets(text);
    for element in ELEMENTS {
        let end = format!("</{element}");
        if safe.contains(&end) {
            safe = safe.replace(&end, &format!("< /{element}"));
        }
    }
    safe
}
