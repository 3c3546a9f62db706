//! The page of rules names each rule as the code has it. `UPDATE=1 cargo test -p stategraph-readme --test rules` rewrites its table.

use std::fmt::Write as _;
use std::path::Path;

use stategraph_readme::validate::{RuleProfile, rules};

/// Line of the page above the table.
const MARK: &str = "<!-- rules -->\n";

#[test]
fn the_page_of_rules_names_each_rule_with_severity_and_markdownlint_id() {
    let mut table =
        "\n| rule | severity | markdownlint | profile | fault |\n|---|---|---|---|---|\n".to_owned();
    for rule in rules() {
        let profile = match rule.profile {
            RuleProfile::Package => "package",
            RuleProfile::Readme => "readme",
            RuleProfile::Both => "both",
        };
        let id = rule.markdownlint.unwrap_or("–");
        let _ = writeln!(table, "| `{}` | {} | {id} | {profile} | {} |", rule.id, rule.severity, rule.about);
    }
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/sections-rules.md");
    let text = std::fs::read_to_string(&page).expect("the page is in the repository");
    let (above, old) = text.split_once(MARK).expect("the mark is above the table");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&page, format!("{above}{MARK}{table}")).expect("a writable page");
        return;
    }
    assert_eq!(
        old, table,
        "docs/sections-rules.md is old: UPDATE=1 cargo test -p stategraph-readme --test rules"
    );
}
