//! Table of English words with parts of speech, and the forms of verbs and nouns. `lexicon.py` makes
//! `words.txt` from `WordNet`; a word that it lacks is tagged as a noun.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

/// Table with one word a line, sorted: the word, a space, and for each part of speech its letter (`n`,
/// `v`, `a`, other: adverb) and the logarithm of its frequency (0 to 9). `p` marks a person.
const WORDS: &str = include_str!("words.txt");

/// Entry of a word in base form: for each part of speech that it can be, the logarithm of its frequency
/// (0 to 9).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct WordEntry {
    pub noun: Option<u8>,
    pub verb: Option<u8>,
    pub adjective: Option<u8>,
    pub adverb: Option<u8>,
    pub is_person: bool,
}

/// Verbs that ideas use for actions of software and that the table lacks or has only as nouns.
const PRODUCT_VERBS: &str = " add aggregate alert allow analyse analyze annotate answer append apply approve archive \
 ask assign attach authenticate authorise authorize auto-save back backup ban batch block book bookmark broadcast \
 browse buffer build buy cache calculate call cancel capture categorise categorize change charge chart chat check \
 choose classify clean clear collect combine comment compare compile compress compute configure confirm connect \
 convert copy count crawl create debug decrypt dedupe deduplicate define delete deliver deploy describe detect \
 diff disable discover display distribute do document donate download draft draw edit email emit enable encrypt \
 enforce enrich enter estimate evaluate exchange execute expire explain export expose extract fetch file fill \
 filter find fix flag follow forecast format forward generate get give grade group guide handle hide highlight \
 identify import index ingest insert install integrate invite invoice join keep label learn let like limit link list \
 listen load locate lock log look make manage map mark match measure merge message migrate moderate monitor move \
 mute normalise normalize notify offer open optimise optimize order organise organize parse pause pay pick pin \
 plan play plot poll post predict prepare preview print prioritise prioritize process produce propose provide \
 publish pull purchase push query queue rank rate read receive recognise recognize recommend reconcile record \
 recover redact redirect reduce refund refresh register reject release remember remind remove rename render renew \
 rent reorder repair replace reply report request reschedule reserve reset resize resolve restart restore resume \
 retrieve retry return reuse review revoke rewrite rotate route run sample save scan schedule score scrape search \
 see select sell send serve set share ship show shorten sign simulate skip snooze solve sort speak split stitch \
 stop store stream submit subscribe suggest summarise summarize support suspend swap switch sync synchronise \
 synchronize tag take tell test text tip trace track trade transcribe transfer transform translate trigger turn \
 undo unlock unsubscribe update upload upvote use validate verify view visualise visualize vote warn watch weigh \
 win withdraw work write zoom water feed text adjust accept adapt onboard message print rank store claim escalate triage quarantine queue exit onboard dispatch ";

/// Irregular verbs: base form, past tense, participle.
const IRREGULAR: &[[&str; 3]] = &[
    ["be", "was", "been"],
    ["begin", "began", "begun"],
    ["break", "broke", "broken"],
    ["bring", "brought", "brought"],
    ["build", "built", "built"],
    ["buy", "bought", "bought"],
    ["catch", "caught", "caught"],
    ["choose", "chose", "chosen"],
    ["come", "came", "come"],
    ["do", "did", "done"],
    ["draw", "drew", "drawn"],
    ["drive", "drove", "driven"],
    ["eat", "ate", "eaten"],
    ["fall", "fell", "fallen"],
    ["feed", "fed", "fed"],
    ["find", "found", "found"],
    ["forget", "forgot", "forgotten"],
    ["freeze", "froze", "frozen"],
    ["get", "got", "got"],
    ["give", "gave", "given"],
    ["go", "went", "gone"],
    ["grow", "grew", "grown"],
    ["have", "had", "had"],
    ["hear", "heard", "heard"],
    ["hide", "hid", "hidden"],
    ["hold", "held", "held"],
    ["keep", "kept", "kept"],
    ["know", "knew", "known"],
    ["leave", "left", "left"],
    ["lend", "lent", "lent"],
    ["lose", "lost", "lost"],
    ["make", "made", "made"],
    ["mean", "meant", "meant"],
    ["meet", "met", "met"],
    ["pay", "paid", "paid"],
    ["run", "ran", "run"],
    ["say", "said", "said"],
    ["see", "saw", "seen"],
    ["sell", "sold", "sold"],
    ["send", "sent", "sent"],
    ["show", "showed", "shown"],
    ["sing", "sang", "sung"],
    ["speak", "spoke", "spoken"],
    ["spend", "spent", "spent"],
    ["take", "took", "taken"],
    ["teach", "taught", "taught"],
    ["tell", "told", "told"],
    ["think", "thought", "thought"],
    ["throw", "threw", "thrown"],
    ["wear", "wore", "worn"],
    ["win", "won", "won"],
    ["write", "wrote", "written"],
];

