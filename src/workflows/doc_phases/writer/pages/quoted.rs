//! Sections of documents for users, quoted as blocks; the section that tells how to install the product, and its first example.

use std::collections::BTreeSet;

use super::super::facts::PageFacts;
use super::super::page::{Block, Target, Text, code, link, plain, prose, source};
use super::USAGE;
use crate::facts::{CommandPurpose, FactKind, FactValue, QuotedBlock, QuotedSection, SectionUse, TargetKind};

/// Parts of the names of documents that begin with the use of the product.
const STARTS: [&str; 7] = ["usage", "quick", "start", "example", "intro", "index", "basic"];
/// Maximum of lines of the first example on the index.
const EXAMPLE_LINES: usize = 40;
/// Maximum of lines of the installation on the index.
const INSTALL_LINES: usize = 30;

/// Quotes sections of user documentation, each with its headings and source. Headings that consecutive
/// sections share are shown once.
pub(super) fn sections(all: &[QuotedSection]) -> Vec<Block> {
    sections_at(2, all)
}

/// Quotes sections like [`sections`], with the outermost headings at this level.
pub(super) fn sections_at(first: usize, all: &[QuotedSection]) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: &[String] = &[];
    for section in all {
        let shared = open.iter().zip(&section.headings).take_while(|(one, other)| one == other).count();
        // A section of its own has its heading again, even if another document has an equal one.
        let shared = shared.min(section.headings.len().saturating_sub(1));
        for (depth, name) in section.headings.iter().enumerate().skip(shared) {
            let level = u8::try_from(depth + first).unwrap_or(4).min(4);
            blocks.push(Block::Heading(level, prose(name)));
        }
        open = &section.headings;
        blocks.extend(quote(section));
    }
    blocks
}

/// Quotes one section without its headings, followed by a link to its source.
fn quote(section: &QuotedSection) -> Vec<Block> {
    let mut blocks: Vec<Block> = section.blocks.iter().map(block).collect();
    let mut place = vec![plain("Source: "), source(&section.source)];
    if section.is_cut {
        place.push(plain("; parts of the section are not quoted"));
    }
    blocks.push(Block::Paragraph(place));
    blocks
}

fn block(block: &QuotedBlock) -> Block {
    let all = |items: &[String]| items.iter().map(|item| prose(item)).collect();
    match block {
        QuotedBlock::Paragraph(text) => Block::Paragraph(prose(text)),
        QuotedBlock::Note(text) => Block::Quote(prose(text)),
        QuotedBlock::Items(items) => Block::List(all(items)),
        QuotedBlock::Tree(items) => {
            Block::Tree(items.iter().map(|(item, inner)| (prose(item), all(inner))).collect())
        }
        QuotedBlock::Steps(items) => Block::Steps(all(items)),
        QuotedBlock::Table(rows) => {
            let Some((head, rows)) = rows.split_first() else { return Block::List(Vec::new()) };
            Block::Table {
                head: head.iter().map(|title| without_code_marks(title).into()).collect(),
                rows: rows.iter().map(|row| all(row)).collect(),
            }
        }
        QuotedBlock::Code { language, text } => {
            Block::Code { language: language.clone().into(), text: text.clone() }
        }
    }
}

/// Returns a column title without backticks; unchanged if nothing else is left, because a title must not be
/// empty.
fn without_code_marks(title: &str) -> String {
    let bare = title.replace('`', "");
    if bare.trim().is_empty() { title.to_owned() } else { bare }
}

/// Quotes the sections that explain how to install the product, about [`INSTALL_LINES`] lines; without such a
/// section, the first command that installs it. Empty if there is neither.
pub(super) fn install(facts: &PageFacts) -> Vec<Block> {
    let all = &facts.selected.sections;
    let Some(first) = installation(facts) else { return by_command(facts) };
    if first.usage != SectionUse::Install {
        return quote(&installing_part(first, &product_names(facts)));
    }
    let mut blocks = Vec::new();
    let (mut lines, mut left_out) = (0, 0);
    let is_beside = |section: &&QuotedSection| {
        *section == first || section.usage == SectionUse::Install && section.source.path == first.source.path
    };
    for section in all.iter().filter(is_beside).filter(|section| codes(section).next().is_some()) {
        lines += section.source.end - section.source.start + 1;
        if lines > INSTALL_LINES && !blocks.is_empty() {
            left_out += 1;
            continue;
        }
        if let [_, .., name] = &section.headings[..] {
            blocks.push(Block::Heading(3, prose(name)));
        }
        blocks.extend(quote_alone(section));
    }
    if left_out > 0 {
        let page = link("Using it", Target::Page(USAGE.to_owned()));
        blocks.push(Block::Paragraph(vec![plain("Other ways are in "), page, plain(".")]));
    }
    blocks
}

