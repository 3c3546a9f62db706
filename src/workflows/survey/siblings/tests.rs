//! Tests of the sets of one kind and of their places.

use std::sync::Arc;

use super::*;
use crate::facts::Facts;
use crate::repo::{CodeBase, MemoryFiles};

/// Returns the sets of a code base as `title: place, place`.
fn told(files: &[(&str, &str)]) -> Vec<String> {
    let code = CodeBase::new(Arc::new(MemoryFiles::new(files.iter().copied())));
    let facts = Facts::collect(&code);
    let survey = Survey::of(&code, &facts, 20);
    let line = |set: SiblingSet| {
        let places = set.places.iter().map(|place| {
            let within = place.within.as_deref().unwrap_or_default();
            format!("{}:{}-{} {within} {}", place.path, place.lines.0, place.lines.1, place.named)
        });
        format!(
            "{:?} {} {}: {}",
            set.kind,
            set.title,
            set.members.len(),
            places.collect::<Vec<_>>().join(", ")
        )
    };
    sets(&survey).into_iter().map(line).collect()
}

#[test]
fn the_variants_of_an_enum_are_named_by_matches_constants_files_and_documents() {
    let files = [
        (
            "src/command.rs",
            "pub enum Command {\n    Quit,\n    NewTab { last: bool },\n    CopyFiles,\n    TouchFile,\n}\n\nimpl Command {\n    fn name(&self) -> &str {\n        match self {\n            Self::Quit => CMD_QUIT,\n            Self::NewTab { .. } => CMD_NEW_TAB,\n            Self::CopyFiles => CMD_COPY_FILES,\n            Self::TouchFile => CMD_TOUCH_FILE,\n        }\n    }\n    fn other(&self) -> bool {\n        matches!(self, Self::Quit | Self::NewTab { .. })\n    }\n}\n",
        ),
        ("src/run/quit.rs", "pub fn quit() {}\n"),
        ("src/run/new_tab.rs", "pub fn new_tab() {}\n"),
        ("src/run/copy_files.rs", "pub fn copy_files() {}\n"),
        ("src/run/touch_file.rs", "pub fn touch_file() {}\n"),
        ("src/run/mod.rs", "mod copy_files;\nmod new_tab;\nmod quit;\nmod touch_file;\n"),
        (
            "docs/commands.md",
            "# Commands\n\nText about quit and copy files.\n\n- `quit`\n- `new_tab`: a tab\n- `copy_files`\n- `touch_file`\n",
        ),
        ("CHANGELOG.md", "- `quit`\n- `new_tab`: a tab\n- `copy_files`\n- `touch_file`\n"),
    ];
    assert_eq!(
        told(&files),
        [
            "Variant Command 4: src/run/*.rs:0-0  4, docs/commands.md:5-8  4, src/command.rs:11-14 Command.name 4, src/run/mod.rs:1-4  4"
        ]
    );
}

#[test]
fn constants_are_named_by_their_values_and_common_words_are_no_members() {
    let files = [
        (
            "keys.go",
            "package a\n\nconst (\n\tactionExit = \"leave\"\n\tactionHelp = \"help\"\n\n\t// Moving\n\tactionDown = \"go_down\"\n\tactionTop  = \"top\"\n\tactionEdit = \"edit\"\n\tactionSync = \"redraw\"\n)\n\nfunc handlers() map[string]int {\n\treturn map[string]int{\n\t\tactionExit: 1,\n\t\tactionHelp: 2,\n\t\tactionDown: 3,\n\t\tactionTop:  4,\n\t\tactionEdit: 5,\n\t\tactionSync: 6,\n\t}\n}\n",
        ),
        ("a.yaml", "keys:\n  leave: q\n  help: h\n  go_down: d\n  top: g\n  edit: e\n  redraw: r\n"),
        ("notes.txt", "leave the help and go down to the top, edit and redraw\n"),
    ];
    let found = told(&files);
    assert_eq!(found, ["Constant actionExit 6: a.yaml:2-7  6, keys.go:16-21 handlers 6"]);
}

#[test]
fn hostile_names_end() {
    let long = "a_".repeat(5_000);
    let files = [("a.rs", format!("enum É {{ {long}, __, A, B1, Ccc, Dddd }}\nfn f() {{ {long} }}\n"))];
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    assert!(told(&files).is_empty());
}
