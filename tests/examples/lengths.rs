//! Programs that were ported from Python are at most 1.3 times as long. Blank lines and comments do not count; `cargo fmt --check` holds
//! that the lines are those of rustfmt.

use std::path::Path;

/// The example, and the lines of the program in Python.
const PORTED: [(&str, usize); 3] = [("agent_tools", 26), ("approve_items", 31), ("supervisor", 24)];

fn count_lines(name: &str) -> usize {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("examples/{name}.rs"));
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")).count()
}

#[test]
fn ported_programs_are_at_most_a_third_longer_than_in_python() {
    for (name, python) in PORTED {
        let lines = count_lines(name);
        // 1.3, rounded to whole lines.
        let most = (python * 13 + 5) / 10;
        assert!(lines <= most, "{name} has {lines} lines, and {most} are allowed");
    }
}
