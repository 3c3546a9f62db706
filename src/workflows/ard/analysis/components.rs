//! Proposes components for a design from the requirements: one for each thing that they are about,
//! named by the author's nouns. Leaves out everything that the idea excludes.

use std::collections::BTreeSet;

use super::lexicon::{self, is_in};
use super::stems::stem;
use super::{IdeaAnalysis, Requirement};
use crate::workflows::ard::exchange::{Component, ComponentKind};

/// Verbs after which a thing is stored and found again.
const KEEPING: &str = " store save keep record log archive track upload remember retain back backup register book collect \
 create ";
/// Verbs of looking at something.
const SHOWING: &str = " view see show display browse list look visualise visualize plot chart ";
/// Verbs of converting one thing into another.
const TURNING: &str = " convert transform translate transcribe compress parse format encrypt decrypt resize merge split \
 summarise summarize normalise normalize extract ";
/// Verbs of creating or changing a thing.
const MAKING: &str = " create make add write edit assign approve reject submit send delete generate open close \
 lock borrow lend return rent order buy sell pay import export ";
/// Verbs of notifying people.
const TELLING: &str = " warn alert notify inform remind nudge ";
/// Last nouns of parts that are user interfaces. The three lists below are for APIs, data stores and
/// agents.
const SEEN: &str = " dashboard page screen form view app calendar interface editor ui website site panel portal map chart \
 timeline widget gallery leaderboard wizard inbox menu feed board ";
const CALLED: &str = " api webhook webhooks endpoint endpoints rest graphql sdk ";
const KEPT: &str = " database store cache queue archive log logs history repository index registry catalog catalogue \
 storage inventory ledger ";
const DECIDING: &str = " agent chatbot assistant llm bot ";

/// Key of the group whose requirements notify people.
const NOTIFIER: &str = "notifier";

/// Group of requirements about one thing. `group` makes it; `build` turns it into components.
struct Group<'a> {
    /// Key by which requirements join the group: the stem of the topic's head, the whole topic of a
    /// part, or `NOTIFIER`.
    key: String,
    topic: &'a str,
    /// Requirements that decide the name and type of the component.
    requirements: Vec<&'a Requirement>,
    /// Requirements without a thing of their own, which were added because their words are near.
    joined: Vec<&'a Requirement>,
}

/// Units of time, which never name a component.
const UNITS: &str = " time hour minute second day week month year ";
/// Words that are too general to name a component.
const WEAK: &str = " turn way place part thing kind number amount side end step whether \
 case one other lot bit fact reason idea detail information data system app application user account name phone browser screen \
 button backoff approval access change ms click option result value work use ";

/// Proposes the components of a design: one for each thing that is stored, shown, converted or
/// repeatedly mentioned, and for each named part of the product. The other requirements join the
/// nearest component. One component `Core` if nothing names a thing; empty without requirements.
pub fn propose(analysis: &IdeaAnalysis) -> Vec<Component> {
    let groups = group(analysis);
    let excluded = excluded_heads(analysis);
    let mut components: Vec<Component> = Vec::new();
    for group in &groups {
        for component in build(group) {
            let is_excluded = super::stems::stems(&component.name).iter().any(|stem| excluded.contains(stem));
            if is_excluded {
                continue;
            }
            match components.iter_mut().find(|other| other.name == component.name) {
                Some(other) => {
                    other.purpose = format!("{} {}", other.purpose, component.purpose);
                    other.covers.extend(&component.covers);
                    other.covers.sort_unstable();
                    other.covers.dedup();
                }
                None => components.push(component),
            }
        }
    }
    if components.is_empty() && !analysis.requirements.is_empty() {
        // No requirement names a thing that can be a component: one does all.
        let all: Vec<&Requirement> = analysis.requirements.iter().collect();
        components
            .push(Component::new("Core", ComponentKind::Subsystem, purpose(&all)).covering(covers(&all)));
    }
    components
}

