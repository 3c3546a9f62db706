//! Rules for a specification that a person wrote. Only exact findings are challenges; possible faults
//! are questions.

use std::collections::{BTreeMap, BTreeSet};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use stategraph_base::cut;

use crate::workflows::ard::analysis::IdeaAnalysis;
use crate::workflows::ard::exchange::{Category, DesignDraft, DesignRequirement};
use crate::workflows::ard::gates::{GateFinding, GateInput, check_against_idea};

/// Marks of text that is not written yet.
const PLACEHOLDERS: [&str; 7] = ["TBD", "TODO", "FIXME", "XXX", "???", "lorem ipsum", "to be defined"];
/// Minimum number of defined ids with a prefix that make the prefix a scheme of ids.
const SCHEME: usize = 2;
/// Maximum length of a quotation, in characters.
const MAX_QUOTED: usize = 100;
/// Maximum number of questions.
const MAX_QUESTIONS: usize = 10;

/// Findings of the rules about a specification: challenges with their categories, and questions to the
/// author.
#[derive(Debug, Default, PartialEq)]
pub(in super::super) struct SpecFindings {
    /// Faults, with their category.
    pub(in super::super) challenges: Vec<(Category, String)>,
    /// Questions to the author, the most important first.
    pub(in super::super) questions: Vec<String>,
}

/// Prefix and number of an id such as `FR-12`: `("FR-", 12)`.
type RequirementId<'a> = (&'a str, u32);

/// Checks a specification by itself and, if `idea` is given, for lists and numbers of the idea that it
/// lost.
pub(in super::super) fn check(text: &str, idea: Option<&str>) -> SpecFindings {
    let blocks = text_blocks(text);
    let mut found = SpecFindings::default();
    found.challenges.extend(placeholders(&blocks));
    found.challenges.extend(ids(&blocks));
    let analysis = IdeaAnalysis::of(text);
    // Two sentences of a long text may speak of different things, so that a contradiction is no exact finding here.
    let contradictions = analysis.contradictions().map(|it| format!("Contradiction? {}", it.text));
    let vague = analysis.vague_words().into_iter().map(|it| it.text);
    let questions = contradictions.chain(vague).take(MAX_QUESTIONS);
    found.questions.extend(questions.map(|text| with_quotes(&text, &analysis)));
    if analysis.unread_bytes > 0 {
        let unread = analysis.unread_bytes;
        found.questions.push(format!("The rules did not read the last {unread} bytes of the specification."));
    }
    if let Some(idea) = idea {
        let analysis = IdeaAnalysis::of(idea);
        let numbers = analysis.statements.iter().filter_map(|it| u32::try_from(it.number).ok());
        let whole =
            DesignRequirement { text: text.to_owned(), from: numbers.collect(), check: String::new() };
        let draft = DesignDraft { requirements: vec![whole], ..DesignDraft::default() };
        let input = GateInput {
            draft: &draft,
            earlier: &[],
            latest: None,
            clarifications: &[],
            analysis: &analysis,
            prompts: "",
        };
        found.challenges.extend(check_against_idea(&input).iter().filter_map(|it| lost(it, &analysis)));
    }
    found
}

/// Block of prose in a Markdown text, with the number of its first line, from 1.
struct TextBlock {
    line: usize,
    text: String,
}

/// Returns the headings, paragraphs, list items and table cells of a Markdown text. Code and front
/// matter are left out.
fn text_blocks(text: &str) -> Vec<TextBlock> {
    let mut blocks: Vec<TextBlock> = Vec::new();
    let mut code = false;
    let mut begins = true;
    let starts: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
    let options = Options::ENABLE_TABLES | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(_) | Tag::MetadataBlock(_)) => code = true,
            Event::End(TagEnd::CodeBlock | TagEnd::MetadataBlock(_)) => code = false,
            Event::Start(Tag::Paragraph | Tag::Heading { .. } | Tag::Item | Tag::TableCell) => begins = true,
            Event::Text(words) | Event::InlineHtml(words) | Event::Html(words) if !code => {
                let line = starts.partition_point(|start| *start <= range.start) + 1;
                match blocks.last_mut().filter(|_| !begins) {
                    Some(block) => block.text.push_str(&words),
                    None => blocks.push(TextBlock { line, text: words.into_string() }),
                }
                begins = false;
            }
            Event::SoftBreak | Event::HardBreak => {
                if let Some(block) = blocks.last_mut().filter(|_| !begins) {
                    block.text.push(' ');
                }
            }
            _ => {}
        }
    }
    blocks
}

/// Returns a challenge for each block with one of the marks in `PLACEHOLDERS` as a word.
fn placeholders(blocks: &[TextBlock]) -> impl Iterator<Item = (Category, String)> + '_ {
    blocks.iter().filter_map(|block| {
        let is_marked = |mark: &&str| {
            let text = if mark.chars().any(char::is_lowercase) {
                block.text.to_lowercase()
            } else {
                block.text.clone()
            };
            text.match_indices(*mark).any(|(at, _)| {
                let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
                !is_word(text[..at].chars().next_back()) && !is_word(text[at + mark.len()..].chars().next())
            })
        };
        let mark = PLACEHOLDERS.iter().find(|mark| is_marked(mark))?;
        let place = format!(
            "Line {} is not written yet (“{mark}”): {}",
            block.line,
            cut(&block.text, MAX_QUOTED).in_line()
        );
        Some((Category::Completeness, place))
    })
}

