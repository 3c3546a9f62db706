//! The steps by rules: no model, no network, the same answer to the same repository. Front matter and report say so.

use std::collections::BTreeMap;

use super::content::{ContextLayout, count_tokens, write_context};
use super::context_file::{ContextAuthor, ContextFile, ContextMetadata};
use super::nodes::{one_line, sections};
use super::search::{TokenLimit, answer_by_rules, discover};
use super::state::CodeAnalysis;
use crate::facts::{FactKind, FactSubject, FactValue, Facts, PathRole};
use crate::repo::CodeBase;

/// Most entries of each list of an analysis.
const LISTED: usize = 12;

/// Returns the analysis of the code by rules, from the facts: purposes of folders, tools and rules, the
/// technology stack, stated limits.
pub fn analyse(facts: &Facts) -> CodeAnalysis {
    CodeAnalysis {
        architecture_patterns: patterns(facts),
        coding_conventions: conventions(facts),
        tech_stack: stack(facts),
        insights: insights(facts),
    }
}

/// Returns the stated purposes of at most 12 folders and projects, the outermost first, each with its source.
fn patterns(facts: &Facts) -> Vec<String> {
    let purposes = facts.of_kind(FactKind::Purpose).filter(|fact| fact.role == PathRole::Runtime);
    let of_folders = purposes.filter_map(|fact| match (&fact.subject, &fact.value) {
        (FactSubject::Folder(path) | FactSubject::Project(path), FactValue::Purpose { text })
            if !path.is_empty() =>
        {
            Some((path, format!("`{path}`: {text} [{}]", fact.sources[0])))
        }
        _ => None,
    });
    let mut by_folder: BTreeMap<(usize, &String), String> = BTreeMap::new();
    for (path, text) in of_folders {
        by_folder.entry((path.matches('/').count(), path)).or_insert(text);
    }
    by_folder.into_values().take(LISTED).collect()
}

fn conventions(facts: &Facts) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for fact in facts.of_kind(FactKind::Tool) {
        if let FactValue::Tool { purpose, name } = &fact.value {
            let topic = format!("{purpose:?}").to_lowercase();
            found.entry(topic).or_insert_with(|| format!("`{name}` [{}]", fact.sources[0]));
        }
    }
    for (number, fact) in (1..=LISTED).zip(facts.of_kind(FactKind::Rule)) {
        if let FactValue::Rule { text } = &fact.value {
            found.insert(format!("rule {number}"), format!("{text} [{}]", fact.sources[0]));
        }
    }
    found
}

fn stack(facts: &Facts) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for fact in facts.of_kind(FactKind::Project).chain(facts.of_kind(FactKind::Tool)) {
        let name = match &fact.value {
            FactValue::Project { ecosystem, .. } => format!("{ecosystem:?}").to_lowercase(),
            FactValue::Tool { name, .. } => name.clone(),
            _ => continue,
        };
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found.truncate(LISTED);
    found
}

fn insights(facts: &Facts) -> Option<String> {
    let stated = facts.of_kind(FactKind::Limit).filter_map(|fact| match &fact.value {
        FactValue::Limit { text } => Some(format!("{text} [{}]", fact.sources[0])),
        _ => None,
    });
    let text = stated.take(LISTED).collect::<Vec<_>>().join(" ");
    (!text.is_empty()).then_some(text)
}

/// Beginning of the heading of a section that a request got.
const REQUEST: &str = "On request: ";
/// Tokens of such a section.
const REQUEST_TOKENS: usize = 900;

/// Returns the text of a context file after a request, without a model. Sections that rules wrote are written
/// again; others stay. A section "On request: …" with places that match the words of the request is added,
/// because rules cannot carry it out.
pub fn refine(
    original: &ContextFile,
    request: &str,
    code: &CodeBase,
    facts: &Facts,
    max_tokens: usize,
) -> String {
    let body = original.body.trim();
    let is_of_rules = ContextMetadata::try_from(&original.front_matter)
        .is_ok_and(|metadata| metadata.provenance.written_by == ContextAuthor::Rules);
    let kept = if is_of_rules {
        let summary = original.front_matter.text("user_summary");
        let fresh = write_context(code, facts, summary, ContextLayout::Context, max_tokens).markdown;
        let headings: Vec<&str> = sections(&fresh).into_iter().map(heading).collect();
        let added = sections(body)
            .into_iter()
            .filter(|section| section.starts_with("## ") && !headings.contains(&heading(section)));
        added.fold(fresh.trim_end().to_owned(), |text, section| format!("{text}\n\n{}", section.trim_end()))
    } else {
        body.to_owned()
    };
    let title = format!("## {REQUEST}{}", one_line(request));
    // The same request again replaces its section.
    let others = sections(&kept).into_iter().filter(|section| section.lines().next() != Some(title.as_str()));
    let others = others.map(str::trim_end).collect::<Vec<_>>().join("\n\n");
    let discovery = discover(request, code);
    if discovery.fallback {
        return format!("{others}\n\n{title}\n\nNo word of the request is in the repository.\n");
    }
    let limit = TokenLimit { max: REQUEST_TOKENS, count: &count_tokens };
    let answer = answer_by_rules(request, &discovery, code, facts, &limit).markdown;
    // Its title is that of the section; its headings move one level down.
    let answer = answer.lines().skip_while(|line| line.starts_with("# ") || line.trim().is_empty());
    let mut in_fence = false;
    let lines = answer.map(|line| {
        in_fence ^= line.starts_with("```");
        if line.starts_with("##") && !in_fence { format!("#{line}") } else { line.to_owned() }
    });
    format!("{others}\n\n{title}\n\n{}\n", lines.collect::<Vec<_>>().join("\n").trim_end())
}

fn heading(section: &str) -> &str {
    section.lines().next().unwrap_or_default()
}
