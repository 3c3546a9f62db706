//! Context files: front matter, paths, writing.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use proptest::prelude::*;
use stategraph::llm::{Usage, UsageSource};
use stategraph::repo::WriteProblem;
use stategraph::workflows::contextualize::context_file::{
    CONTEXT_FILE_MAX, ContextFile, ContextFileProblem, ContextMetadata, ContextPaths, FrontMatter,
    Provenance, ScopedContextMetadata, mark_output_dir, probe_output, read_agents_md, resolve_output,
    write_agents_md, write_context, write_scope,
};
use stategraph::workflows::contextualize::input::{ContextCommand, ContextSettings};
use stategraph::workflows::{OutputProblem, OutputScope, Timestamp};
use stategraph_testing::cases;

/// 2024-01-15T10:30:00Z.
const STARTED: u64 = 1_705_314_600_000;

fn started() -> Timestamp {
    Timestamp::from_ms(STARTED)
}

fn whole(summary: &str) -> ContextMetadata {
    ContextMetadata {
        source_repo: "/home/me/app".to_owned(),
        scan_date: started(),
        user_summary: Some(summary.to_owned()),
        provenance: Provenance::of_rules(Some("c0ffee".to_owned())),
    }
}

fn scoped(question: &str) -> ScopedContextMetadata {
    ScopedContextMetadata {
        source_repo: "https://github.com/acme/app".to_owned(),
        scope_question: question.to_owned(),
        scan_date: started(),
        files_analyzed: 3,
        source_context: None,
        provenance: Provenance::of_rules(None),
    }
}

fn file(markdown: &str) -> ContextFile {
    ContextFile::new(whole("A shop.").front_matter(), markdown)
}

fn parse(text: &str) -> Result<ContextFile, ContextFileProblem> {
    ContextFile::parse(text.as_bytes())
}

fn settings() -> ContextSettings {
    ContextSettings::of(ContextCommand::Scope)
}

#[test]
fn the_front_matter_of_a_whole_context_has_all_its_keys() {
    // CTX-60, CTX-66, CTX-147
    let usage = Usage { prompt_tokens: 1200, completion_tokens: 300, source: UsageSource::Reported };
    let metadata = ContextMetadata {
        user_summary: None,
        provenance: Provenance::of_model("anthropic/claude-x", usage, None),
        ..whole("")
    };
    let text = ContextFile::new(metadata.front_matter(), "# App").render();
    let version = env!("CARGO_PKG_VERSION");
    let expected = format!(
        "---\nsource_repo: \"/home/me/app\"\nscan_date: \"2024-01-15T10:30:00Z\"\nuser_summary: null\n\
         model_used: \"anthropic/claude-x\"\nwritten_by: \"model\"\nprompt_tokens: 1200\ncompletion_tokens: 300\n\
         commit: null\ngenerator: \"stategraph {version}\"\ndigest: \""
    );
    assert!(text.starts_with(&expected), "{text}");
    assert!(text.ends_with("\"\n---\n\n# App\n"), "{text}");
    let read = parse(&text).unwrap();
    assert_eq!(ContextMetadata::try_from(&read.front_matter).unwrap(), metadata);
}

#[test]
fn the_front_matter_of_an_answer_has_all_its_keys() {
    // CTX-61, CTX-66
    let text = ContextFile::new(scoped("where?").front_matter(), "# Where").render();
    for line in [
        "source_repo: \"https://github.com/acme/app\"",
        "scope_question: \"where?\"",
        "scan_date: \"2024-01-15T10:30:00Z\"",
        "model_used: \"offline\"",
        "files_analyzed: 3",
        "source_context: null",
        "written_by: \"rules\"",
    ] {
        assert!(text.lines().any(|found| found == line), "{line} in {text}");
    }
    let read = parse(&text).unwrap();
    assert_eq!(ScopedContextMetadata::try_from(&read.front_matter).unwrap(), scoped("where?"));
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn any_summary_and_any_body_come_back_as_they_were(summary in any::<String>(), body in any::<String>()) {
        // CTX-32, CTX-115
        let written = ContextFile { front_matter: whole(&summary).front_matter(), body };
        prop_assert_eq!(parse(&written.render()), Ok(written));
    }

    #[test]
    fn no_bytes_make_the_parser_panic(head in "(---\n)?[a-z]{0,3}(: )?", tail in any::<Vec<u8>>()) {
        let bytes: Vec<u8> = head.into_bytes().into_iter().chain(tail).collect();
        let _ = ContextFile::parse(&bytes);
    }
}

