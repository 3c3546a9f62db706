//! Adds missing tags of data streams (`{{fields "log"}}`, `{{event "log"}}`), which the build of a package
//! replaces by tables of fields and sample events (SEC-124).

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::package::{DataStream, IntegrationPackage, SectionTopic, template_sections};

use super::edit::{Edit, EditableText, PlacedSection};

/// Pattern of a `fields` or `event` tag with any spacing; its groups are the function and the name of the
/// data stream.
static TAG: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"\{\{-?\s*(fields|event)\s+["`]([A-Za-z0-9_.-]+)["`]\s*-?\}\}"#).expect("a valid pattern")
});

/// Returns true if the name of a data stream has only characters that a tag may hold; the build would not
/// find another name.
pub(crate) fn is_tag_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
}

/// Returns the tags to write into the document for a data stream, each with its name: `{{event "NAME"}}` if it has a sample
/// event, then `{{fields "NAME"}}` (SEC-124). The build of the package looks the name up.
pub(crate) fn stream_tags(stream: &DataStream) -> Vec<String> {
    let mut tags = Vec::new();
    if stream.sample_event.is_some() {
        tags.push(format!("{{{{event \"{}\"}}}}", stream.name));
    }
    tags.push(format!("{{{{fields \"{}\"}}}}", stream.name));
    tags
}

/// The byte ranges of the first `fields` tag and the first `event` tag of a data stream that are outside
/// code and comments.
#[derive(Default)]
struct FoundTags {
    fields: Option<Range<usize>>,
    event: Option<Range<usize>>,
}

/// Returns the edits that insert missing tags into a document, so that it has the tag `{{fields "…"}}` for
/// each data stream of the package, and `{{event "…"}}` for each with a sample event.
pub(super) fn plan(text: &EditableText<'_>, package: &IntegrationPackage) -> Vec<Edit> {
    let found = find_tags(text);
    let sections = text.sections();
    let mut edits = Vec::new();
    let mut new_parts: Vec<&DataStream> = Vec::new();
    for stream in package.data_streams.iter().filter(|stream| is_tag_name(&stream.name)) {
        let tags = found.get(stream.name.as_str());
        let fields = tags.and_then(|tags| tags.fields.clone());
        let event = tags.and_then(|tags| tags.event.clone());
        let wants_event = stream.sample_event.is_some();
        let name = &stream.name;
        match (fields, event) {
            (Some(fields), None) if wants_event => {
                let change = format!("Added the sample event of the data stream `{name}` before its fields.");
                edits.push(insert_beside(
                    text,
                    &fields,
                    TagSide::Before,
                    &format!("{{{{event \"{name}\"}}}}"),
                    change,
                ));
            }
            (Some(_), _) => {}
            (None, Some(event)) => {
                let change = format!("Added the fields of the data stream `{name}` behind its sample event.");
                edits.push(insert_beside(
                    text,
                    &event,
                    TagSide::Behind,
                    &format!("{{{{fields \"{name}\"}}}}"),
                    change,
                ));
            }
            (None, None) => match part_of(&sections, stream) {
                Some(part) => {
                    let change = format!(
                        "Added the tags of the data stream `{name}` to the part \"{}\".",
                        part.section.title
                    );
                    edits.push(text.insert_blocks(part.body_end, &stream_tags(stream), change));
                }
                None => new_parts.push(stream),
            },
        }
    }
    if !new_parts.is_empty() {
        edits.push(insert_parts(text, package, &sections, &new_parts));
    }
    edits
}

fn find_tags<'t>(text: &'t EditableText<'_>) -> BTreeMap<&'t str, FoundTags> {
    let mut found: BTreeMap<&str, FoundTags> = BTreeMap::new();
    for captures in TAG.captures_iter(text.source) {
        let range = captures.get(0).expect("a match has a whole").range();
        if !text.is_visible(&range) {
            continue;
        }
        let tags = found.entry(captures.get(2).expect("the pattern has a name").as_str()).or_default();
        let place = if &captures[1] == "fields" { &mut tags.fields } else { &mut tags.event };
        place.get_or_insert(range);
    }
    found
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TagSide {
    Before,
    Behind,
}

/// Returns an edit that inserts `tag` before or behind the tag at the range `other`: on lines of its own if
/// that tag stands alone on its line, else before or behind the whole block that holds it.
fn insert_beside(
    text: &EditableText<'_>,
    other: &Range<usize>,
    side: TagSide,
    tag: &str,
    change: String,
) -> Edit {
    let line = text.lines.start_of_line(other.start)..text.lines.end_of_line(other.end.saturating_sub(1));
    let source = &text.source[line.clone()];
    let is_alone = source.trim().len() == other.len() && !text.is_protected(other) && !text.is_html(other);
    let (place, indent) = if is_alone {
        let indent = source.len() - source.trim_start().len();
        (line, &source[..indent])
    } else {
        (text.block_around(other), "")
    };
    let eol = text.eol;
    match side {
        TagSide::Before => Edit::insert(place.start, format!("{indent}{tag}{eol}{eol}"), change),
        TagSide::Behind => {
            let gap = if text.source[..place.end].ends_with('\n') { "" } else { eol };
            Edit::insert(place.end, format!("{gap}{eol}{indent}{tag}{eol}"), change)
        }
    }
}

/// Returns the sub-section of the reference section whose title is the title, name or dataset of the data
/// stream, without regard to case; `None` if there is none.
fn part_of<'s>(sections: &[PlacedSection<'s>], stream: &DataStream) -> Option<PlacedSection<'s>> {
    let reference = reference(sections)?;
    let is_name = |title: &str| {
        let names = [&stream.title, &stream.name, &stream.dataset];
        names.iter().any(|name| !name.trim().is_empty() && name.trim().eq_ignore_ascii_case(title.trim()))
    };
    let inside = |placed: &&PlacedSection<'_>| placed.start > reference.start && placed.end <= reference.end;
    sections.iter().filter(inside).find(|placed| is_name(&placed.section.title)).copied()
}

fn reference<'s>(sections: &[PlacedSection<'s>]) -> Option<PlacedSection<'s>> {
    let is_reference = |placed: &&PlacedSection<'_>| {
        SectionTopic::of(&placed.section.title) == Some(SectionTopic::Reference)
    };
    sections.iter().filter(|placed| placed.section.level == 2).find(is_reference).copied()
}

/// Returns an edit that adds a sub-section with the tags of each given data stream at the end of the
/// reference section. Without a reference section, one is added at the end of the document.
fn insert_parts(
    text: &EditableText<'_>,
    package: &IntegrationPackage,
    sections: &[PlacedSection<'_>],
    streams: &[&DataStream],
) -> Edit {
    let mut blocks = Vec::new();
    let at = if let Some(reference) = reference(sections) {
        reference.end
    } else {
        let own = template_sections(package).into_iter();
        let own = own
            .map(|section| section.title)
            .find(|title| SectionTopic::of(title) == Some(SectionTopic::Reference));
        blocks.push(format!("## {}", own.unwrap_or_else(|| "Reference".to_owned())));
        text.source.len()
    };
    for stream in streams {
        let title = crate::rules::stream_title(package, stream);
        blocks.push(format!("### {title}"));
        blocks.extend(stream_tags(stream));
    }
    let names: Vec<String> = streams.iter().map(|stream| format!("`{}`", stream.name)).collect();
    let plural = if names.len() == 1 { "a part for the data stream" } else { "parts for the data streams" };
    text.insert_blocks(at, &blocks, format!("Added {plural} {} to the reference.", names.join(", ")))
}
