//! Standard questions about topics that ideas often leave out: access to personal data, behaviour at a limit,
//! the channel of a message. Each is asked for the first statement with one of its trigger words, unless a
//! word of the idea answers it.

use super::super::{IdeaAnalysis, OpenQuestion};
use super::question;

/// Maximum number of these questions, because a longer list is not read.
const MOST: usize = 6;

/// Topic that ideas often leave out: the words that raise its question, and those that answer it.
struct Gap {
    /// Beginnings of words that raise the question.
    opened_by: &'static [&'static str],
    /// Beginnings of words that, anywhere in the idea, answer it.
    closed_by: &'static [&'static str],
    /// The question; `{}` stands for the number of the statement.
    question: &'static str,
    /// Statement that holds until the question is answered.
    assumption: &'static str,
    /// Importance of the question; see `OpenQuestion::rank`.
    rank: u8,
}

const GAPS: &[Gap] = &[
    Gap {
        opened_by: &[
            "patient",
            "allerg",
            "health data",
            "health record",
            "medicine",
            "medical",
            "pills",
            "tenant",
            "certificate",
            "salar",
            "birth",
            "child",
            "pupil",
            "phone number",
            "home address",
            "face",
            "diagnos",
        ],
        closed_by: &[
            "gdpr",
            "may see",
            "must not see",
            "can see only",
            "privacy",
            "anonym",
            "encrypt",
            "deleted",
        ],
        question: "Who may see the personal data in S{}, and when is it deleted?",
        assumption: "Only those who work with it see it, and it is deleted when it is no longer used.",
        rank: 3,
    },
    Gap {
        opened_by: &[
            "offline",
            "no internet for",
            "lose the mobile",
            "lose the network",
            "no network connection",
            "without a network connection",
        ],
        closed_by: &[
            "conflict",
            "merge",
            "last write",
            "later change wins",
            "command line",
            "terminal",
            "plugin",
            "extension",
        ],
        question: "When the connection in S{} is back, which change wins if two people changed the same thing?",
        assumption: "The later change wins, and the other one is kept for a person to look at.",
        rank: 3,
    },
    Gap {
        opened_by: &["remind", "notif", "notify", "warn", "alert", "inform", "nudge"],
        closed_by: &[
            "email",
            "e-mail",
            "sms",
            "text message",
            "push",
            "letter",
            "loud",
            "slack",
            "phone call",
            "webhook",
            "telegram",
            "whatsapp",
            "by post",
            "discord",
        ],
        question: "How do the messages in S{} reach their readers, and what happens to one that does not arrive?",
        assumption: "By email; one that fails is sent again.",
        rank: 3,
    },
    Gap {
        opened_by: &["fee", "fees", "price", "costs", "euro", "euros", "dollar", "dollars", "pay", "paid"],
        closed_by: &[
            "refund",
            "stripe",
            "paypal",
            "bank transfer",
            "by hand",
            "free of charge",
            "bank statement",
            "hosting",
            "euros a month",
            "dollars a month",
            "budget",
        ],
        question: "How is the money in S{} collected, and what happens if it is not paid or has to be paid back?",
        assumption: "The system records what is owed; it is collected elsewhere.",
        rank: 3,
    },
    Gap {
        opened_by: &["at most", "up to", "no more than", "maximum of", "a limit of"],
        closed_by: &["reject", "refuse", "waiting list", "error", "queue", "fall back", "wait for"],
        question: "What happens beyond the limit in S{}: is more refused, or does it wait?",
        assumption: "More is refused with a message that names the limit.",
        rank: 2,
    },
    Gap {
        opened_by: &[
            "sensor",
            "sensors",
            "locker",
            "lockers",
            "scanner",
            "bluetooth",
            "beacon",
            "valve",
            "valves",
            "barcode",
            "card reader",
        ],
        closed_by: &["protocol", "mqtt", "modbus", "model of", "zigbee", "serial port"],
        question: "Which devices does S{} speak of, and through which interface does the system reach them?",
        assumption: "They are chosen later; one component hides their differences.",
        rank: 2,
    },
    Gap {
        opened_by: &[
            "paper records",
            "paper forms",
            "spreadsheet",
            "spreadsheets",
            "excel",
            "file server",
            "existing data",
            "old system",
            "today we",
            "so far",
        ],
        closed_by: &["import", "migrat", "typed in"],
        question: "Is what exists today (S{}) taken over, and in which form is it?",
        assumption: "It is imported once from files before the start.",
        rank: 2,
    },
    Gap {
        opened_by: &["approve", "approves", "approval", "confirm", "confirms"],
        closed_by: &["within", "deadline", "after 2", "after 3", "escalat", "deputy", "hours later"],
        question: "What happens in S{} if nobody decides in time, or the one who decides is away?",
        assumption: "It stays open, and an administrator can decide instead.",
        rank: 2,
    },
    Gap {
        opened_by: &["report", "reports", "pdf", "csv", "export", "exports", "prints a list"],
        closed_by: &["columns", "fields", "layout", "template", "per house", "format"],
        question: "Which fields does the output in S{} have, and is there a sample of it?",
        assumption: "Those that the idea names.",
        rank: 1,
    },
];