#[test]
fn quotes_colons_line_breaks_and_fences_in_a_summary_are_valid_yaml() {
    // CTX-115
    for summary in [
        "say \"hi\": it's",
        "two\nlines\n---\nthree",
        "a: b: c # no comment",
        "--- x",
        "\u{0}\u{7}\u{1b}[31m\u{85}\u{2028}\u{feff}\u{202e}",
        "{{ x }} [1, 2] *a &b !c | > % @ `",
        "back\\slash \\n",
        "1.0",
        "null",
        "~",
        "😀",
    ] {
        let text = ContextFile::new(whole(summary).front_matter(), "body").render();
        let read = parse(&text).unwrap_or_else(|problem| panic!("{summary:?}: {problem}\n{text}"));
        let metadata = ContextMetadata::try_from(&read.front_matter).unwrap();
        assert_eq!(metadata.user_summary.as_deref(), Some(summary));
        let fences = text.lines().filter(|line| *line == "---").count();
        assert_eq!(fences, 2, "{text}");
    }
}

#[test]
fn three_hyphens_in_the_body_or_in_a_value_end_nothing() {
    // CTX-32
    let body = "\n# App\n\n---\n\nkey: value\n---\n";
    let text = format!("---\nsource_repo: a --- b\nnote: |\n  x\n  ---\n  y\n---\n{body}");
    let read = parse(&text).unwrap();
    assert_eq!(read.front_matter.text("source_repo"), Some("a --- b"));
    assert_eq!(read.front_matter.text("note"), Some("x\n---\ny"));
    assert_eq!(read.body, body);
}

#[test]
fn a_file_with_a_mark_and_line_breaks_of_windows_is_read() {
    let read = parse("\u{feff}---\r\nsource_repo: app\r\n---\r\n# App\r\n").unwrap();
    assert_eq!(read.front_matter.text("source_repo"), Some("app"));
    assert_eq!(read.body, "# App\r\n");
}

#[test]
fn unknown_keys_are_kept_when_a_file_is_refined() {
    // CTX-32
    let text =
        "---\nowner: {team: core, ids: [1, 2.5, true, null]}\nsource_repo: /x\n\"on\": 1\n1: a\n---\nold\n";
    let read = parse(text).unwrap();
    let front_matter = read.front_matter.with(Provenance::of_rules(None).front_matter());
    let refined = ContextFile::new(front_matter, "new").render();
    assert!(refined.contains("owner: {\"team\":\"core\",\"ids\":[1,2.5,true,null]}\n"), "{refined}");
    assert!(refined.contains("\"on\": 1\n\"1\": \"a\"\n"), "{refined}");
    assert!(refined.starts_with("---\nowner: "), "the order stays: {refined}");
    let again = parse(&refined).unwrap();
    assert_eq!(again.front_matter.text("source_repo"), Some("/x"));
    assert_eq!(again.front_matter.text("written_by"), Some("rules"));
    assert_eq!(again.front_matter.get("digest"), None, "the digest is no key of the user");
}

