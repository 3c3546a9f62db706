//! Facts of every kind that say one text wherever they can, for documents of hostile texts.

use stategraph::facts::{
    CommandPurpose, ConcernKind, Fact, FactOrigin, FactSubject, FactValue, PathRole, PipelineJob,
    PipelineSummary, ProjectShape, QuotedBlock, QuotedSection, RelationKind, SectionUse, SettingForm,
    SourceLines, TargetKind, ToolPurpose, TraceStep,
};
use stategraph::repo::{ProjectType, Scope};
use stategraph::workflows::doc_phases::selection::{
    BuildFile, ExampleTest, MemberExample, MemberLine, MemberPlace, MemberSet, ReExport, SelectedFacts,
};

/// Returns facts of every kind in which every text is `text`.
pub(super) fn facts_saying(text: &str) -> SelectedFacts {
    let said = || text.to_owned();
    let at = |line| SourceLines { path: "src/a_b.rs".into(), start: line, end: line + 1 };
    let values = vec![
        FactValue::Project {
            ecosystem: ProjectType::Rust,
            name: Some(said()),
            version: Some(said()),
            shape: Some(ProjectShape::Both),
        },
        FactValue::Target { target: TargetKind::Program, name: said(), entry: format!("{text}!") },
        FactValue::Target { target: TargetKind::Library, name: said(), entry: format!("{text}!") },
        FactValue::Dependency { name: said(), requirement: Some(said()), scope: Scope::Runtime },
        FactValue::Command {
            purpose: CommandPurpose::Test,
            command: said(),
            folder: said(),
            runs: vec![said()],
        },
        FactValue::Tool { purpose: ToolPurpose::Linter, name: said() },
        FactValue::Setting {
            form: SettingForm::Flag,
            name: said(),
            default: Some(said()),
            text: Some(said()),
        },
        FactValue::Route { method: Some(said()), path: said(), handler: Some(said()) },
        FactValue::Subcommand { name: said(), text: Some(said()) },
        FactValue::Trace {
            steps: vec![
                TraceStep { name: said(), at: at(1) },
                TraceStep { name: said(), at: SourceLines { path: "src/c.rs".into(), start: 3, end: 3 } },
                TraceStep { name: said(), at: at(5) },
            ],
        },
        FactValue::Concern { concern: ConcernKind::Errors, construct: said() },
        FactValue::Rule { text: said() },
        FactValue::Recipe { title: said(), steps: vec![said(), said()] },
        FactValue::Limit { text: said() },
        FactValue::Topic { title: said(), text: vec![said(), said()], lead: 2, example: Some(said()) },
    ];
    let fact = |subject: FactSubject, value| Fact {
        id: "0".into(),
        subject,
        value,
        sources: vec![at(7)],
        origin: FactOrigin::Quoted,
        role: PathRole::Runtime,
    };
    let project = || FactSubject::Project(String::new());
    let mut facts: Vec<Fact> = values.into_iter().map(|value| fact(project(), value)).collect();
    facts.push(fact(FactSubject::Repository, FactValue::Purpose { text: said() }));
    facts.push(fact(FactSubject::Folder("src/b".into()), FactValue::Purpose { text: said() }));
    let relation = FactValue::Relation {
        relation: RelationKind::Has,
        to: "src/c.rs".into(),
        name: said(),
        field: Some(said()),
    };
    facts.push(fact(FactSubject::Symbol { path: "src/b/b.rs".into(), name: said() }, relation));
    let calls = FactValue::Calls { calls: vec![TraceStep { name: said(), at: at(2) }] };
    facts.push(fact(FactSubject::Symbol { path: "src/b/b.rs".into(), name: said() }, calls));
    let code = format!("the program runs with all that it needs();\n{text}");
    let sections = vec![QuotedSection {
        headings: vec![said(), said()],
        usage: SectionUse::Start,
        blocks: vec![
            QuotedBlock::Paragraph(said()),
            QuotedBlock::Items(vec![said(), said()]),
            QuotedBlock::Steps(vec![said()]),
            QuotedBlock::Note(said()),
            QuotedBlock::Tree(vec![(said(), vec![said(), said()])]),
            QuotedBlock::Table(vec![vec![said(), said()], vec![said(), said()]]),
            QuotedBlock::Code { language: String::new(), text: code },
        ],
        source: at(3),
        is_cut: true,
    }];
    let job = PipelineJob {
        name: said(),
        condition: Some(said()),
        needs: vec![said()],
        matrix: vec![said()],
        runs_on: said(),
        setups: vec![said()],
        steps: vec![said()],
    };
    let summary = PipelineSummary { name: said(), source: at(1), events: vec![said()], jobs: vec![job] };
    let labels = [(format!("2 {text}"), vec![said(), format!("else of {text}")])].into();
    let branches = [("src/a.rs".to_owned(), labels)].into();
    let name = ReExport {
        name: said(),
        kind: said(),
        documentation: Some(said()),
        at: Some(at(4)),
        line: 1,
        is_external: false,
    };
    let (pipelines, re_exports) = (vec![summary], [("src/b/b.rs".to_owned(), vec![name])].into());
    SelectedFacts { facts, sections, pipelines, branches, re_exports, ..further_facts_saying(text) }
}

/// Returns facts about tests, examples and sets of members that say `text` wherever they can.
fn further_facts_saying(text: &str) -> SelectedFacts {
    let said = || text.to_owned();
    let at = |line: usize| SourceLines { path: "src/b/b.rs".into(), start: line, end: line + 1 };
    let line = MemberLine { place: at(3), text: said(), more: 1 };
    let set = MemberSet {
        words: "variant of".to_owned(),
        title: said(),
        source: Some(at(2)),
        members: vec![said(), said()],
        more: 1,
        places: vec![MemberPlace { lines: at(9), within: Some(said()) }],
        example: Some(MemberExample { name: said(), lines: vec![line], more: 2 }),
    };
    let example = ExampleTest {
        command: said(),
        pattern_of: None,
        is_of_file: true,
        source: at(1),
        code: format!("runs();\n{text}"),
        is_cut: true,
    };
    let of_pattern = ExampleTest { pattern_of: Some(said()), code: String::new(), ..example.clone() };
    // The place of a script has the number of its lines.
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let script = BuildFile { path: "build.sh".to_owned(), text: format!("run\n{line}"), more_lines: 1 };
    SelectedFacts {
        member_sets: vec![set],
        single_tests: [(String::new(), example), ("src".to_owned(), of_pattern)].into(),
        test_helpers: [(text.to_owned(), vec![said()])].into(),
        example_files: vec![said()],
        build_files: vec![script],
        ..SelectedFacts::default()
    }
}
