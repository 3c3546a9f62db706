//! Checkpoints that are damaged, newer, in the way, or on a full disk.

use super::bad_input::golden;
use super::kit::{IDEA, Place, done};

fn journal(place: &Place) -> std::path::PathBuf {
    place.at("checkpoints/threads/debate.log")
}

async fn half_a_debate() -> Place {
    let place = Place::new();
    let args = ["run", "--idea", IDEA, "--thread", "debate", "--step-limit", "3"];
    done(place.ard(args)).await.exits(2);
    place
}

// Issue 2, "Bad input": store truncated. A torn end is what a power cut leaves.
#[tokio::test]
async fn a_journal_with_a_torn_end_goes_on() {
    let place = half_a_debate().await;
    let bytes = std::fs::read(journal(&place)).unwrap();
    std::fs::write(journal(&place), &bytes[..bytes.len() - 7]).unwrap();
    done(place.ard(["resume", "debate"])).await.exits(0);
    assert!(place.read("spec.md").contains("ending: not_judged"));
}

// Issue 2, "Bad input": written by a newer format, damaged.
#[tokio::test]
async fn a_journal_that_cannot_be_read_is_told_and_left_alone() {
    let newer = half_a_debate().await;
    let mut bytes = std::fs::read(journal(&newer)).unwrap();
    bytes[8] = 9;
    let checksum = crc32fast::hash(&bytes[..20]);
    bytes[20..24].copy_from_slice(&checksum.to_le_bytes());
    std::fs::write(journal(&newer), &bytes).unwrap();
    golden("store_newer", &newer, &done(newer.ard(["resume", "debate"])).await.exits(2));
    assert_eq!(std::fs::read(journal(&newer)).unwrap(), bytes);

    let foreign = half_a_debate().await;
    std::fs::write(journal(&foreign), "this is a letter, not a journal; it is long enough").unwrap();
    golden("store_foreign", &foreign, &done(foreign.ard(["resume", "debate"])).await.exits(2));
}

#[tokio::test]
async fn a_file_where_the_store_should_be_is_told() {
    let place = Place::new();
    place.write("taken", "");
    let args = ["run", "--idea", IDEA, "--checkpoints", "taken"];
    golden("store_is_file", &place, &done(place.ard(args)).await.exits(2));
}

// Issue 2, "Bad input": disk full. A limit on the size of files stands in for it: an error, and no end by a signal.
#[tokio::test]
async fn a_full_disk_stops_a_debate_that_goes_on_when_there_is_room() {
    let place = Place::new();
    let line = format!("ulimit -f 4; exec ard run --idea '{IDEA}' --thread debate");
    let told = done(place.shell(&line)).await.exits(2);
    assert!(told.err.contains("cannot append to"), "{}", told.err);
    assert!(told.err.contains("bytes (`ulimit -f`): allow more"), "{}", told.err);
    let command = told.command("to continue: ");
    done(place.shell(&command)).await.exits(0);
    assert!(place.read("spec.md").contains("ending: not_judged"));
}

#[tokio::test]
async fn a_new_folder_of_checkpoints_keeps_itself_out_of_git_and_one_that_is_there_is_left_alone() {
    let place = half_a_debate().await;
    assert_eq!(place.read("checkpoints/.gitignore"), "*\n");
    let place = Place::new();
    std::fs::create_dir(place.at("checkpoints")).unwrap();
    done(place.ard(["run", "--idea", IDEA, "--step-limit", "3"])).await.exits(2);
    assert!(!place.at("checkpoints/.gitignore").exists() && place.at("checkpoints/threads").is_dir());
}
