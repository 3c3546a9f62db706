//! Manual pages: one for each command, with the sections that readers expect.

use super::kit::{Place, done};

const SECTIONS: [&str; 4] = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS"];

/// Checks that a page is roff with its sections and without an empty name.
#[track_caller]
fn check_page(page: &str, command: &str) {
    assert!(page.contains(&format!(".TH {command} 1")), "{page}");
    for section in SECTIONS {
        let body = page.split_once(&format!("\n.SH {section}\n")).expect(section).1;
        assert!(
            body.lines().next().is_some_and(|line| !line.starts_with(".SH")),
            "{section} is empty: {page}"
        );
    }
    assert!(page.contains(&format!("{} \\- ", command.replace('-', "\\-"))), "{page}");
}

/// Returns the commands that a help text lists.
fn listed(help: &str) -> Vec<String> {
    let commands = help.lines().skip_while(|line| !["Commands:", "Workflows:"].contains(line)).skip(1);
    let names = commands.take_while(|line| line.starts_with("  "));
    // A line that is indented further continues a description.
    let names = names.filter_map(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '));
    names.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

#[tokio::test]
async fn every_command_has_a_page() {
    let place = Place::new();
    for program in ["ard", "graph"] {
        let pages = done(place.shell(&format!("{program} man {program}-pages"))).await.exits(0).out;
        let mut expected = vec![program.to_owned()];
        for command in listed(&done(place.shell(&format!("{program} --help"))).await.exits(0).out) {
            expected.push(format!("{program}-{command}"));
            let inner = done(place.shell(&format!("{program} {command} --help"))).await.exits(0).out;
            for name in listed(&inner) {
                let group =
                    done(place.shell(&format!("{program} {command} {name} --help"))).await.exits(0).out;
                // A page for each workflow of a group, not for the options of one.
                let words = if group.contains("<COMMAND>") { listed(&group) } else { Vec::new() };
                expected.extend(words.iter().map(|word| format!("{program}-{command}-{name}-{word}")));
                expected.push(format!("{program}-{command}-{name}"));
            }
        }
        assert!(expected.len() > 4, "{expected:?}");
        let files: Vec<String> =
            expected.iter().map(|command| format!("{program}-pages/{command}.1")).collect();
        let mut written: Vec<&str> = pages.lines().collect();
        let mut wanted: Vec<&str> = files.iter().map(String::as_str).collect();
        written.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(written, wanted);
        for (command, file) in expected.iter().zip(&files) {
            check_page(&place.read(file), command);
        }
    }
}

#[tokio::test]
async fn the_page_of_the_program_is_printed_without_a_folder() {
    let place = Place::new();
    let page = done(place.graph(["man"])).await.exits(0).out;
    check_page(&page, "graph");
    assert!(page.contains("graph\\-resume(1)"), "it names the other pages: {page}");
    assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0);
    place.write("taken", "");
    let failed = done(place.graph(["man", "taken"])).await.exits(2);
    assert!(failed.err.starts_with("error: "), "{}", failed.err);
}
