//! Whatever a user does wrong on the command line or in a file: a clear error, the right exit code, nothing lost. The exact text
//! is in `tests/golden/commands`; `UPDATE=1` rewrites it.

use std::path::Path;

use super::debate::{self, CALLS, Debate, undisturbed};
use super::kit::{Done, IDEA, Place, done, ended};

/// Compares what a command said with the golden file of this name.
#[track_caller]
pub(super) fn golden(name: &str, place: &Place, told: &Done) {
    let Done { code, out, err } = told;
    let code = code.expect("it was not killed");
    let text = format!("exit {code}\n--- stdout\n{out}--- stderr\n{err}");
    let text = without_ids(&text.replace(&place.path().display().to_string(), "HERE"));
    let file = format!("{}/tests/golden/commands/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(file, text).unwrap();
        return;
    }
    let expected = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(text, expected, "{name}: UPDATE=1 rewrites it");
}

/// Thread ids follow from everything that a debate is set up with; what is said around them is what counts here.
fn without_ids(text: &str) -> String {
    let is_id = |word: &&str| word.len() == 36 && word.split('-').map(str::len).eq([8, 4, 4, 4, 12]);
    let ids: Vec<&str> = text.split(|c: char| !c.is_ascii_hexdigit() && c != '-').filter(is_id).collect();
    ids.into_iter().fold(text.to_owned(), |text, id| text.replace(id, "THREAD"))
}

async fn ard(name: &str, arguments: &[&str], files: &[(&str, &[u8])]) {
    let place = Place::new();
    for (file, content) in files {
        place.write(file, content);
    }
    let told = done(place.ard(arguments)).await.exits(2);
    golden(name, &place, &told);
    assert!(told.out.is_empty(), "{}", told.out);
    assert!(
        !place.at("spec.md").exists() && !place.at("checkpoints").exists(),
        "{name} left something behind"
    );
}

// ARD-26, ARD-27, ENG-19
#[tokio::test]
async fn an_idea_that_is_none_is_refused() {
    ard("no_idea", &["run"], &[]).await;
    ard("empty_idea", &["run", "--idea", ""], &[]).await;
    ard("blank_idea", &["run", "--idea", " \n\t\u{200b} "], &[]).await;
    ard("two_ideas", &["run", "--idea", "One", "--idea-file", "two.txt"], &[("two.txt", b"Two")]).await;
    ard("stray_word", &["run", "a", "--idea", "One"], &[]).await;
    ard("missing_idea_file", &["run", "--idea-file", "no.txt"], &[]).await;
    ard("folder_as_idea_file", &["run", "--idea-file", "."], &[]).await;
    ard("binary_idea_file", &["run", "--idea-file", "idea.bin"], &[("idea.bin", b"An idea \xff\xfe")]).await;
    let long = vec![b'a'; 10 << 20];
    ard("long_idea_file", &["run", "--idea-file", "long.txt"], &[("long.txt", &long)]).await;
}

// ARD-27
#[tokio::test]
async fn an_idea_on_standard_input_is_checked_too() {
    let place = Place::new();
    golden("empty_stdin", &place, &done(place.ard(["run", "-"])).await.exits(2));
    let endless = done(place.shell("ard run - < /dev/zero")).await.exits(2);
    golden("endless_stdin", &place, &endless);
}

#[cfg(unix)]
#[tokio::test]
async fn an_idea_of_bytes_that_are_no_text_is_refused() {
    use std::os::unix::ffi::OsStrExt;
    let place = Place::new();
    let bytes = std::ffi::OsStr::from_bytes(b"An idea \xff");
    let told = done(place.ard([std::ffi::OsStr::new("run"), std::ffi::OsStr::new("--idea"), bytes])).await;
    golden("binary_idea", &place, &told.exits(2));
}

// ARD-18 to ARD-25: key, line, what was expected.
#[tokio::test]
async fn a_config_that_is_wrong_is_told_with_its_place() {
    let run = ["run", "--idea", IDEA];
    let named = ["run", "--idea", IDEA, "--config", "mine.yaml"];
    ard("missing_config", &named, &[]).await;
    ard("config_is_folder", &["run", "--idea", IDEA, "--config", "."], &[]).await;
    ard("broken_config", &run, &[("config.yaml", b"architect_model: [offline\nreviewer_model: x\n")]).await;
    ard("tab_in_config", &run, &[("config.yaml", b"providers:\n\tlocal: 1\n")]).await;
    let mistyped: &[u8] = b"architect_model: offline\nreviewer_modle: offline\nmax_iterations: many\n\
        output_path: spec.md\nproviders:\n  local: { base_url: 7 }\n";
    ard("mistyped_config", &run, &[("config.yaml", mistyped)]).await;
    ard("empty_config", &run, &[("config.yaml", b"")]).await;
    ard("binary_config", &run, &[("config.yaml", b"\xff\xfe\x00")]).await;
    let bomb: &[u8] = b"a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\n\
        c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\n\
        e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\n";
    ard("alias_bomb_in_config", &run, &[("config.yaml", bomb)]).await;
}