/// Irregular plurals with their singulars.
const PLURALS: &[(&str, &str)] = &[
    ("people", "person"),
    ("children", "child"),
    ("men", "man"),
    ("women", "woman"),
    ("mice", "mouse"),
    ("feet", "foot"),
    ("teeth", "tooth"),
    ("criteria", "criterion"),
    ("leaves", "leaf"),
    ("shelves", "shelf"),
    ("lives", "life"),
    ("knives", "knife"),
    ("halves", "half"),
    ("indices", "index"),
    ("analyses", "analysis"),
    ("diagnoses", "diagnosis"),
];

/// Singular nouns that end in `s`.
const SINGULAR_S: &str = " news status analysis bus gps series analytics address process access business progress \
 basis chess class pass gas lens canvas campus bonus virus atlas glass loss press sms dns https kubernetes redis \
 postgres physics mathematics statistics logistics diagnosis focus census corpus nexus ios css rss tls js aws \
 express wireless ";

/// Form of a verb: base ("store"), third person ("stores"), past or participle ("stored"), "-ing"
/// ("storing").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tense {
    Base,
    Third,
    Past,
    Ing,
}

/// Looks up a word, in lower case and base form, in the table.
pub(super) fn entry(word: &str) -> Option<WordEntry> {
    let (mut low, mut high) = (0, WORDS.len());
    while low < high {
        let middle = low.midpoint(high);
        let start = WORDS.as_bytes()[..middle].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let end = WORDS[start..].find('\n').map_or(WORDS.len(), |length| start + length);
        let (key, tags) = WORDS[start..end].split_once(' ').expect("each line has a word and its tags");
        match key.cmp(word) {
            Ordering::Equal => return Some(parse(tags)),
            Ordering::Less => low = end + 1,
            Ordering::Greater => high = start,
        }
    }
    None
}

/// Parses the tags of a word in the table: `n5v3` is a noun of frequency 5 and a verb of frequency 3.
fn parse(tags: &str) -> WordEntry {
    let mut entry = WordEntry::default();
    let mut letters = tags.bytes();
    while let Some(letter) = letters.next() {
        if letter == b'p' {
            entry.is_person = true;
            break;
        }
        let level = letters.next().map(|digit| digit - b'0');
        match letter {
            b'n' => entry.noun = level,
            b'v' => entry.verb = level,
            b'a' => entry.adjective = level,
            _ => entry.adverb = level,
        }
    }
    entry
}

thread_local! {
    /// Cache of the words of each list, keyed by address and length, because searching long lists
    /// dominated the time of an analysis.
    static SETS: RefCell<HashMap<(*const u8, usize), HashSet<&'static str>>> = RefCell::default();
}

/// Returns true if a word is in a list, which is one string of words between spaces. The list is split
/// once and cached.
pub(super) fn is_in(list: &'static str, word: &str) -> bool {
    SETS.with_borrow_mut(|sets| {
        sets.entry((list.as_ptr(), list.len()))
            .or_insert_with(|| list.split_whitespace().collect())
            .contains(word)
    })
}

/// Returns true for a verb in base form that ideas use for actions of software.
pub(super) fn is_product_verb(base: &str) -> bool {
    is_in(PRODUCT_VERBS, base)
}