#[test]
fn broken_files_are_told_apart_and_lines_are_named() {
    let problem = |text: &str| parse(text).unwrap_err();
    assert_eq!(problem(""), ContextFileProblem::NoFrontMatter);
    assert_eq!(problem("# App\n---\na: b\n---\n"), ContextFileProblem::NoFrontMatter);
    assert_eq!(problem("---\na: b\n"), ContextFileProblem::Unclosed);
    assert_eq!(problem("---\n- a\n---\n"), ContextFileProblem::NotAMap);
    let broken = problem("---\na: b\nc: [d\n---\nbody\n").to_string();
    assert!(broken.starts_with("line 3: its front matter is not valid YAML: "), "{broken}");
    let twice = problem("---\na: b\na: c\n---\n").to_string();
    assert!(twice.starts_with("line 3: "), "{twice}");
    let bytes = b"---\na: b\n---\nx\n\xff\n";
    assert_eq!(ContextFile::parse(bytes).unwrap_err(), ContextFileProblem::NotText { line: 5 });
    let large = vec![b'x'; CONTEXT_FILE_MAX + 1];
    assert_eq!(
        ContextFile::parse(&large).unwrap_err(),
        ContextFileProblem::TooLarge { limit: CONTEXT_FILE_MAX }
    );
    let empty = parse("---\n---\nbody").unwrap();
    assert_eq!(empty.front_matter.source_repo().unwrap_err(), ContextFileProblem::NoRepository);
    let other = parse("---\nsource_repo: [a]\n---\n").unwrap();
    assert_eq!(other.front_matter.source_repo().unwrap_err(), ContextFileProblem::NoRepository);
}

#[test]
fn bombs_of_aliases_and_of_brackets_are_refused() {
    let mut aliases = "---\na: &a [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for (name, of) in ["b", "c", "d", "e", "f", "g", "h"].iter().zip(["a", "b", "c", "d", "e", "f", "g"]) {
        let items = vec![format!("*{of}"); 9].join(", ");
        writeln!(aliases, "{name}: &{name} [{items}]").unwrap();
    }
    aliases.push_str("---\n");
    assert!(matches!(parse(&aliases), Err(ContextFileProblem::Yaml { .. })));
    let brackets = format!("---\na: {}\n---\n", "[".repeat(100_000));
    assert!(matches!(parse(&brackets), Err(ContextFileProblem::Yaml { .. })));
}

#[test]
fn a_context_file_must_exist_and_be_a_file() {
    // CTX-104
    let folder = tempfile::tempdir().unwrap();
    let missing = ContextFile::read(&folder.path().join("context.md")).unwrap_err();
    assert_eq!(missing.problem, ContextFileProblem::Missing);
    assert!(missing.to_string().contains("context.md: there is no such file"), "{missing}");
    assert!(missing.hint().contains("generate"));
    let no_file = ContextFile::read(folder.path()).unwrap_err();
    assert!(no_file.to_string().ends_with("it is a folder, not a regular file"), "{no_file}");
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let pipe = ContextFile::read(&pipe).unwrap_err();
    assert!(pipe.to_string().ends_with("it is a named pipe, not a regular file"), "{pipe}");
    fs::write(folder.path().join("good.md"), file("# App").render()).unwrap();
    assert_eq!(ContextFile::read(&folder.path().join("good.md")).unwrap(), file("# App"));
}

#[test]
fn every_repository_has_a_folder_of_its_own_below_the_output_folder() {
    // CTX-25, CTX-112, CTX-113, CTX-114
    let paths = ContextPaths::new(Path::new("contexts"), "My.App_2");
    assert_eq!(paths.context(), Path::new("contexts/My.App_2/context.md"));
    assert_eq!(paths.agents_md(), Path::new("contexts/My.App_2/AGENTS.md"));
    let scope = paths.scope("where are retries decided", started());
    assert_eq!(scope, Path::new("contexts/My.App_2/scope-where-are-retries-decided-20240115_103000.md"));
    let hostile = paths.scope("../../Etc/Passwd\n\u{202e}ü", started());
    assert_eq!(hostile, Path::new("contexts/My.App_2/scope-etc-passwd-20240115_103000.md"));
    assert!(paths.scope("何が", started()).ends_with("scope-question-20240115_103000.md"));
    assert!(paths.scope(&"x".repeat(5000), started()).as_os_str().len() < 150);
}

