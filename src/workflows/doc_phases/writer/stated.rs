//! Purposes in the words of the repository, for the index and the pages of components. Pure.

use super::facts::PageFacts;
use crate::facts::{FactKind, FactSubject, FactValue, PathRole, SourceLines};
use crate::workflows::doc_phases::memory::ComponentSummary;

/// A purpose that the repository states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StatedPurpose<'a> {
    /// Name of the type that it is about; `None` if it is about the component as a whole.
    pub(super) about: Option<&'a str>,
    pub(super) text: &'a str,
    pub(super) source: &'a SourceLines,
}

/// Names of files, without extension, whose documentation is that of their folder.
const ROOTS: [&str; 7] = ["mod", "lib", "main", "__init__", "index", "package-info", "doc"];

impl PageFacts {
    /// Returns the stated purposes of the repository, at most two different ones, the README first.
    pub(super) fn repository_purposes(&self) -> Vec<StatedPurpose<'_>> {
        let mut found = self.purposes_of(&FactSubject::Repository);
        if found.is_empty() {
            found = self.purposes_of(&FactSubject::Project(String::new()));
        }
        found.sort_by_key(|purpose| !purpose.source.path.to_lowercase().contains("readme"));
        let mut kept: Vec<StatedPurpose<'_>> = Vec::new();
        for purpose in found {
            if !kept.iter().any(|known| says_the_same(known.text, purpose.text)) {
                kept.push(purpose);
            }
        }
        kept.truncate(2);
        kept
    }

    /// Returns the stated purpose of a component: of its folder, file or project, else of its most used public type.
    pub(super) fn stated_purpose<'a>(&'a self, component: &'a ComponentSummary) -> Option<StatedPurpose<'a>> {
        let places = self.places_of(component);
        self.purpose_of_places(&places)
            .or_else(|| self.purpose_of_project(component, &places))
            .or_else(|| self.purpose_of_type(component, &places))
    }

    fn purposes_of(&self, subject: &FactSubject) -> Vec<StatedPurpose<'_>> {
        let facts = self.selected.of_kind(FactKind::Purpose).filter(|fact| fact.subject == *subject);
        let purpose = |fact: &'_ crate::facts::Fact| match &fact.value {
            FactValue::Purpose { .. } => fact.sources.first().is_some(),
            _ => false,
        };
        let purposes = facts.filter(|fact| purpose(fact)).filter_map(|fact| {
            let FactValue::Purpose { text } = &fact.value else { return None };
            Some(StatedPurpose { about: None, text, source: fact.sources.first()? })
        });
        purposes.collect()
    }

    fn first_purpose(&self, subject: &FactSubject) -> Option<StatedPurpose<'_>> {
        self.selected.purpose(subject).map(|(text, source)| StatedPurpose { about: None, text, source })
    }

    fn purpose_of_places(&self, places: &[&str]) -> Option<StatedPurpose<'_>> {
        let [place] = places else {
            // `shelf.rs` and `shelf/` are one module.
            let is_one = places.windows(2).all(|pair| without_extension(pair[0]) == without_extension(pair[1]));
            return is_one.then(|| places.iter().find_map(|place| self.purpose_of_place(place))).flatten();
        };
        self.purpose_of_place(place)
    }

    fn purpose_of_place(&self, place: &str) -> Option<StatedPurpose<'_>> {
        let folder = if place == "." { "" } else { place };
        let subjects = [
            FactSubject::Folder(folder.to_owned()),
            FactSubject::Project(folder.to_owned()),
            FactSubject::File(folder.to_owned()),
        ];
        let direct = subjects.iter().find_map(|subject| self.first_purpose(subject));
        let whole = || self.first_purpose(&FactSubject::Repository).filter(|_| folder.is_empty());
        direct.or_else(whole).or_else(|| self.purpose_of_root_file(folder))
    }

    /// Returns the purpose of the file that speaks for a folder.
    fn purpose_of_root_file(&self, folder: &str) -> Option<StatedPurpose<'_>> {
        let own_name = folder.rsplit('/').next().unwrap_or(folder);
        let speaks = |path: &str| {
            let rest = path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/'));
            let name = rest.map(|rest| rest.strip_prefix("src/").unwrap_or(rest));
            name.is_some_and(|name| {
                let stem = without_extension(name);
                ROOTS.contains(&stem) || stem == own_name
            })
        };
        let facts = self.selected.of_kind(FactKind::Purpose);
        let of_files = facts.filter_map(|fact| match &fact.subject {
            FactSubject::File(path) if speaks(path) => self.first_purpose(&fact.subject),
            _ => None,
        });
        of_files.min_by_key(|purpose| purpose.source.path.matches('/').count())
    }

    /// Returns the purpose of the innermost project around the component, if no other component is in it.
    fn purpose_of_project(&self, component: &ComponentSummary, places: &[&str]) -> Option<StatedPurpose<'_>> {
        let first = places.first()?;
        let holds = |folder: &str, place: &str| {
            folder.is_empty() || place == folder || place.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
        };
        let projects = self.selected.of_kind(FactKind::Project).filter_map(|fact| match &fact.subject {
            FactSubject::Project(folder) => Some(folder.as_str()),
            _ => None,
        });
        let project = projects.filter(|folder| holds(folder, first)).max_by_key(|folder| folder.len())?;
        let is_shared = self.components.iter().any(|other| {
            other.entry.component_id != component.component_id
                && self.places_of(&other.entry).iter().any(|place| holds(project, place))
        });
        if is_shared {
            return None;
        }
        let own = self.first_purpose(&FactSubject::Project(project.to_owned()));
        own.or_else(|| self.first_purpose(&FactSubject::Repository).filter(|_| project.is_empty()))
    }

    fn purpose_of_type<'a>(&'a self, component: &'a ComponentSummary, places: &[&str]) -> Option<StatedPurpose<'a>> {
        component.public_interfaces.iter().find_map(|interface| {
            let facts = self.selected.of_kind(FactKind::Purpose);
            let mut own = facts.filter(|fact| match &fact.subject {
                FactSubject::Symbol { path, name } => {
                    fact.role == PathRole::Runtime && *name == interface.name && is_within(path, places)
                }
                _ => false,
            });
            let fact = own.next()?;
            let FactValue::Purpose { text } = &fact.value else { return None };
            Some(StatedPurpose { about: Some(&interface.name), text, source: fact.sources.first()? })
        })
    }
}