/// Returns true if the table has the word, in lower case, in base form or another form.
pub(super) fn is_known(lower: &str) -> bool {
    entry(lower).is_some()
        || verb(lower).is_some()
        || noun(lower).is_some_and(|noun| entry(&noun.base).is_some())
}

/// Verb that a word can be, with its base form and its form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct VerbForm {
    pub base: String,
    pub form: Tense,
    /// Logarithm of its frequency as a verb (0 to 9).
    pub level: u8,
}

/// Returns the frequency of a base form as a verb; at least 4 for product verbs; that of "number" for
/// "renumber". `None` if it is no known verb.
fn verb_level(base: &str) -> Option<u8> {
    let level = entry(base).and_then(|entry| entry.verb);
    // "renumber" is no entry, "number" is a verb.
    let again = || base.strip_prefix("re").map(|rest| rest.trim_start_matches('-'));
    let level = match again().filter(|rest| rest.len() > 3 && entry(base).is_none()) {
        Some(rest) => entry(rest).and_then(|entry| entry.verb),
        None => level,
    };
    if is_product_verb(base) { Some(level.unwrap_or(0).max(4)) } else { level }
}

/// Returns the verb that a word in lower case can be: `store` in the third person for "stores". `None`
/// for unknown verbs.
pub(super) fn verb(lower: &str) -> Option<VerbForm> {
    let found =
        |base: &str, form| verb_level(base).map(|level| VerbForm { base: base.to_owned(), form, level });
    if lower == "has" {
        return found("have", Tense::Third);
    }
    for [base, past, participle] in IRREGULAR {
        if lower == *past || (lower == *participle && lower != *base) {
            return found(base, Tense::Past);
        }
    }
    if let Some(verb) = found(lower, Tense::Base) {
        return Some(verb);
    }
    if let Some(stem) = lower.strip_suffix("ies") {
        return found(&format!("{stem}y"), Tense::Third);
    }
    if let Some(stem) = lower.strip_suffix('s').filter(|stem| !stem.ends_with('s')) {
        let long = stem.strip_suffix('e').and_then(|stem| found(stem, Tense::Third));
        return found(stem, Tense::Third).or(long);
    }
    for (suffix, form) in [("ied", Tense::Past), ("ed", Tense::Past), ("ing", Tense::Ing)] {
        let Some(stem) = lower.strip_suffix(suffix).filter(|stem| stem.len() > 1) else { continue };
        if suffix == "ied" {
            return found(&format!("{stem}y"), form);
        }
        let mut letters = stem.chars().rev();
        let doubled = letters.next() == letters.next();
        let single = doubled.then(|| found(&stem[..stem.len() - 1], form)).flatten();
        let silent = found(&format!("{stem}e"), form);
        if let Some(verb) = found(stem, form).or(silent).or(single) {
            return Some(verb);
        }
    }
    None
}

/// Returns the third person singular of a verb in base form: `stores`.
pub(super) fn third_person(base: &str) -> String {
    let ends_in = |suffixes: &[&str]| suffixes.iter().any(|suffix| base.ends_with(suffix));
    match base {
        "be" => "is".to_owned(),
        "have" => "has".to_owned(),
        _ if ends_in(&["s", "x", "z", "ch", "sh", "o"]) => format!("{base}es"),
        _ if base.ends_with('y') && !ends_in(&["ay", "ey", "oy", "uy"]) => {
            format!("{}ies", &base[..base.len() - 1])
        }
        _ => format!("{base}s"),
    }
}

/// Noun that a word can be: its singular, and true for a plural.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NounForm {
    pub base: String,
    pub is_plural: bool,
}