/// Groups the requirements by the thing that they are about. Requirements that name no thing join the
/// nearest group.
fn group(analysis: &IdeaAnalysis) -> Vec<Group<'_>> {
    let all: Vec<&Requirement> = analysis.requirements.iter().collect();
    let parts = all.iter().copied().filter(|it| !analysis.is_product(it));
    let repeated = repeated_stems(analysis);
    let (firm, loose): (Vec<&Requirement>, Vec<_>) = parts.partition(|it| names_component(it, &repeated));
    let mut groups: Vec<Group<'_>> = Vec::new();
    firm.iter().for_each(|requirement| add(&mut groups, requirement));
    if groups.is_empty() {
        // A small idea: each thing that it names, else one component for all.
        let named = |it: &&Requirement| {
            let head = head_of(&it.topic);
            !head.is_empty() && !is_in(UNITS, &base_of(&head)) && !analysis.is_product(it)
        };
        all.iter().copied().filter(named).for_each(|requirement| add(&mut groups, requirement));
        if groups.is_empty() && !all.is_empty() {
            groups.push(Group { key: String::new(), topic: "", requirements: all, joined: Vec::new() });
            return groups;
        }
    }
    let placed: BTreeSet<usize> =
        groups.iter().flat_map(|group| group.requirements.iter().map(|it| it.number)).collect();
    for requirement in loose.into_iter().filter(|it| !placed.contains(&it.number)) {
        let words = super::stems::stems(&requirement.text);
        let nearest = (0..groups.len())
            .max_by_key(|at| (nearness(&groups[*at], requirement, &words), std::cmp::Reverse(*at)));
        if let Some(nearest) = nearest {
            groups[nearest].joined.push(requirement);
        }
    }
    groups
}

/// Adds a requirement to the group with its key, or begins a new group.
fn add<'a>(groups: &mut Vec<Group<'a>>, requirement: &'a Requirement) {
    let key = key_of(requirement);
    if let Some(group) = groups.iter_mut().find(|group| group.key == key) {
        group.requirements.push(requirement);
        return;
    }
    let topic = if is_in(TELLING, &requirement.verb) { "" } else { requirement.topic.as_str() };
    groups.push(Group { key, topic, requirements: vec![requirement], joined: Vec::new() });
}

/// Returns how near a requirement with the stems `words` is to a group, for comparison: number of words
/// shared with the topic, true if from the same statement, number of the group's last requirement
/// before it.
fn nearness(
    group: &Group<'_>,
    requirement: &Requirement,
    words: &BTreeSet<String>,
) -> (usize, bool, Option<usize>) {
    if group.key == NOTIFIER {
        return (0, false, None);
    }
    let shared = group.topic.split(' ').filter(|word| words.contains(&stem(word))).count();
    let hits = usize::from(words.contains(&group.key)) * 2 + shared;
    let is_near = group.requirements.iter().any(|it| it.statement == requirement.statement);
    let before = group.requirements.iter().map(|it| it.number).filter(|it| *it < requirement.number).max();
    (hits, is_near, before)
}

/// Returns the stems that occur in at least two statements.
fn repeated_stems(analysis: &IdeaAnalysis) -> BTreeSet<String> {
    let (mut once, mut repeated) = (BTreeSet::new(), BTreeSet::new());
    for word in analysis.statements.iter().flat_map(|it| super::stems::stems(&it.text)) {
        if once.contains(&word) {
            repeated.insert(word);
        } else {
            once.insert(word);
        }
    }
    repeated
}

/// Returns true if the topic of a requirement deserves a component of its own: a part of the product,
/// or a thing with a verb such as "store" or a repeated stem. `repeated` are stems of two or more
/// statements.
fn names_component(requirement: &Requirement, repeated: &BTreeSet<String>) -> bool {
    if is_in(TELLING, &requirement.verb) {
        return true;
    }
    let head = head_of(&requirement.topic);
    if !is_thing(&head) {
        return false;
    }
    let is_word = head.chars().any(|c| c.is_ascii_lowercase())
        && head.chars().filter(|c| c.is_alphabetic()).count() > 2;
    let verb = requirement.verb.as_str();
    let does = is_in(KEEPING, verb)
        || is_in(SHOWING, verb)
        || is_in(TURNING, verb)
        || is_in(NAMED_AFTER, verb)
        || is_in(MAKING, verb);
    requirement.is_part || (is_word && (does || repeated.contains(&stem(&head))))
}

/// Returns true if a topic with this last word is a thing of its own: no unit of time, no person, no
/// general word.
fn is_thing(head: &str) -> bool {
    let base = base_of(head);
    !head.is_empty() && !is_in(UNITS, &base) && !is_in(WEAK, &base) && !super::clauses::is_person(head)
}

/// Returns the last word of a topic in lower case.
fn head_of(topic: &str) -> String {
    topic.rsplit(' ').next().unwrap_or_default().to_lowercase()
}

/// Returns the singular of a noun in lower case; other words stay.
fn base_of(head: &str) -> String {
    lexicon::noun(head).map_or_else(|| head.to_owned(), |noun| noun.base)
}

/// Returns the stems of the last words of short exclusions (one or two words), except those that a
/// requirement needs. Longer exclusions limit how something is built.
fn excluded_heads(analysis: &IdeaAnalysis) -> BTreeSet<String> {
    let required: BTreeSet<String> = analysis
        .requirements
        .iter()
        .flat_map(|requirement| super::stems::stems(&requirement.topic))
        .collect();
    let heads = analysis.exclusions.iter().filter_map(|exclusion| {
        let words: Vec<&str> = exclusion.text.split(' ').collect();
        (words.len() <= 2).then(|| stem(words[words.len() - 1]))
    });
    heads.filter(|head| !required.contains(head)).collect()
}

