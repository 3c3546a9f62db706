//! The validator of advice about performance and scaling (SEC-119).

use super::Issue;
use super::page::{MarkdownPage, excerpt};
use super::topics::{has_any, has_word, topic_text};
use crate::package::{SectionTopic, template_sections};

/// The words by which a text mentions an input type, and the advice that an issue suggests for it.
struct InputAdvice {
    kind: &'static str,
    words: &'static [&'static str],
    advice: &'static str,
}

const INPUTS: &[InputAdvice] = &[
    InputAdvice {
        kind: "tcp",
        words: &["tcp", "syslog"],
        advice: "spread the senders over several agents behind a load balancer",
    },
    InputAdvice {
        kind: "udp",
        words: &["udp", "syslog"],
        advice: "enlarge the read buffer, and use TCP where no loss is acceptable",
    },
    InputAdvice {
        kind: "httpjson",
        words: &["http json", "httpjson", "api", "polling", "poll", "request"],
        advice: "set the interval and the page size below the rate limit of the API",
    },
    InputAdvice {
        kind: "cel",
        words: &["cel", "api", "polling", "poll", "request"],
        advice: "set the interval and the page size below the rate limit of the API",
    },
    InputAdvice {
        kind: "logfile",
        words: &["log file", "logfile", "file", "files", "filestream"],
        advice: "limit the number of open files, and rotate the logs",
    },
    InputAdvice {
        kind: "filestream",
        words: &["filestream", "log file", "file", "files"],
        advice: "limit the number of open files, and rotate the logs",
    },
    InputAdvice {
        kind: "aws-s3",
        words: &["s3", "sqs"],
        advice: "read notifications from SQS, and raise the number of messages in flight",
    },
    InputAdvice {
        kind: "aws-cloudwatch",
        words: &["cloudwatch"],
        advice: "limit the number of log groups and the scan frequency",
    },
    InputAdvice {
        kind: "http_endpoint",
        words: &["http endpoint", "http_endpoint", "webhook"],
        advice: "run several agents behind a load balancer",
    },
    InputAdvice {
        kind: "azure-eventhub",
        words: &["event hub", "eventhub", "event hubs"],
        advice: "match the number of agents and the number of partitions",
    },
    InputAdvice { kind: "azure-blob-storage", words: &["blob"], advice: "raise the number of workers" },
    InputAdvice { kind: "gcs", words: &["gcs", "cloud storage"], advice: "raise the number of workers" },
    InputAdvice {
        kind: "gcp-pubsub",
        words: &["pub/sub", "pubsub"],
        advice: "raise the number of goroutines of the subscription",
    },
    InputAdvice {
        kind: "kafka",
        words: &["kafka"],
        advice: "match the number of agents and the number of partitions",
    },
    InputAdvice {
        kind: "winlog",
        words: &["winlog", "windows event", "event log"],
        advice: "filter events by id at the source",
    },
    InputAdvice {
        kind: "sql/metrics",
        words: &["sql", "query", "queries"],
        advice: "lengthen the period of expensive queries",
    },
    InputAdvice {
        kind: "journald",
        words: &["journald", "journal"],
        advice: "select units in place of the whole journal",
    },
    InputAdvice {
        kind: "netflow",
        words: &["netflow", "udp"],
        advice: "enlarge the read buffer and the queue",
    },
];

#[rustfmt::skip]
const LOSS_WORDS: &[&str] = &[
    "loss", "lose", "loses", "lost", "drop", "drops", "dropped", "unreliable", "not reliable", "not guarantee",
    "no guarantee", "does not guarantee", "doesn't guarantee", "best effort", "best-effort", "may not arrive",
    "without delivery",
];
#[rustfmt::skip]
const TCP_ADVICE: &[&str] = &[
    "use tcp", "tcp instead", "prefer tcp", "tcp is recommended", "recommend tcp", "switch to tcp", "tcp for reliable",
    "tcp where", "consider tcp", "using tcp", "tcp over udp", "tcp rather", "tcp is preferred", "over tcp",
];

pub(super) fn check(page: &MarkdownPage<'_>) -> Vec<Issue> {
    let Some(package) = page.package else { return Vec::new() };
    let mut issues = Vec::new();
    let kinds = package.input_kinds();
    let scaling = topic_text(page, SectionTopic::Performance);
    if scaling.is_none() {
        // A template without such a section does not ask for one (SEC-107).
        let is_about = |title: &str| SectionTopic::of(title) == Some(SectionTopic::Performance);
        let is_required = template_sections(package).iter().any(|section| is_about(&section.title));
        if page.section.is_some() || !is_required {
            return issues;
        }
        let message = "no section is about performance and scaling".to_owned();
        issues.push(page.issue_of_text(
            "scaling/missing-section",
            message,
            "add a section with advice for each input",
        ));
    }
    let (title, lower) = match &scaling {
        Some(scaling) => (scaling.title.as_str(), scaling.lower.clone()),
        None => ("", page.visible().to_lowercase()),
    };
    if kinds.contains(&"udp") && !warns_of_loss(&lower) {
        let message =
            "the package has a UDP input, and no text warns of lost events or advises TCP".to_owned();
        let fix = "say that UDP can lose events, and advise TCP where no loss is acceptable";
        issues.push(page.issue_of_section("scaling/udp-loss", title, message, fix));
    }
    let Some(scaling) = scaling else { return issues };
    for kind in kinds {
        let known = INPUTS.iter().find(|input| input.kind == kind);
        let name = kind.replace(['/', '_', '-'], " ");
        let is_mentioned = has_word(&scaling.lower, kind)
            || has_word(&scaling.lower, &name)
            || known.is_some_and(|input| input.words.iter().any(|word| has_word(&scaling.lower, word)))
            || (known.is_none() && has_word(&scaling.lower, name.split(' ').next().unwrap_or_default()));
        if !is_mentioned {
            let message = format!("the section does not mention the input `{}`", excerpt(kind));
            let fix = known.map_or("add advice for this input", |input| input.advice);
            issues.push(page.issue_of_section("scaling/input-missing", &scaling.title, message, fix));
        }
    }
    issues
}

fn warns_of_loss(lower: &str) -> bool {
    has_any(lower, TCP_ADVICE)
        || (has_word(lower, "udp") && LOSS_WORDS.iter().any(|word| has_word(lower, word)))
}