/// Asks the questions of the gaps that the idea opens and does not close, the most important first, at most
/// `MOST`.
pub(super) fn find(analysis: &IdeaAnalysis) -> Vec<OpenQuestion> {
    let texts: Vec<(usize, String)> = analysis
        .statements
        .iter()
        .filter(|it| !it.is_excluded)
        .map(|it| (it.number, plain(&it.text)))
        .collect();
    let excluded: Vec<String> = analysis.exclusions.iter().map(|it| plain(&it.text)).collect();
    let has = |text: &str, word: &str| text.contains(&format!(" {word}"));
    let mut found: Vec<OpenQuestion> = GAPS
        .iter()
        .filter(|gap| !texts.iter().any(|(_, text)| gap.closed_by.iter().any(|word| has(text, word))))
        .filter_map(|gap| {
            let opens = |text: &str| {
                let is_ruled_out = |word: &str| excluded.iter().any(|it| has(it, word));
                let opens =
                    |word: &&&str| opens_with(text, word) && !is_ruled_out(word) && !limits_money(text, word);
                gap.opened_by.iter().any(|word| opens(&word))
            };
            let (number, _) = texts.iter().find(|(_, text)| opens(text))?;
            let text = gap.question.replace("{}", &number.to_string());
            Some(question(*number, gap.rank, text, gap.assumption))
        })
        .collect();
    found.sort_by_key(|it| std::cmp::Reverse(it.rank));
    found.truncate(MOST);
    found
}

/// Returns true if a limit such as "at most" stands before money or time ("up to 10 seconds"): nothing can be
/// refused at such a limit.
fn limits_money(text: &str, word: &str) -> bool {
    const LIMITS: &[&str] = &["at most", "up to", "no more than", "maximum of", "a limit of"];
    const UNITS: &[&str] = &[
        "euro", "dollar", "second", "minute", "hour", "day", "week", "month", "year", "ms", "percent", "cent",
    ];
    let Some((_, rest)) = text.split_once(&format!(" {word} ")).filter(|_| LIMITS.contains(&word)) else {
        return false;
    };
    let unit = rest.split(' ').take(3).find(|word| word.chars().all(char::is_alphabetic)).unwrap_or_default();
    UNITS.iter().any(|it| unit.starts_with(it))
}

/// Returns true if the text has a word that begins with `word`. A `word` of at most five bytes must be the
/// whole word.
fn opens_with(text: &str, word: &str) -> bool {
    if word.len() <= 5 { text.contains(&format!(" {word} ")) } else { text.contains(&format!(" {word}")) }
}

/// Returns the words of a text in lower case with one space between and around them.
fn plain(text: &str) -> String {
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric() && c != '-')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    format!(" {} ", words.join(" "))
}