/// Returns the key of the group that a requirement belongs to.
fn key_of(requirement: &Requirement) -> String {
    // One component tells people, whatever it tells them.
    if is_in(TELLING, &requirement.verb) {
        return NOTIFIER.to_owned();
    }
    let head = requirement.topic.rsplit(' ').next().unwrap_or_default();
    let words = requirement.topic.split(' ').count();
    // "click analytics" and "sales analytics" are two parts; "photos" and "private photos" are one thing.
    if requirement.is_part && words > 1 { requirement.topic.to_lowercase() } else { stem(head) }
}

/// Makes the component of a group, and a data store beside it if things are stored. Empty if the topic
/// gives no name.
fn build(group: &Group<'_>) -> Vec<Component> {
    let requirements = &group.requirements;
    let mut all = [requirements.as_slice(), &group.joined].concat();
    all.sort_by_key(|it| it.number);
    let covers: Vec<u32> = covers(&all);
    let head = group.topic.rsplit(' ').next().unwrap_or_default().to_lowercase();
    let purpose = purpose(&all);
    let is_part = requirements[0].is_part;
    if is_part {
        let is = |list: &'static str| is_in(list, &head);
        let kind = if is(SEEN) {
            ComponentKind::UiComponent
        } else if is(CALLED) {
            ComponentKind::Api
        } else if is(KEPT) {
            ComponentKind::DataStore
        } else if is(DECIDING) {
            ComponentKind::Agent
        } else {
            ComponentKind::Subsystem
        };
        let name = pascal(group.topic, "");
        return name.map(|name| Component::new(name, kind, purpose).covering(covers)).into_iter().collect();
    }
    let verbs: Vec<&str> = requirements.iter().map(|requirement| requirement.verb.as_str()).collect();
    let is_all = |list: &'static str| verbs.iter().all(|verb| is_in(list, verb));
    let (role, kind) = if is_all(TELLING) {
        ("Notifier".to_owned(), ComponentKind::Subsystem)
    } else if is_all(" store save keep remember retain ") && !group.topic.is_empty() {
        ("Store".to_owned(), ComponentKind::DataStore)
    } else if is_all(SHOWING) {
        ("View".to_owned(), ComponentKind::UiComponent)
    } else if let [verb] = verbs.as_slice() {
        let kind = if is_in(TURNING, verb) { ComponentKind::Utility } else { ComponentKind::Subsystem };
        (agent_noun(verb), kind)
    } else {
        ("Service".to_owned(), ComponentKind::Subsystem)
    };
    // "chief plan" is a plan: its owner is an actor.
    let things = group.topic.split(' ').filter(|word| !super::clauses::is_person(&word.to_lowercase()));
    let things = things.collect::<Vec<_>>().join(" ");
    let topic = if things.is_empty() { group.topic } else { things.as_str() };
    let Some(name) = pascal(topic, &role) else { return Vec::new() };
    let kept: Vec<&&Requirement> = requirements.iter().filter(|it| is_in(KEEPING, &it.verb)).collect();
    let store =
        pascal(topic, "Store").filter(|store| !kept.is_empty() && !topic.is_empty() && *store != name);
    let purpose = match &store {
        Some(store) => format!("{purpose} Reads and writes `{store}`."),
        None => purpose,
    };
    let mut components = vec![Component::new(name, kind, purpose).covering(covers)];
    if let Some(store) = store {
        let things = plural(topic);
        let kept: Vec<&Requirement> = kept.into_iter().copied().collect();
        let purpose = format!("Keeps the {things} for {}.", numbers(&kept));
        let kind = ComponentKind::DataStore;
        components.push(Component::new(store, kind, purpose).covering(self::covers(&kept)));
    }
    components
}

/// Returns the numbers of the statements of these requirements, sorted and without repetitions.
fn covers(requirements: &[&Requirement]) -> Vec<u32> {
    let statements: BTreeSet<usize> = requirements.iter().map(|it| it.statement).collect();
    statements.into_iter().map(|number| u32::try_from(number).unwrap_or(u32::MAX)).collect()
}

/// Formats the numbers of requirements: `R1, R4`.
fn numbers(requirements: &[&Requirement]) -> String {
    requirements.iter().map(|it| format!("R{}", it.number)).collect::<Vec<_>>().join(", ")
}

/// Returns a purpose that quotes the first four requirements and names the rest by number.
fn purpose(requirements: &[&Requirement]) -> String {
    const QUOTED: usize = 4;
    let quoted: Vec<&str> = requirements.iter().take(QUOTED).map(|it| it.text.as_str()).collect();
    let rest = requirements.get(QUOTED..).unwrap_or_default();
    let more = if rest.is_empty() { String::new() } else { format!(" Also {}.", numbers(rest)) };
    format!("{}{more}", quoted.join(" "))
}

