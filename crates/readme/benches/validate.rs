//! The time that the validators take for a megabyte of different shapes, and for two, because it must grow with the size.
//! `cargo bench -p stategraph-readme --bench validate`; words behind `--` choose the shapes whose names have one of them.

#![allow(clippy::print_stdout, reason = "a bench says what it measured")]

use std::fmt::Write as _;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use stategraph_readme::document;
use stategraph_readme::package::{
    DataStream, IntegrationPackage, PackageInput, PackageManifest, PackageVariable,
};
use stategraph_readme::validate::{DocumentProfile, ValidationOptions, ValidationSubject, validate};

/// A function that makes a text with about this number of bytes.
type Grow = fn(usize) -> String;

const MEGABYTE: usize = 1_000_000;

fn main() {
    let shapes: &[(&str, Grow)] = &[
        ("a document", ordinary),
        ("one line", |size| repeat("words of one line, e.g. colour! ", size)),
        ("200 sections", |size| {
            let body = repeat("A line of text below a heading.\n", size / 200);
            (0..200).fold(String::new(), |mut text, number| {
                let _ = write!(text, "## Section {number}\n\n{body}\n");
                text
            })
        }),
        ("headings", |size| repeat("### Part\n\n", size)),
        ("brackets", |size| "[".repeat(size / 20) + &repeat("](x ", size - size / 20)),
        ("undefined references", |size| repeat("[a][b] ", size)),
        ("open tags", |size| repeat("<a href=\"x", size)),
        ("open comments", |size| repeat("text <!-- ", size)),
        ("comments of markdownlint", |size| {
            repeat("<!-- markdownlint-disable MD001 -->\n\n<!-- markdownlint-enable -->\n\n", size)
        }),
        ("headings in quotes", |size| repeat("> # Title!\n\n", size)),
        ("links to anchors", |size| repeat("[x](#missing) ", size)),
        ("tables", |size| format!("| a | b |\n| - | - |\n{}", repeat("| a | b | c |\n", size))),
        ("tags", |size| repeat("{{fields \"log\"}}\n\n", size)),
        ("fences", |size| repeat("```\nInformation not available <AGENT_IP>\n```\n\n", size)),
        ("protected blocks", |size| repeat("<!-- PRESERVE START -->\n\n", size)),
        ("faults in protected blocks", |size| {
            repeat("<!-- PRESERVE START -->\n\nVery good!\n\n<!-- PRESERVE END -->\n\n", size)
        }),
        ("headings and links", |size| repeat("### Part\n\n[x](#part-7)\n\n", size)),
        ("code spans", |size| repeat("`a.b.c` <your-x> ", size)),
        ("stars", |size| repeat("*a **b _c ", size)),
        ("quotes", |size| repeat("> > > > ", size)),
        ("addresses", |size| repeat("https://a.example/((((( ", size)),
        ("no blanks", |size| repeat("above_below", size)),
        ("bytes of a mask", |size| repeat("\u{1a}\u{1a}] (\u{1a}", size)),
    ];
    println!("{:26} {:>10} {:>10} {:>10} {:>10}", "", "README", "package", "2 MB", "parse");
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let is_chosen = |name: &str| words.is_empty() || words.iter().any(|word| name.contains(word.as_str()));
    for (name, grow) in shapes.iter().filter(|(name, _)| is_chosen(name)) {
        let (one, two) = (grow(MEGABYTE), grow(2 * MEGABYTE));
        println!(
            "{name:26} {:7} ms {:7} ms {:7} ms {:7} ms",
            check(&one, DocumentProfile::Readme).as_millis(),
            check(&one, DocumentProfile::Package).as_millis(),
            check(&two, DocumentProfile::Package).as_millis(),
            measure(|| drop(document::parse(&one).text())).as_millis()
        );
    }
}

fn repeat(part: &str, size: usize) -> String {
    part.repeat(size / part.len())
}

/// Makes a document of about `size` bytes with all kinds of Markdown that READMEs have.
fn ordinary(size: usize) -> String {
    let mut text = "# Title\n\nIntroduction.\n\n## Contents\n\n- [Part 1](#part-1)\n\n".to_owned();
    let mut number = 0;
    while text.len() < size {
        number += 1;
        let _ = write!(
            text,
            "## Part {number}\n\nThe agent reads **logs** from `host.name`, and sends them to [Elastic](https://www.elastic.co/guide/{number}). \
             It was configured as shown above, e.g. with:\n\n```yaml\nssl.enabled: true\n```\n\n1. Open Kibana.\n2. Click **Save**!\n\n\
             | Name | Value |\n| --- | --- |\n| a | {number} |\n\n### Details\n\n- An item with an ![image](a.png)\n- See [below](#details)\n\n"
        );
    }
    text
}

fn check(text: &str, profile: DocumentProfile) -> Duration {
    let options = ValidationOptions::default();
    let package = IntegrationPackage {
        service_info: Some("## Vendor set up steps\n\n1. Open [it](https://acme.io/a).\n".to_owned()),
        manifest: PackageManifest { title: "Acme Firewall".to_owned(), ..PackageManifest::default() },
        data_streams: vec![DataStream {
            name: "log".to_owned(),
            inputs: vec![PackageInput {
                kind: "udp".to_owned(),
                variables: vec![PackageVariable { name: "ssl.key".to_owned(), ..PackageVariable::default() }],
                ..PackageInput::default()
            }],
            ..DataStream::default()
        }],
        ..IntegrationPackage::default()
    };
    let subject = ValidationSubject { text, section: None, package: Some(&package), options: &options };
    measure(|| drop(validate(&subject, profile)))
}

/// Runs `work` three times, and returns the shortest time that it took.
fn measure(work: impl Fn()) -> Duration {
    let times = (0..3).map(|_| {
        let began = processor_time();
        work();
        processor_time().saturating_sub(began)
    });
    times.min().unwrap_or_default()
}

/// Returns the processor time that this thread has used, so that other programs on the machine do not
/// count. Where the system does not tell it, returns the elapsed time.
fn processor_time() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let read = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = read.and_then(|text| text.split(' ').next().and_then(|word| word.parse().ok()));
    nanoseconds.map_or_else(|| START.elapsed(), Duration::from_nanos)
}