/// Returns the noun that a word in lower case can be. An unknown word counts as a noun; `None` for
/// words that are only verbs or other parts of speech.
pub(super) fn noun(lower: &str) -> Option<NounForm> {
    let singular = |base: &str| NounForm { base: base.to_owned(), is_plural: false };
    let plural = |base: String| NounForm { base, is_plural: true };
    if let Some((_, base)) = PLURALS.iter().find(|(plural, _)| *plural == lower) {
        return Some(plural((*base).to_owned()));
    }
    if is_in(SINGULAR_S, lower) || lower.ends_with("ss") {
        return Some(singular(lower));
    }
    if let Some(own) = entry(lower) {
        // "sellers" and "hours" are in the table for a name and for office hours.
        let stem = lower.strip_suffix('s').filter(|stem| stem.len() > 2);
        let level = stem.and_then(entry).and_then(|entry| entry.noun);
        if let Some(stem) =
            stem.filter(|_| level.is_some_and(|level| level >= own.noun.unwrap_or(0) && level > 0))
        {
            return Some(plural(stem.to_owned()));
        }
        return own.noun.map(|_| singular(lower));
    }
    if let Some(stem) = lower.strip_suffix("ies").filter(|stem| stem.len() > 1) {
        let base = format!("{stem}y");
        return Some(plural(if entry(&base).is_some() { base } else { format!("{stem}ie") }));
    }
    if let Some(stem) = lower.strip_suffix("es") {
        let sibilant = ["s", "x", "z", "ch", "sh"].iter().any(|end| stem.ends_with(end));
        if sibilant && entry(&format!("{stem}e")).is_none_or(|it| it.noun.is_none()) {
            return Some(plural(stem.to_owned()));
        }
        if stem.ends_with('o') && entry(stem).is_some_and(|it| it.noun.is_some()) {
            return Some(plural(stem.to_owned()));
        }
    }
    if let Some(stem) = lower.strip_suffix('s').filter(|stem| stem.len() > 1 && !stem.ends_with('\'')) {
        let only_verb = entry(stem).is_some_and(|entry| entry.noun.is_none());
        return (!only_verb).then(|| plural(stem.to_owned()));
    }
    if verb(lower).is_some_and(|verb| verb.form != Tense::Base && !lower.ends_with("ing")) {
        return None;
    }
    Some(singular(lower))
}

/// Nouns for people that the table lacks, or whose first meaning is another one.
const PEOPLE: &str = " admin admins moderator maintainer dev sysadmin organiser attendee tenant landlord client \
 vendor operator staff team crew committee board council jury people person everyone anybody anyone everybody public guest host member human family \
 household clinician subscriber viewer seller buyer recruiter instructor reviewer approver editor volunteer \
 technician courier dispatcher player parent kid child patient applicant candidate support ";

/// Nouns that look like people by their ending, such as "browser", and are none.
const NO_PEOPLE: &str = " computer server browser folder number order timer printer scanner filter router controller \
 adapter parser compiler tracker container cluster letter paper water power weather calendar newsletter header \
 footer buffer pointer counter meter sensor monitor processor editor-app converter importer exporter reminder \
 sticker banner poster chapter quarter member-list register layer trigger marker error mirror color vector factor \
 floor door motor behaviour behavior flavor minor sector indicator generator calculator simulator aggregator \
 validator connector shortener planner organizer organiser-app crawler scraper linter formatter loader downloader \
 uploader viewer-app player-app helper checker finder scheduler transfer offer cover answer user-agent paper \
 identifier voucher locker charger soccer river winter summer dinner flower tower shower customer-id barrier \
 carrier-code fiber laser layer cooler heater freezer trailer tracker analyzer analyser explorer launcher \
 visualizer notifier matcher splitter resizer optimizer recorder playlist checklist wishlist watchlist waitlist \
 shortlist blocklist allowlist denylist ";

/// Returns true if a noun in singular is a person or a group of people, by the lists, the table, or an
/// ending such as "-er" behind a verb.
pub(super) fn is_person(base: &str) -> bool {
    if is_in(PEOPLE, base) {
        return true;
    }
    if is_in(NO_PEOPLE, base) {
        return false;
    }
    let known = entry(base);
    known.is_some_and(|entry| entry.is_person)
        || (known.is_none()
            && (base.ends_with("ist")
                || base.ends_with("ian")
                || ["er", "or"]
                    .iter()
                    .filter_map(|end| base.strip_suffix(end))
                    .any(|stem| verb_level(stem).is_some() || verb_level(&format!("{stem}e")).is_some())))
}
