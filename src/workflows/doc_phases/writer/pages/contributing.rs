//! The page of rules, recipes and limits, in the words of the repository.

use super::super::facts::PageFacts;
use super::super::page::{Block, DocumentPage, Text, code, heading, plain, prose, source};
use super::quoted::sections_at;
use super::{CONTRIBUTING_NOTES, comma_separated, facts_note, section, sourced};
use crate::facts::{Fact, FactKind, FactValue};
use crate::workflows::doc_phases::selection::{MemberLine, MemberPlace, MemberSet};

/// Maximum of items of a list.
const ITEMS: usize = 40;

/// Returns the page `CONTRIBUTING_NOTES` with rules, recipes and known limits that the repository states, and sets of similar members;
/// `None` without any.
pub(in super::super) fn contributing(facts: &PageFacts) -> Option<DocumentPage> {
    let mut blocks = section(2, "Rules for contributors", quotes(facts, FactKind::Rule));
    blocks.extend(section(2, "How to", recipes(facts)));
    blocks.extend(section(2, "Adding one more", additions(facts)));
    blocks.extend(section(2, "Known limits", quotes(facts, FactKind::Limit)));
    let quoted = sections_at(3, &facts.selected.contributor_sections);
    blocks.extend(section(2, "In the words of its documents", quoted));
    if blocks.is_empty() {
        return None;
    }
    blocks.insert(0, facts_note());
    Some(DocumentPage {
        path: CONTRIBUTING_NOTES.to_owned(),
        title: format!("Notes for contributors to {}", facts.system()),
        blocks,
    })
}

fn quotes(facts: &PageFacts, kind: FactKind) -> Option<Block> {
    let quote = |fact: &Fact| match &fact.value {
        FactValue::Rule { text } | FactValue::Limit { text } => Some(sourced(prose(text), &fact.sources)),
        _ => None,
    };
    let items: Vec<Text> = facts.selected.of_product(kind).filter_map(quote).take(ITEMS).collect();
    (!items.is_empty()).then_some(Block::List(items))
}

fn recipes(facts: &PageFacts) -> Vec<Block> {
    let recipe = |fact: &Fact| match &fact.value {
        FactValue::Recipe { title, steps } => {
            let steps: Vec<Text> = steps.iter().map(|step| prose(step)).collect();
            let place = Block::Paragraph(sourced(prose("In the words of the repository"), &fact.sources));
            Some([heading(3, title), place, Block::Steps(steps)])
        }
        _ => None,
    };
    facts.selected.of_product(FactKind::Recipe).filter_map(recipe).flatten().collect()
}

/// Lists the sets of similar members, each with the code that names nearly all of them.
fn additions(facts: &PageFacts) -> Vec<Block> {
    let items: Vec<(Text, Vec<Text>)> =
        facts.selected.member_sets.iter().map(|set| (addition(set), example(set))).collect();
    if items.is_empty() {
        return Vec::new();
    }
    let about = "Sets of similar members, and the code outside of their definition that names all or most of them: a new member may need a \
                 change there. Below are the lines that name one of them, as an example.";
    vec![Block::Paragraph(vec![plain(about)]), Block::Tree(items)]
}

fn addition(set: &MemberSet) -> Text {
    let words = if set.words.is_empty() { String::new() } else { format!("{} ", set.words) };
    let start = vec![plain(format!("One more {words}")), code(&set.title)];
    let mut text = sourced(start, set.source.as_slice());
    text.push(plain(" beside "));
    text.extend(comma_separated(set.members.iter().map(code)));
    text.extend((set.more > 0).then(|| plain(format!(" and {} more", set.more))));
    if set.places.is_empty() {
        return text;
    }
    text.push(plain(": named in "));
    for (at, place) in set.places.iter().enumerate() {
        text.extend((at > 0).then(|| plain(", ")));
        text.extend(member_place(place));
    }
    text
}

/// Lists the lines that name the example of a set: the first ones of each file.
fn example(set: &MemberSet) -> Vec<Text> {
    let Some(example) = &set.example else { return Vec::new() };
    let start = |at: usize| {
        let words = if at == 0 {
            vec![code(&example.name), plain(" or its words in another spelling: ")]
        } else {
            Text::new()
        };
        words.into_iter()
    };
    let line = |(at, line): (usize, &MemberLine)| -> Text {
        let mut text: Text = start(at).collect();
        if line.place.start == 0 {
            text.extend([plain("the name of "), code(&line.place.path)]);
            return text;
        }
        text.push(source(&line.place));
        if !line.text.is_empty() {
            text.extend([plain(": "), code(&line.text)]);
        }
        match line.more {
            0 => {}
            1 => text.push(plain(" and one more line")),
            more => text.push(plain(format!(" and {more} more lines"))),
        }
        text
    };
    let more = (example.more > 0).then(|| vec![plain(format!("and {} more files", example.more))]);
    example.lines.iter().enumerate().map(line).chain(more).collect()
}

fn member_place(place: &MemberPlace) -> Text {
    if place.lines.start == 0 {
        return vec![plain("files "), code(&place.lines.path)];
    }
    match &place.within {
        Some(within) => sourced(vec![code(within)], std::slice::from_ref(&place.lines)),
        None => vec![source(&place.lines)],
    }
}