/// Returns true if a path is one of these places or below one.
pub(super) fn is_within(path: &str, places: &[&str]) -> bool {
    places.iter().any(|place| {
        *place == "." || path == *place || path.strip_prefix(place).is_some_and(|rest| rest.starts_with('/'))
    })
}

/// Returns the first sentence of a text; a full stop ends it before a space and a capital letter.
pub(super) fn first_sentence(text: &str) -> &str {
    let ends = text.match_indices(['.', '!', '?']).find(|(at, _)| {
        let rest = &text[at + 1..];
        let next = rest.trim_start().chars().next();
        let is_short = ["e.g", "i.e", "etc", "vs"].iter().any(|word| text[..*at].ends_with(word));
        rest.starts_with(char::is_whitespace)
            && next.is_some_and(|c| c.is_uppercase() || matches!(c, '`' | '['))
            && !is_short
    });
    ends.map_or(text, |(at, stop)| &text[..at + stop.len()])
}

fn without_extension(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rfind('.') {
        Some(at) if at > 0 => &path[..path.len() - (name.len() - at)],
        _ => path,
    }
}

/// Returns true if one text contains the other, case, code marks and the last full stop aside.
pub(super) fn says_the_same(one: &str, other: &str) -> bool {
    let bare = |text: &str| text.replace('`', "").trim_end_matches('.').to_lowercase();
    let (one, other) = (bare(one), bare(other));
    one.contains(&other) || other.contains(&one)
}