/// Returns challenges for ids that are defined twice, and for used ids that are defined nowhere. A
/// definition begins a block: `FR-1: …`. Only prefixes with at least `SCHEME` defined ids count.
fn ids(blocks: &[TextBlock]) -> Vec<(Category, String)> {
    let mut defined: BTreeMap<RequirementId<'_>, Vec<usize>> = BTreeMap::new();
    let mut used: BTreeMap<RequirementId<'_>, usize> = BTreeMap::new();
    for block in blocks {
        for (at, id, length) in ids_of(&block.text) {
            let rest = &block.text[at + length..];
            let is_definition =
                at == 0 && (rest.is_empty() || rest.starts_with([':', '.', ')']) || rest.starts_with(" - "));
            if is_definition {
                defined.entry(id).or_default().push(block.line);
            } else {
                used.entry(id).or_insert(block.line);
            }
        }
    }
    let count = |prefix: &str| defined.keys().filter(|id| id.0 == prefix).count();
    let schemes: BTreeSet<&str> = defined.keys().map(|id| id.0).filter(|it| count(it) >= SCHEME).collect();
    let twice = defined.iter().filter(|(id, lines)| lines.len() > 1 && schemes.contains(id.0));
    let twice = twice.map(|((prefix, number), lines)| {
        let lines: Vec<_> = lines.iter().map(usize::to_string).collect();
        format!("{prefix}{number} is defined more than once: lines {}.", lines.join(", "))
    });
    let unknown = used.iter().filter(|(id, _)| schemes.contains(id.0) && !defined.contains_key(*id));
    let unknown = unknown.map(|((prefix, number), line)| {
        format!("Line {line} names {prefix}{number}, which is defined nowhere.")
    });
    twice.chain(unknown).map(|text| (Category::Consistency, text)).collect()
}

/// Returns the ids in a text with their byte offsets and lengths. An id is one to five capitals, an
/// optional hyphen and a number.
fn ids_of(text: &str) -> Vec<(usize, RequirementId<'_>, usize)> {
    let mut found = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let is_start = bytes[at].is_ascii_uppercase()
            && text[..at].chars().next_back().is_none_or(|c| !c.is_alphanumeric() && !"-_./".contains(c));
        let capitals = bytes[at..].iter().take_while(|byte| byte.is_ascii_uppercase()).count();
        if !is_start || capitals > 5 {
            at += capitals.max(1);
            continue;
        }
        let prefix = capitals + usize::from(bytes.get(at + capitals) == Some(&b'-'));
        let digits = bytes[at + prefix..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let end = at + prefix + digits;
        let rest = &text[end..];
        // "R1.2" is a part of something, "B2B" a word.
        let is_part = rest.starts_with(|c: char| c.is_alphanumeric() || c == '-' || c == '_')
            || (rest.starts_with('.') && rest[1..].starts_with(|c: char| c.is_alphanumeric()));
        if let Ok(number) = text[at + prefix..end].parse()
            && !is_part
        {
            found.push((at, (&text[at..at + prefix], number), end - at));
        }
        at = end;
    }
    found
}

/// Converts a gate finding to a challenge for the author of the specification; `None` for findings that
/// do not apply.
fn lost(finding: &GateFinding, idea: &IdeaAnalysis) -> Option<(Category, String)> {
    let quote = |number: usize| {
        idea.statement(number).map(|it| cut(&it.text, MAX_QUOTED).in_line()).unwrap_or_default()
    };
    let text = match finding {
        GateFinding::LostNumber { number, statement } => {
            format!("The idea says “{}”; the specification does not have “{number}”.", quote(*statement))
        }
        GateFinding::BrokenList { missing, statement } => {
            format!(
                "The idea says “{}”; the specification leaves out {}.",
                quote(*statement),
                missing.join(", ")
            )
        }
        _ => return None,
    };
    Some((Category::Completeness, text))
}

/// Replaces numbers of statements (`S3`) in a question by quotations, because the author does not see
/// the numbers.
fn with_quotes(question: &str, analysis: &IdeaAnalysis) -> String {
    let mut text = question.to_owned();
    for statement in analysis.statements.iter().rev() {
        let name = format!("S{}", statement.number);
        let is_named = |at: usize| {
            !text[at + name.len()..].starts_with(|c: char| c.is_ascii_digit())
                && text[..at].chars().next_back().is_none_or(|c| !c.is_alphanumeric())
        };
        let place = text.match_indices(&name).map(|(at, _)| at).find(|at| is_named(*at));
        if let Some(at) = place {
            text.replace_range(
                at..at + name.len(),
                &format!("“{}”", cut(&statement.text, MAX_QUOTED).in_line()),
            );
        }
    }
    text
}