#[test]
fn names_of_repositories_are_safe_as_names_of_folders() {
    // CTX-112
    for name in [
        "..",
        ".",
        "",
        ".git",
        "a/b",
        "a\\b",
        "CON",
        "nul.txt",
        "x.",
        "a\nb",
        "ü",
        "-rf",
        "~",
        &"n".repeat(300),
    ] {
        let paths = ContextPaths::new(Path::new("contexts"), name);
        let folder = paths.folder().strip_prefix("contexts").unwrap().to_str().unwrap().to_owned();
        let is_plain =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-._".contains(&byte);
        assert!(folder.bytes().all(is_plain), "{name:?} is {folder}");
        assert!(
            !folder.is_empty() && folder.len() <= 120 && !folder.starts_with(['.', '-']),
            "{name:?} is {folder}"
        );
        assert_ne!(folder, name);
    }
}

#[test]
fn a_typed_path_decides_and_the_default_stays_in_the_folder() {
    // CTX-8
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("work");
    fs::create_dir(&folder).unwrap();
    let default = Path::new("contexts/app/context.md");
    let real = folder.canonicalize().unwrap();
    assert_eq!(resolve_output(&settings(), &folder, default).unwrap(), real.join(default));
    let typed = ContextSettings {
        output: Some("../elsewhere.md".into()),
        output_scope: OutputScope::Anywhere,
        ..settings()
    };
    let target = resolve_output(&typed, &folder, default).unwrap();
    write_context(&target, &file("# App")).unwrap();
    assert!(home.path().join("elsewhere.md").is_file() && !folder.join("contexts").exists());
    let found = ContextSettings { output_dir: "..".into(), ..settings() };
    let error = resolve_output(&found, &folder, &found.output_dir.join("app/context.md")).unwrap_err();
    assert!(matches!(error.problem, OutputProblem::Outside { .. }), "{error}");
    assert!(error.to_string().contains("cannot write the context file to ../app/context.md"), "{error}");
    assert!(error.hint().contains("--output"), "{}", error.hint());
}

#[test]
#[cfg(unix)]
fn the_default_path_follows_no_link_out_of_the_folder() {
    // CTX-101
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("work");
    fs::create_dir_all(folder.join("contexts/app")).unwrap();
    fs::create_dir(home.path().join("outside")).unwrap();
    let out = home.path().join("outside");
    std::os::unix::fs::symlink(out.join("mine.md"), folder.join("contexts/app/context.md")).unwrap();
    std::os::unix::fs::symlink(&out, folder.join("contexts/other")).unwrap();
    for path in ["contexts/app/context.md", "contexts/other/context.md"] {
        let error = resolve_output(&settings(), &folder, Path::new(path)).unwrap_err();
        assert!(matches!(error.problem, OutputProblem::Outside { .. }), "{error}");
    }
    let paths = ContextPaths::new(Path::new("contexts"), "other");
    write_scope(&settings(), &folder, &paths, "x", started(), &file("# X")).unwrap_err();
    assert_eq!(fs::read_dir(&out).unwrap().count(), 0);
}

#[test]
fn a_file_of_the_user_is_kept_and_one_of_the_program_is_replaced() {
    // CTX-112
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("contexts/app/context.md");
    let bak = |name: &str| folder.path().join("contexts/app").join(name);
    assert_eq!(write_context(&path, &file("# One")).unwrap(), None);
    assert_eq!(write_context(&path, &file("# Two")).unwrap(), None, "the program's own file");
    assert_eq!(write_context(&path, &file("# Two")).unwrap(), None, "the same again");
    let edited = fs::read_to_string(&path).unwrap().replace("# Two", "# Two, edited");
    fs::write(&path, &edited).unwrap();
    assert_eq!(write_context(&path, &file("# Three")).unwrap(), Some(bak("context.md.bak")));
    assert_eq!(fs::read_to_string(bak("context.md.bak")).unwrap(), edited);
    fs::write(&path, "# By hand\n").unwrap();
    assert_eq!(write_context(&path, &file("# Four")).unwrap(), Some(bak("context.md.bak.1")));
    let metadata = ContextMetadata { source_repo: "/another/app".to_owned(), ..whole("") };
    let another = ContextFile::new(metadata.front_matter(), "# Another");
    assert_eq!(write_context(&path, &another).unwrap(), Some(bak("context.md.bak.2")));
    assert_eq!(ContextFile::read(&bak("context.md.bak.2")).unwrap(), file("# Four"));
    assert_eq!(ContextFile::read(&path).unwrap(), another);
}

