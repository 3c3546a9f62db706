//! Tests of quoted sections: order, bounds, headings, and what is left out.

use super::*;

fn quoted(path: &str, text: &str) -> Vec<QuotedSection> {
    let all = if is_markdown(path) { sections_with_notes(text) } else { rst::sections_with_notes(text) };
    let title = title_of(&all);
    let document = QuotedDocument {
        path,
        lines: text.lines().collect(),
        is_code: false,
        title,
        audience: Audience::Users,
    };
    let mut headings: Vec<(usize, String)> = Vec::new();
    let quote = |section: &Section| {
        headings.retain(|(level, _)| *level < section.level);
        headings.push((section.level, bare_heading(&section.heading)));
        document.quote(section, &headings)
    };
    all.iter().filter_map(quote).collect()
}

#[test]
fn a_section_is_quoted_in_the_order_of_its_text() {
    let text = "# Pads\n\n## Usage\n\nCall it:\n\n```js\npad();\n```\n\nSome forms are:\n\n- one\n- two\n\n| A | B |\n|---|---|\n| `a\\|b` | [c](d) |\n\nThe next ones are:\n\nMore words stand here.\n\n```sh\nrun\n```\n";
    let all = quoted("README.md", text);
    let section = all.last().expect("a section");
    let row = |cells: [&str; 2]| cells.map(str::to_owned).to_vec();
    let code =
        |language: &str, text: &str| QuotedBlock::Code { language: language.into(), text: text.into() };
    let expected = [
        QuotedBlock::Paragraph("Call it:".into()),
        code("js", "pad();"),
        QuotedBlock::Paragraph("Some forms are:".into()),
        QuotedBlock::Items(row(["one", "two"])),
        QuotedBlock::Table(vec![row(["A", "B"]), row(["`a|b`", "c"])]),
        QuotedBlock::Paragraph("More words stand here.".into()),
        code("sh", "run"),
    ];
    assert_eq!(section.blocks, expected);
    assert_eq!((section.usage, section.is_cut), (SectionUse::Start, false));
    assert_eq!(section.source.to_string(), "README.md:3-26");
}

#[test]
fn steps_have_their_numbers_behind_code() {
    let steps = |path, text: &str| quoted(path, text).pop().map(|section| section.blocks).unwrap_or_default();
    let expected = [
        QuotedBlock::Steps(vec!["First, call it".into()]),
        QuotedBlock::Code { language: String::new(), text: "a".into() },
        QuotedBlock::Paragraph("2. Then leave it".into()),
    ];
    assert_eq!(
        steps("README.md", "# A\n\n1. First, call it\n\n   ```\n   a\n   ```\n\n2. Then leave it\n"),
        expected
    );
    let rst = "A\n===\n\n1. First of the steps\n2. Second of the steps\n";
    let both = ["First of the steps".to_owned(), "Second of the steps".to_owned()];
    assert_eq!(steps("docs/a.rst", rst), [QuotedBlock::Steps(both.to_vec())]);
}

#[test]
fn sections_of_the_level_of_the_title_keep_their_headings() {
    let text = "Pads\n===\n\nWords that tell what the pads are for.\n\nBasics\n===\n\nWords that tell how the pads are used.\n";
    let headings: Vec<Vec<String>> = quoted("README.md", text).into_iter().map(|it| it.headings).collect();
    assert_eq!(headings, [vec![], vec!["Basics".to_owned()]]);
}

#[test]
fn a_section_with_a_part_that_does_not_fit_is_cut() {
    let is_cut = |text: &str| quoted("README.md", text).pop().map(|section| section.is_cut);
    let row = |cells: usize| "| a ".repeat(cells) + "|\n";
    let table = |rows: usize, cells: usize| {
        let rule = "|---".repeat(cells) + "|\n";
        format!(
            "# A\n\nWords that tell about all of the rows.\n\n{}{rule}{}",
            row(cells),
            row(cells).repeat(rows)
        )
    };
    assert_eq!(
        [table(2, 2), table(31, 2), table(2, 7)].map(|text| is_cut(&text)),
        [Some(false), Some(true), Some(true)]
    );
    let code = format!("# A\n\nWords that tell about the code below.\n\n```\n{}```\n", "a\n".repeat(101));
    assert_eq!(is_cut(&code), Some(true));
}

#[test]
fn installation_is_told_and_a_long_section_is_cut() {
    let install = "Pads\n====\n\nInstalling\n----------\n\nInstall it::\n\n    pip install pads\n";
    let all = quoted("docs/index.rst", install);
    assert_eq!(all.last().map(|section| section.usage), Some(SectionUse::Install));
    let words = "Words that fill a line of the text and say nothing at all, again and again.\n\n".repeat(60);
    let all = quoted("README.md", &format!("# Pads\n\n## Sizes\n\n{words}They are:\n\n- x\n"));
    let section = all.last().expect("a section");
    assert!(section.is_cut && section.blocks.len() < 40);
    assert_eq!(quoted("README.md", "# Pads\n\n## License\n\nFree for all who want to use it.\n"), []);
    assert_eq!(quoted("README.md", "# Pads\n\n## Issues\n\nhttps://example.org/issues\n"), []);
}