// Issue 2, "Bad input": unknown provider or model prefix, no key.
#[tokio::test]
async fn a_model_that_cannot_be_had_is_told_before_anything_runs() {
    let with = |model: &'static str| ["run", "--idea", IDEA, "--architect-model", model];
    ard("unknown_provider", &with("nowhere/model"), &[]).await;
    ard("unknown_prefix", &with("mystery-7"), &[]).await;
    ard("no_key", &with("gemini-2.5-flash"), &[]).await;
    ard("provider_without_model", &with("openai/"), &[]).await;
}

#[tokio::test]
async fn options_that_are_wrong_are_told_with_their_values() {
    ard("bad_count", &["run", "--idea", IDEA, "--max-iterations", "-1"], &[]).await;
    ard("bad_count_word", &["run", "--idea", IDEA, "--max-iterations", "many"], &[]).await;
    ard("bad_durability", &["run", "--idea", IDEA, "--durability", "maybe"], &[]).await;
    ard("bad_thread", &["run", "--idea", IDEA, "--thread", "../etc"], &[]).await;
    ard("bad_flag", &["run", "--idae", IDEA], &[]).await;
    ard("no_steps", &["run", "--idea", IDEA, "--step-limit", "0"], &[]).await;
    ard("missing_recording", &["run", "--idea", IDEA, "--replay", "no.jsonl"], &[]).await;
    ard("broken_recording", &["run", "--idea", IDEA, "--replay", "t"], &[("t", b"{\"model\": 1}\n")]).await;
}

// DESIGN.md, section 2: an override that is wrong is told as a graph file's defects are.
#[tokio::test]
async fn an_overriding_graph_or_prompt_that_is_wrong_is_told_with_its_place() {
    let run = ["run", "--idea", IDEA, "--overrides", "mine"];
    let graph = include_str!("../../../graphs/ard.yaml").replace("ard.reviewer", "ard.reviwer");
    ard("override_unknown_node", &run, &[("mine/graphs/ard.yaml", graph.as_bytes())]).await;
    let prompt: &[u8] = b"{{ no_such_variable }}";
    let place = Place::new();
    place.write("mine/prompts/ard/architect.user.md", prompt);
    golden("override_bad_prompt", &place, &done(place.ard(run)).await.exits(2));
}

// Issue 2, "Bad input": graph files.
#[tokio::test]
async fn check_shows_every_defect_of_every_file() {
    let place = Place::new();
    let good = include_str!("../../../graphs/ard.yaml");
    place.write("good.yaml", good);
    place.write("unknown.yaml", good.replace("to: architect }", "to: architct }"));
    place.write("uncovered.yaml", good.replace("      exhausted: write\n", ""));
    place.write("tab.yaml", "name: x\n\tstate: ard\n");
    let ok = done(place.graph(["check", "good.yaml"])).await.exits(0);
    golden("check_good", &place, &ok);
    let bad = ["check", "good.yaml", "unknown.yaml", "uncovered.yaml", "tab.yaml"];
    golden("check_bad", &place, &done(place.graph(bad)).await.exits(1));
    golden("check_missing", &place, &done(place.graph(["check", "no.yaml", "good.yaml"])).await.exits(2));
}

#[tokio::test]
async fn a_workflow_that_is_none_is_told_with_the_nearest() {
    let place = Place::new();
    for (name, arguments) in [
        ("unknown_workflow", ["run", "adr"]),
        ("graph_file_as_workflow", ["run", "mine.yaml"]),
        ("draw_unknown", ["draw", "adr"]),
        ("draw_missing", ["draw", "mine.yaml"]),
    ] {
        golden(name, &place, &done(place.graph(arguments)).await.exits(2));
    }
}

// Issue 2, "Bad input": output folder not writable. Told before anything is spent on a debate.
#[tokio::test]
async fn an_output_that_cannot_be_written_is_told_at_once() {
    let files: &[(&str, &[u8])] = &[("taken/keep", b""), ("file", b"keep")];
    ard("output_is_folder", &["run", "--idea", IDEA, "--output", "taken"], files).await;
    ard("output_under_file", &["run", "--idea", IDEA, "--output", "file/spec.md"], files).await;
    ard("output_is_device", &["run", "--idea", IDEA, "--output", "/dev/full"], files).await;
    done(Place::new().ard(["run", "--idea", IDEA, "--output", "/proc/spec.md"])).await.exits(2);
    assert!(!Path::new("/dev/full").is_file(), "the device was replaced");
}

// Nothing is lost when the place is taken away in the middle.
#[tokio::test]
async fn a_debate_whose_output_failed_goes_on_when_the_place_is_free() {
    let (_, spec) = undisturbed().await;
    let (place, mut debate) = (Place::new(), Debate::answered().await);
    place.configure(&debate.base_url());
    let child = place.ard(["run", "--idea", debate::IDEA]).spawn().unwrap();
    debate.asked_more_than(0).await;
    place.write("spec.md/in-the-way", "");
    let told = ended(child).await.exits(2);
    golden("output_taken_away", &place, &told);
    let command = told.command("to continue: ");
    let elsewhere = done(place.shell(&format!("{command} --output other.md"))).await.exits(0);
    assert_eq!(elsewhere.out, "other.md\n");
    assert_eq!(debate.counts(), [1; CALLS], "no model is asked again");
    assert_eq!(place.read("other.md"), spec);
}
