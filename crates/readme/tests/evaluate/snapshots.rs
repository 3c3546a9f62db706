//! Tests of snapshots on a disk.

use std::fs;
use std::path::Path;

use stategraph_readme::evaluate::{
    IterationSnapshot, SnapshotError, SnapshotFolder, SnapshotSummary, compare_snapshots, read_snapshot,
};
use stategraph_readme::validate::{Issue, IssueSeverity, IssueSource, ValidationStage};

const STARTED: &str = "2024-01-15T10:30:00Z";

fn snapshot(number: u32, stage: &str, iteration: u32) -> IterationSnapshot {
    IterationSnapshot {
        number,
        stage: stage.to_owned(),
        iteration,
        time: "2024-01-15T10:31:00Z".to_owned(),
        valid: Some(iteration > 1),
        issue_count: 2,
        result: "rejected | by the critic".to_owned(),
        ..IterationSnapshot::default()
    }
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

// SEC-141
#[test]
fn a_run_leaves_its_iterations_its_document_a_report_and_a_summary() {
    let base = tempfile::tempdir().unwrap();
    let folder = SnapshotFolder::open(base.path(), "citrix_adc", "run-1", STARTED).unwrap();
    assert_eq!(folder.path(), base.path().join("citrix_adc/20240115_103000"));
    folder.save(snapshot(2, "overview", 2), "## Overview\n\nLonger text.\n").unwrap();
    let saved = folder.save(snapshot(1, "overview", 1), "## Overview\n\nTëxt.\n").unwrap();
    assert_eq!((saved.characters, saved.lines, saved.words), (19, 3, 3));
    let summary = folder.finish("2024-01-15T10:32:00Z", "# Final\n", &[]).unwrap();
    assert_eq!(
        names(folder.path()),
        [
            "001_overview_iter1.json",
            "001_overview_iter1.md",
            "002_overview_iter2.json",
            "002_overview_iter2.md",
            "audit.md",
            "final.md",
            "run.json",
            "summary.json"
        ]
    );
    assert_eq!(summary.snapshots.iter().map(|it| it.number).collect::<Vec<_>>(), [1, 2]);
    let text = fs::read_to_string(folder.path().join("summary.json")).unwrap();
    let read: SnapshotSummary = serde_json::from_str(&text).unwrap();
    assert_eq!(read, summary);
    assert_eq!(fs::read_to_string(folder.path().join("final.md")).unwrap(), "# Final\n");
    let metadata = fs::read_to_string(folder.path().join("001_overview_iter1.json")).unwrap();
    for key in ["time", "stage", "iteration", "characters", "lines", "valid", "issue_count", "result"] {
        assert!(metadata.contains(&format!("\"{key}\": ")), "{key}");
    }
}

// SEC-141
#[test]
fn the_audit_report_lists_iterations_and_the_issues_left() {
    let base = tempfile::tempdir().unwrap();
    let folder = SnapshotFolder::open(base.path(), "nginx", "run-1", STARTED).unwrap();
    folder.save(snapshot(1, "overview", 1), "text").unwrap();
    let issue = Issue {
        rule: "structure/level-jump".to_owned(),
        markdownlint: None,
        severity: IssueSeverity::Major,
        category: ValidationStage::Structure,
        section: String::new(),
        line: 7,
        message: "level 4 follows level 2\n# A heading of a stranger".to_owned(),
        suggestion: String::new(),
        source: IssueSource::Static,
    };
    folder.finish("2024-01-15T10:32:00Z", "text", &[issue]).unwrap();
    let report = fs::read_to_string(folder.path().join("audit.md")).unwrap();
    let row = "| 001 | overview | 1 | 2024-01-15T10:31:00Z | 4 | no | 2 | rejected \\| by the critic |\n";
    assert!(report.contains(row), "{report}");
    assert!(report.contains("- Issues left: 0 critical, 1 major, 0 minor\n"), "{report}");
    let left = "- major structure/level-jump (line 7): level 4 follows level 2 # A heading of a stranger\n";
    assert!(report.ends_with(left), "{report}");
}

// SEC-140
#[test]
fn a_resumed_run_continues_in_its_folder_and_another_run_of_the_same_second_has_its_own() {
    let base = tempfile::tempdir().unwrap();
    let open = |run: &str| SnapshotFolder::open(base.path(), "nginx", run, STARTED).unwrap();
    let first = open("run-1");
    first.save(snapshot(1, "overview", 1), "one").unwrap();
    let other = open("run-2");
    assert_eq!(other.path().file_name().unwrap(), "20240115_103000_2");
    let resumed = open("run-1");
    assert_eq!(resumed, first);
    resumed.save(snapshot(2, "overview", 2), "two").unwrap();
    assert_eq!(resumed.finish(STARTED, "", &[]).unwrap().snapshots.len(), 2);
    assert_eq!(other.finish(STARTED, "", &[]).unwrap().snapshots.len(), 0);
}

// SEC-141
#[test]
fn two_snapshots_can_be_compared() {
    let base = tempfile::tempdir().unwrap();
    let folder = SnapshotFolder::open(base.path(), "nginx", "run-1", STARTED).unwrap();
    let before = "## Overview\n\nOne.\n\n## Reference\n\nSame.\n\n## Old\n";
    let after = "## Overview\n\nTwo.\n\nThree.\n\n## Reference\n\nSame.\n\n## New\n";
    folder.save(IterationSnapshot { issue_count: 5, ..snapshot(1, "draft", 1) }, before).unwrap();
    folder.save(snapshot(2, "draft", 2), after).unwrap();
    let read = |name: &str| read_snapshot(&folder.path().join(name)).unwrap();
    let (first, second) = (read("001_draft_iter1.md"), read("002_draft_iter2.md"));
    let comparison = compare_snapshots((&first.0, &first.1), (&second.0, &second.1));
    assert_eq!(comparison.sections_added, ["New"]);
    assert_eq!(comparison.sections_removed, ["Old"]);
    assert_eq!(comparison.sections_changed, ["Overview"]);
    assert_eq!((comparison.lines_added, comparison.lines_removed), (4, 2));
    assert_eq!((comparison.characters, comparison.issues), (8, -3));
    assert_eq!(comparison.valid, (Some(false), Some(true)));
}

#[test]
fn names_of_packages_and_stages_do_not_leave_the_folder() {
    let base = tempfile::tempdir().unwrap();
    let inner = base.path().join("snapshots");
    let folder = SnapshotFolder::open(&inner, "../../escaped", "run-1", STARTED).unwrap();
    folder.save(snapshot(1, "../../../stage", 1), "text").unwrap();
    assert_eq!(names(base.path()), ["snapshots"]);
    assert_eq!(names(folder.path()).len(), 3);
    assert_eq!(folder.finish(STARTED, "", &[]).unwrap().snapshots[0].stage, "../../../stage");
}

#[test]
fn a_time_of_the_wrong_form_and_damaged_metadata_are_errors() {
    let base = tempfile::tempdir().unwrap();
    for time in ["", "yesterday", "2024-01-15 10:30:00", "2024-1-15T10:30:00Z", "../../../../x-y-zT10:30:00Z"]
    {
        let refused = SnapshotFolder::open(base.path(), "nginx", "run-1", time);
        assert!(matches!(refused, Err(SnapshotError::Time(_))), "{time}");
    }
    let folder = SnapshotFolder::open(base.path(), "nginx", "run-1", "2024-01-15T10:30:00.123Z").unwrap();
    assert_eq!(folder.path().file_name().unwrap(), "20240115_103000");
    fs::write(folder.path().join("001_x_iter1.json"), "{").unwrap();
    assert!(matches!(folder.finish(STARTED, "", &[]), Err(SnapshotError::Json { .. })));
    let most = 64 * 1024;
    fs::write(folder.path().join("001_x_iter1.json"), " ".repeat(most)).unwrap();
    assert!(matches!(folder.finish(STARTED, "", &[]), Err(SnapshotError::Json { .. })));
    fs::write(folder.path().join("001_x_iter1.json"), " ".repeat(most + 1)).unwrap();
    assert!(matches!(folder.finish(STARTED, "", &[]), Err(SnapshotError::TooLarge { .. })));
}

#[test]
fn snapshots_are_listed_by_number_beyond_a_thousand() {
    let base = tempfile::tempdir().unwrap();
    let folder = SnapshotFolder::open(base.path(), "nginx", "run-1", STARTED).unwrap();
    for number in [1000, 999, 2] {
        folder.save(snapshot(number, "overview", 1), "text").unwrap();
    }
    let summary = folder.finish(STARTED, "", &[]).unwrap();
    assert_eq!(summary.snapshots.iter().map(|it| it.number).collect::<Vec<_>>(), [2, 999, 1000]);
}

#[test]
fn a_hundred_runs_of_one_second_have_folders_and_the_next_is_an_error() {
    let base = tempfile::tempdir().unwrap();
    let open = |run: usize| SnapshotFolder::open(base.path(), "nginx", &run.to_string(), STARTED);
    let folders: Vec<_> = (1..=100).map(|run| open(run).unwrap()).collect();
    assert!(folders[99].path().ends_with("20240115_103000_100"));
    assert!(matches!(open(101), Err(SnapshotError::Crowded { .. })));
    assert_eq!(open(50).unwrap(), folders[49]);
}