/// Returns a noun phrase with its last word in the plural, unless it is plural already, a mass noun or
/// no plain noun.
fn plural(topic: &str) -> String {
    let (before, head) = topic.rsplit_once(' ').map_or(("", topic), |(before, head)| (before, head));
    let lower = head.to_lowercase();
    let is_mass = is_in(
        " data information content music software news mail email history traffic time feedback equipment weather sleep water food spending inventory stock ",
        &lower,
    );
    let head = match lexicon::noun(&lower) {
        Some(noun) if !noun.is_plural && !is_mass && head == lower => {
            if lower.ends_with('y') && !lower.ends_with("ay") && !lower.ends_with("ey") {
                format!("{}ies", &head[..head.len() - 1])
            } else if ["s", "x", "ch", "sh"].iter().any(|end| lower.ends_with(end)) {
                format!("{head}es")
            } else {
                format!("{head}s")
            }
        }
        _ => head.to_owned(),
    };
    if before.is_empty() { head } else { format!("{before} {head}") }
}

/// Joins a noun phrase and a role to a `PascalCase` name: `recipe`, `Store` → `RecipeStore`. `None` if
/// it does not begin with a capital letter.
fn pascal(topic: &str, role: &str) -> Option<String> {
    let words: Vec<&str> =
        topic.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty() && *word != "s").collect();
    let mut name = String::new();
    for (at, word) in words.iter().enumerate() {
        let lower = word.to_lowercase();
        let is_head = at + 1 == words.len();
        let is_plain = **word == lower || word.chars().skip(1).all(char::is_lowercase);
        let word = if is_head && is_plain {
            lexicon::noun(&lower).map_or(lower.clone(), |noun| noun.base)
        } else if is_plain {
            lower
        } else {
            (*word).to_owned()
        };
        let mut chars = word.chars();
        name.extend(chars.next().into_iter().flat_map(char::to_uppercase));
        name.extend(chars);
    }
    if !name.ends_with(role) {
        name.push_str(role);
    }
    let starts = name.chars().next().is_some_and(|first| first.is_alphabetic() && !first.is_lowercase());
    starts.then_some(name)
}

/// Verbs from which the name of a component is derived (`export` → `Exporter`).
const NAMED_AFTER: &str = " export import convert parse validate send receive schedule plan scan track monitor index generate \
 calculate check analyse analyze translate summarise summarize remind download sync crawl scrape log record extract \
 transform load merge split compress encrypt decrypt resize format print render process match detect predict recommend \
 classify categorise categorize grade archive map fetch read write forward aggregate transcribe collect measure verify \
 compare count sort control deliver build publish ";

/// Returns the noun for a component that performs a verb, capitalized: `Exporter` for "export",
/// `Service` for verbs without such a noun.
fn agent_noun(verb: &str) -> String {
    let own = match verb {
        "search" | "find" | "look" | "filter" | "query" => "Search",
        "pay" => "Payment",
        "book" | "reserve" => "Booking",
        "vote" => "Voting",
        "edit" => "Editor",
        "submit" => "Submission",
        "tell" => "Notifier",
        _ if is_in(TELLING, verb) => "Notifier",
        _ if !is_in(NAMED_AFTER, verb) => "Service",
        _ => "",
    };
    if !own.is_empty() {
        return own.to_owned();
    }
    let stem = if let Some(stem) = verb.strip_suffix("ate") {
        format!("{stem}ator")
    } else if verb.ends_with('e') {
        format!("{verb}r")
    } else if verb.ends_with('y') && !verb.ends_with("ay") && !verb.ends_with("oy") {
        format!("{}ier", &verb[..verb.len() - 1])
    } else if doubles(verb) {
        format!("{verb}{}er", &verb[verb.len() - 1..])
    } else if is_in(" collect detect predict edit inspect connect extract ", verb) {
        format!("{verb}or")
    } else {
        format!("{verb}er")
    };
    let mut chars = stem.chars().filter(char::is_ascii_alphanumeric);
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// Returns true if the last letter of a verb is doubled before "-er": one vowel before one consonant
/// ("plan").
fn doubles(verb: &str) -> bool {
    let letters: Vec<char> = verb.chars().collect();
    let is_vowel = |c: char| "aeiou".contains(c);
    let vowels = letters.iter().filter(|c| is_vowel(**c)).count();
    matches!(letters.as_slice(), [.., before, vowel, last]
        if !is_vowel(*before) && is_vowel(*vowel) && !is_vowel(*last) && !"wxy".contains(*last) && vowels == 1)
}
