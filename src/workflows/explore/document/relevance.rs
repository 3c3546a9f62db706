//! Step `merge` of a document: puts each finding of an agent into the sections that it is about, by the
//! paths and names that it cites and by its topic (EXP-53, 55).

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::imports::{owner_of, owners};
use super::section::{ScopeSection, SectionNote};
use crate::workflows::explore::agents::{AgentId, AgentRecord};
use crate::workflows::explore::notepad::NotepadEntry;

/// Sections with the findings of agents in them, and the findings about the whole repository.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergedSections {
    /// The sections, in the order of the plan.
    pub sections: Vec<ScopeSection>,
    /// Findings about the repository, or about more scopes than a finding is repeated in.
    pub general: Vec<SectionNote>,
}

/// Maximum number of sections that show a finding: the first one in full, the second one as a
/// reference. A finding about more sections counts as one about the whole.
const SECTIONS: usize = 2;
/// Points of a section for each of its paths that a finding cites.
const PATH: usize = 6;
/// Points for being the scope of the finding's author.
const AUTHOR: usize = 3;
/// Points for a part of the finding's topic that is the name of the section's folder.
const TOPIC: usize = 2;
/// Points for a cited name that only this section defines.
const NAME: usize = 1;
/// Maximum length of a cited text that is looked up, in bytes.
const SPAN: usize = 200;
/// Maximum number of cited texts of a finding that are looked up.
const SPANS: usize = 200;

/// Puts the findings of agents into the sections. A finding that a section states already is dropped.
pub fn merge(sections: Vec<ScopeSection>, notes: &[NotepadEntry], agents: &[AgentRecord]) -> MergedSections {
    let placed: Vec<Vec<usize>> = {
        let lookup = SectionLookup::of(&sections, agents);
        notes.iter().map(|note| lookup.place(note)).collect()
    };
    let mut merged = MergedSections { sections, general: Vec::new() };
    for (note, places) in notes.iter().zip(placed) {
        let known = SectionNote {
            topic: note.topic.to_string(),
            content: note.content.clone(),
            author: note.author.clone(),
        };
        if places.is_empty() {
            merged.general.push(known);
            continue;
        }
        let whole = places[0];
        for at in places {
            let content = if at == whole {
                known.content.clone()
            } else {
                format!("See {}.", merged.sections[whole].title)
            };
            let section = &mut merged.sections[at];
            // The standard track has said it.
            let is_told = section.interface.contains(&content) || section.described_files.contains(&content);
            if !is_told {
                section.notes.push(SectionNote { content, ..known.clone() });
            }
        }
    }
    merged
}

/// Index of the sections by everything that a finding may cite.
struct SectionLookup<'a> {
    sections: &'a [ScopeSection],
    files: HashMap<&'a str, usize>,
    /// Section that defines a name; `None` if several do.
    names: HashMap<&'a str, Option<usize>>,
    /// Section by the last part of its path, in lower case; `None` if several have it.
    words: HashMap<String, Option<usize>>,
    /// Scopes of the agents.
    scopes: BTreeMap<&'a AgentId, &'a str>,
}

impl<'a> SectionLookup<'a> {
    /// Builds the index. A name or folder name that several sections have belongs to none of them.
    fn of(sections: &'a [ScopeSection], agents: &'a [AgentRecord]) -> Self {
        let (mut names, mut words) = (HashMap::new(), HashMap::new());
        for (at, section) in sections.iter().enumerate() {
            for name in &section.names {
                names.entry(name.as_str()).and_modify(|known| *known = None).or_insert(Some(at));
            }
            let word = section.path.rsplit('/').next().unwrap_or_default().to_lowercase();
            if !word.is_empty() {
                words.entry(word).and_modify(|known| *known = None).or_insert(Some(at));
            }
        }
        let scopes = agents.iter().map(|agent| (&agent.id, agent.scope.path.as_str())).collect();
        Self { sections, files: owners(sections), names, words, scopes }
    }

    /// Returns the positions of the sections that a finding is about, the most relevant first; empty
    /// for a finding about the whole.
    fn place(&self, note: &NotepadEntry) -> Vec<usize> {
        let mut points: BTreeMap<usize, usize> = BTreeMap::new();
        let mut add = |at: Option<usize>, more: usize| {
            if let Some(at) = at {
                *points.entry(at).or_default() += more;
            }
        };
        let mut cites = false;
        for span in spans(&note.content) {
            let at = self.path(span);
            cites |= at.is_some() || looks_like_a_path(span);
            add(at, PATH);
            add(self.names.get(last_name(span)).copied().flatten(), NAME);
        }
        for part in note.topic.as_str().split('.') {
            add(self.words.get(&part.to_lowercase()).copied().flatten(), TOPIC);
        }
        // The author's scope counts for a finding that cites no place, or places in that scope. That of the root is the whole.
        let scope = self.scopes.get(&note.author).copied().unwrap_or_default();
        let own = self.sections.iter().position(|section| section.path == scope && !scope.is_empty());
        if let Some(own) = own.filter(|own| !cites || points.contains_key(own)) {
            *points.entry(own).or_default() += AUTHOR;
        }
        let best = points.values().copied().max().unwrap_or_default();
        let mut relevant: Vec<(usize, usize)> =
            points.into_iter().filter(|(_, points)| points * 2 >= best).collect();
        relevant.sort_by_key(|(at, points)| (Reverse(*points), *at));
        if relevant.len() > SECTIONS { Vec::new() } else { relevant.into_iter().map(|(at, _)| at).collect() }
    }

    /// Returns the section of a cited path, with or without line numbers.
    fn path(&self, cited: &str) -> Option<usize> {
        let path = cited.split_once(':').map_or(cited, |(path, _)| path).trim_end_matches('/');
        owner_of(&self.files, self.sections, path)
    }
}

/// Returns the texts between brackets, backticks, parentheses and commas that have no space.
fn spans(text: &str) -> impl Iterator<Item = &str> {
    let marked = text.split(['[', ']', '`', '(', ')', ',']).map(str::trim);
    marked.filter(|span| !span.is_empty() && span.len() <= SPAN && !span.contains(' ')).take(SPANS)
}

/// Returns true for a text with `/`, or with `:` and `.` such as `a.rs:3`.
fn looks_like_a_path(span: &str) -> bool {
    let path = span.split_once(':').map_or(span, |(path, _)| path);
    path.contains('/') || span.contains(':') && path.contains('.')
}

/// Returns the last part of a qualified name: `take` of `Stock.take`.
fn last_name(span: &str) -> &str {
    span.rsplit(['.', ':']).next().unwrap_or(span)
}