#[test]
fn two_answers_in_one_second_do_not_overwrite_each_other() {
    // CTX-113, CTX-114
    let folder = tempfile::tempdir().unwrap();
    let paths = ContextPaths::new(Path::new("contexts"), "app");
    let write = |body: &str| {
        write_scope(&settings(), folder.path(), &paths, "where is x", started(), &file(body)).unwrap()
    };
    let base = "contexts/app/scope-where-is-x-20240115_103000";
    assert_eq!(write("# One"), Path::new(&format!("{base}.md")));
    assert_eq!(write("# Two"), Path::new(&format!("{base}-2.md")));
    assert_eq!(write("# One"), Path::new(&format!("{base}.md")), "a resumed run has written it before");
    assert_eq!(write("# Three"), Path::new(&format!("{base}-3.md")));
    let texts: Vec<_> = ["", "-2", "-3"]
        .iter()
        .map(|end| ContextFile::read(&folder.path().join(format!("{base}{end}.md"))).unwrap().body)
        .collect();
    assert_eq!(texts, ["\n# One\n", "\n# Two\n", "\n# Three\n"]);
    let threads: Vec<_> = (0..8)
        .map(|number| {
            let (folder, paths) = (folder.path().to_owned(), paths.clone());
            std::thread::spawn(move || {
                let text = file(&format!("# Thread {number}"));
                write_scope(&settings(), &folder, &paths, "at once", started(), &text).unwrap()
            })
        })
        .collect();
    let written: std::collections::BTreeSet<_> = threads.into_iter().map(|it| it.join().unwrap()).collect();
    assert_eq!(written.len(), 8);
}

#[test]
fn a_new_output_folder_has_a_marker_for_version_control() {
    // CTX-122
    let folder = tempfile::tempdir().unwrap();
    let paths = ContextPaths::new(Path::new("contexts"), "app");
    mark_output_dir(&settings(), folder.path(), &paths).unwrap();
    let marker = folder.path().join("contexts/.gitkeep");
    assert_eq!(fs::read(&marker).unwrap(), b"");
    fs::remove_file(&marker).unwrap();
    mark_output_dir(&settings(), folder.path(), &paths).unwrap();
    assert!(!marker.exists(), "a marker that the user removed stays removed");
}

#[test]
fn an_agents_md_is_read_and_replaced_without_a_copy() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("AGENTS.md");
    assert_eq!(read_agents_md(&path).unwrap(), None);
    write_agents_md(&path, "# One\n").unwrap();
    write_agents_md(&path, "# Two\n").unwrap();
    assert_eq!(read_agents_md(&path).unwrap().as_deref(), Some("# Two\n"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    fs::write(&path, [0xff]).unwrap();
    let error = read_agents_md(&path).unwrap_err();
    assert!(error.to_string().contains("the file that is there cannot be read: "), "{error}");
}

#[test]
fn a_path_that_cannot_be_written_is_known_before() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "x").unwrap();
    let error = probe_output(&folder.path().join("file/context.md")).unwrap_err();
    assert_eq!(error.problem, WriteProblem::ParentNotADirectory.into());
    probe_output(&folder.path().join("new/context.md")).unwrap();
    assert!(!folder.path().join("new").exists());
}

#[test]
fn front_matter_of_other_programs_gives_its_repository() {
    // CTX-6: a date that is none of ours, and no key but the one that is needed
    let read = parse("---\nscan_date: 2024-01-15T10:30:00.123456\nsource_repo: /srv/app \n---\n").unwrap();
    assert_eq!(read.front_matter.source_repo().unwrap(), "/srv/app");
    let error = ContextMetadata::try_from(&read.front_matter).unwrap_err();
    assert!(error.to_string().contains("is no moment"), "{error}");
    assert_eq!(FrontMatter::default().get("source_repo"), None);
}
