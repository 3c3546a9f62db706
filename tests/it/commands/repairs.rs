//! Damaged threads as the programs show, export and repair them.

use serde_json::{Value, json};

use super::kit::{Done, IDEA, Place, done};

const JOURNAL: &str = "checkpoints/threads/debate.log";

/// A debate of some checkpoints, of which the fourth is damaged.
async fn damaged() -> Place {
    let place = Place::new();
    done(place.ard(["run", "--idea", IDEA, "--thread", "debate"])).await.exits(0);
    let mut bytes = std::fs::read(place.at(JOURNAL)).unwrap();
    let text = br#""seq":4,"#;
    let at = bytes.windows(text.len()).position(|window| window == text).unwrap();
    bytes[at + 10] ^= 1;
    std::fs::write(place.at(JOURNAL), bytes).unwrap();
    place
}

async fn graph(place: &Place, arguments: &[&str]) -> Done {
    done(place.graph(arguments)).await
}

fn lines(done: &Done) -> Vec<Value> {
    done.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test]
async fn a_damaged_thread_is_shown_as_damaged() {
    let place = damaged().await;
    let all = graph(&place, &["history"]).await.exits(0);
    assert!(all.out.lines().nth(1).unwrap().ends_with("damaged"), "{}", all.out);
    assert!(
        all.err.contains("thread debate is damaged: ") && all.err.contains("is damaged at byte"),
        "{}",
        all.err
    );
    let all = lines(&graph(&place, &["history", "--json"]).await.exits(0));
    assert!(all[0]["damage"].as_str().unwrap().contains("is damaged at byte"), "{all:?}");
    let one = graph(&place, &["history", "debate"]).await.exits(2);
    let ids: Vec<&str> = one.out.lines().skip(1).map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(ids, ["debate@3", "debate@2", "debate@1"]);
    assert!(one.err.contains("error: ") && one.err.contains("`graph repair debate`"), "{}", one.err);
    let one = lines(&graph(&place, &["history", "debate", "--json"]).await.exits(2));
    assert_eq!(one.len(), 4);
    assert_eq!(one[3]["thread"], "debate");
    assert!(one[3]["damage"].as_str().unwrap().contains("is damaged at byte"), "{one:?}");
    let state = graph(&place, &["state", "debate", "--json"]).await.exits(2);
    assert!(lines(&state)[0]["damage"].is_string(), "{}", state.out);
    assert!(state.err.contains("is damaged at byte"), "{}", state.err);
}

#[tokio::test]
async fn a_damaged_thread_is_exported_and_repaired_and_the_file_is_kept() {
    let place = damaged().await;
    let before = std::fs::read(place.at(JOURNAL)).unwrap();
    let checked = graph(&place, &["repair", "--check", "--json"]).await.exits(1);
    assert_eq!(lines(&checked)[0]["readable"], json!(["debate@3", "debate@2", "debate@1"]));
    let looked = graph(&place, &["repair", "deba", "--check", "--export", "out.jsonl"]).await.exits(1);
    assert!(looked.out.contains("debate@3") && !looked.out.contains("debate@4"), "{}", looked.out);
    let exported: Vec<Value> =
        place.read("out.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let seqs: Vec<&Value> = exported.iter().filter_map(|record| record["checkpoint"].get("seq")).collect();
    assert_eq!(seqs, [1, 2, 3]);
    assert_eq!(std::fs::read(place.at(JOURNAL)).unwrap(), before, "a look changes nothing");
    let healed = graph(&place, &["repair", "debate"]).await.exits(0);
    assert!(
        healed.err.contains("the thread continues from debate@3; the damaged file is kept as "),
        "{}",
        healed.err
    );
    assert_eq!(std::fs::read(place.at(&format!("{JOURNAL}.damaged-1"))).unwrap(), before);
    graph(&place, &["repair", "--check"]).await.exits(0);
    let again = graph(&place, &["repair", "debate"]).await.exits(0);
    assert!(again.err.contains("thread debate is sound"), "{}", again.err);
    assert!(!place.at(&format!("{JOURNAL}.damaged-2")).exists());
    done(place.ard(["resume", "debate"])).await.exits(0);
    assert!(place.read("spec.md").contains("ending: not_judged"));
}

#[tokio::test]
async fn what_cannot_be_repaired_is_told() {
    let place = damaged().await;
    let nothing = graph(&place, &["repair"]).await.exits(2);
    assert!(nothing.err.contains("<THREAD>"), "{}", nothing.err);
    let checkpoint = graph(&place, &["repair", "debate@2"]).await.exits(2);
    assert!(checkpoint.err.contains("only whole threads are repaired"), "{}", checkpoint.err);
    std::fs::write(place.at(JOURNAL), "a letter that is as long as it has to be").unwrap();
    let letter = graph(&place, &["repair", "debate"]).await.exits(2);
    assert!(letter.err.contains("no checkpoint of it can be read"), "{}", letter.err);
    let listed = lines(&graph(&place, &["history", "--json"]).await.exits(0));
    assert_eq!((listed[0]["head"].as_u64(), listed[0]["graph"].as_str()), (Some(0), Some("")));
    assert!(!place.at(&format!("{JOURNAL}.damaged-1")).exists());
}