/// Returns the section that tells first how to install the product.
fn installation(facts: &PageFacts) -> Option<&QuotedSection> {
    let all = &facts.selected.sections;
    let own = product_names(facts);
    let installs = |section: &&QuotedSection| {
        codes(section).any(|text| text.lines().any(|line| is_installation(line, &own)))
    };
    let of_use =
        |section: &&QuotedSection| section.usage == SectionUse::Install && codes(section).next().is_some();
    all.iter().find(of_use).or_else(|| all.iter().find(installs))
}

/// Returns of a section about more than the installation only the code that installs the product, with the paragraph before it.
fn installing_part(section: &QuotedSection, own: &BTreeSet<&str>) -> QuotedSection {
    let installs = |block: &QuotedBlock| matches!(block, QuotedBlock::Code { text, .. } if text.lines().any(|line| is_installation(line, own)));
    let Some(at) = section.blocks.iter().position(installs) else { return section.clone() };
    let start = match at.checked_sub(1).map(|before| &section.blocks[before]) {
        Some(QuotedBlock::Paragraph(_)) => at - 1,
        _ => at,
    };
    let is_cut = section.is_cut || section.blocks.len() > at + 1 - start;
    QuotedSection { blocks: section.blocks[start..=at].to_vec(), is_cut, ..section.clone() }
}

/// Returns the names of the product and of its programs, to tell its own commands from package managers.
fn product_names(facts: &PageFacts) -> BTreeSet<&str> {
    let programs = facts.selected.of_product(FactKind::Target).filter_map(|fact| match &fact.value {
        FactValue::Target { target: TargetKind::Program, name, .. } => Some(name.as_str()),
        _ => None,
    });
    programs.chain([facts.system()]).collect()
}

/// Returns a paragraph with the first command that installs the product; empty without one.
fn by_command(facts: &PageFacts) -> Vec<Block> {
    let own = product_names(facts);
    let command = facts.selected.of_product(FactKind::Command).find(|fact| {
        matches!(&fact.value, FactValue::Command { purpose: CommandPurpose::Install, command, .. } if is_installation(command, &own))
    });
    let item = command.and_then(|fact| {
        let FactValue::Command { command, .. } = &fact.value else { return None };
        let text: Text = vec![code(command)];
        Some(Block::Paragraph(super::sourced(text, &fact.sources)))
    });
    item.into_iter().collect()
}

/// Quotes the first section whose code uses the product. Introductory documents are preferred, then sections
/// about the first steps, then the README. Empty without one.
pub(super) fn example(facts: &PageFacts) -> Vec<Block> {
    let own = product_names(facts);
    let shows = |section: &&QuotedSection| codes(section).any(|code| shows_use(code, &own));
    let rank = |section: &&QuotedSection| {
        let path = section.source.path.to_lowercase();
        let name = path.rsplit('/').next().unwrap_or(&path);
        let is_readme = path.starts_with("readme");
        // An example below the heading of a special subject is none of the whole.
        let is_first_page = is_readme
            || name.rsplit('.').next() == Some("rs")
            || STARTS.iter().any(|word| name.contains(word));
        let is_start = section.usage == SectionUse::Start;
        (!is_first_page, !is_start, !is_readme)
    };
    let candidates = facts.selected.sections.iter();
    let installation = installation(facts);
    let candidates = candidates.filter(|section| {
        section.usage != SectionUse::Install && !compares(section) && installation != Some(*section)
    });
    // The first minimum wins: the order is that of the documents.
    let first = candidates.filter(shows).min_by_key(rank);
    let blocks = first.map(quote_alone).unwrap_or_default();
    shortened(blocks)
}

/// Keeps the blocks of a quotation up to [`EXAMPLE_LINES`], but at least its first code; the others are told by a link to the page
/// that has them.
fn shortened(mut blocks: Vec<Block>) -> Vec<Block> {
    let lines = |block: &Block| match block {
        Block::Code { text, .. } => text.lines().count(),
        Block::List(items) | Block::Steps(items) => items.len(),
        Block::Table { rows, .. } => rows.len(),
        _ => 1,
    };
    let Some(place) = blocks.pop() else { return blocks };
    let code = blocks.iter().position(|block| matches!(block, Block::Code { .. })).map_or(0, |at| at + 1);
    let mut sum = 0;
    let fits = blocks.iter().take_while(|block| {
        sum += lines(block);
        sum <= EXAMPLE_LINES
    });
    let kept = fits.count().max(code);
    if kept < blocks.len() {
        blocks.truncate(kept);
        let page = link("Using it", Target::Page(USAGE.to_owned()));
        blocks.push(Block::Paragraph(vec![plain("The section goes on in "), page, plain(".")]));
    }
    blocks.push(place);
    blocks
}

/// Returns true for a section about other products or about performance, by the words of its headings.
fn compares(section: &QuotedSection) -> bool {
    const WORDS: [&str; 8] =
        ["benchmark", "benchmarks", "comparison", "compared", "vs", "versus", "alternatives", "performance"];
    let mut words = section.headings.iter().flat_map(|title| title.split(|c: char| !c.is_alphanumeric()));
    words.any(|word| WORDS.contains(&word.to_lowercase().as_str()))
}

/// Quotes a section outside of its document, without the sentences that refer to other sections.
fn quote_alone(section: &QuotedSection) -> Vec<Block> {
    let mut alone = section.clone();
    for block in &mut alone.blocks {
        if let QuotedBlock::Paragraph(text) = block {
            let kept = without_pointers(text);
            alone.is_cut |= kept != *text;
            *text = kept;
        }
    }
    alone.blocks.retain(|block| !matches!(block, QuotedBlock::Paragraph(text) if text.is_empty()));
    quote(&alone)
}

/// Returns a paragraph without the sentences that refer to another section (`see below`).
fn without_pointers(text: &str) -> String {
    const SIGNS: [&str; 4] = ["see below", "see above", "following section", "next section"];
    let is_pointer = |sentence: &str| {
        let lower = sentence.to_lowercase();
        let points = [" below", " above"].iter().any(|word| lower.contains(word));
        SIGNS.iter().any(|sign| lower.contains(sign)) || points && lower.contains("section")
    };
    let (mut kept, mut rest) = (Vec::new(), text);
    while !rest.is_empty() {
        let ends = rest.match_indices(". ").find(|(at, _)| rest[at + 2..].starts_with(char::is_uppercase));
        let end = ends.map_or(rest.len(), |(at, _)| at + 1);
        if !is_pointer(&rest[..end]) {
            kept.push(rest[..end].trim());
        }
        rest = rest[end..].trim_start();
    }
    if kept.len() == 1 && kept[0].len() == text.len() { text.to_owned() } else { kept.join(" ") }
}

fn codes(section: &QuotedSection) -> impl Iterator<Item = &str> {
    section.blocks.iter().filter_map(|block| match block {
        QuotedBlock::Code { text, .. } => Some(text.as_str()),
        _ => None,
    })
}

/// Returns true if some line of the code neither imports nor installs. False for the help text of a program,
/// and for a picture made of characters.
fn shows_use(code: &str, own: &BTreeSet<&str>) -> bool {
    const IMPORTS: [&str; 9] =
        ["import ", "from ", "use ", "using ", "require ", "require_once", "#include", "//", "#"];
    let is_help = code
        .lines()
        .any(|line| line.trim_start().get(..6).is_some_and(|start| start.eq_ignore_ascii_case("usage:")));
    let signs = code.chars().filter(|c| !c.is_whitespace());
    let (letters, others): (Vec<char>, Vec<char>) = signs.partition(|c| c.is_alphanumeric());
    let is_dependency = code.trim_start().starts_with("<dependency>");
    if is_help || is_dependency || letters.len() < others.len() {
        return false;
    }
    code.lines().map(str::trim).any(|line| {
        let is_import = IMPORTS.iter().any(|start| line.starts_with(start));
        !line.is_empty() && !is_import && !is_installation(line, own)
    })
}

/// Returns true for a command line that installs a package with a package manager, unless the manager is in
/// `own`, the names of the product's programs.
fn is_installation(line: &str, own: &BTreeSet<&str>) -> bool {
    const VERBS: [&str; 6] = ["install", "i", "add", "get", "require", "-S"];
    const MANAGERS: [&str; 36] = [
        "npm", "pnpm", "yarn", "bun", "nypm", "deno", "pip", "pip3", "pipx", "uv", "poetry", "conda", "go",
        "cargo", "composer", "gem", "bundle", "dotnet", "brew", "apt", "apt-get", "dnf", "yum", "pacman",
        "yay", "paru", "zypper", "apk", "snap", "choco", "scoop", "winget", "port", "nix-env", "emerge",
        "pkg",
    ];
    let is_dependency =
        ["<dependency>", "<PackageReference ", "implementation '", "implementation \"", "implementation("]
            .iter()
            .any(|start| line.trim_start().starts_with(start));
    if is_dependency {
        return true;
    }
    let words: Vec<&str> = line.split_whitespace().take(8).collect();
    let manager = words.iter().position(|word| MANAGERS.contains(word));
    let manager = manager.filter(|at| !own.contains(words[*at]));
    manager.is_some_and(|at| at <= 3 && words[at + 1..].iter().take(3).any(|word| VERBS.contains(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_and_pictures_and_installations_show_no_use() {
        let of = |code: &str| shows_use(code, &BTreeSet::from(["uv"]));
        for code in ["pads trim a.txt", "pad('abc', 5)", "uv add pads"] {
            assert!(of(code), "{code}");
        }
        for code in ["Usage: pads FILE\n  -x trims", "+---+\n| a |\n+---+", "pip install pads", "import pads"]
        {
            assert!(!of(code), "{code}");
        }
    }
}
