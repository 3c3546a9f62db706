//! The files of an evaluation.

use std::fs;

use stategraph_readme::evaluate::{
    BatchSummary, EvaluationResult, ResultsError, check_output_folder, read_results, write_results,
};
fn batch(package: &str) -> BatchSummary {
    let result = EvaluationResult::of_document("r1", package, "# A\n".to_owned(), &[], None);
    BatchSummary::collect("r1", "", "", &[package.to_owned()], [result])
}

// SEC-133
#[test]
fn an_evaluation_writes_its_result_and_its_document_to_the_output_folder() {
    let folder = tempfile::tempdir().unwrap();
    let summary = batch("nginx");
    let path = write_results(&folder.path().join("new/results"), &summary, []).unwrap();
    assert_eq!(read_results(&path).unwrap(), summary);
    let document = path.with_file_name("packages").join("nginx.md");
    assert_eq!(fs::read_to_string(document).unwrap(), "# A\n");
}

#[test]
fn a_file_that_holds_no_results_is_an_error_with_its_path() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.json");
    let missing = read_results(&path).unwrap_err();
    fs::write(&path, "{\"run_id\": 7}").unwrap();
    let wrong = read_results(&path).unwrap_err();
    fs::write(&path, "[".repeat(100_000)).unwrap();
    let deep = read_results(&path).unwrap_err();
    for error in [missing, wrong, deep] {
        assert!(error.to_string().contains("results.json"), "{error}");
        assert!(!error.hint().is_empty());
    }
}

#[test]
fn a_package_name_that_is_a_path_stays_in_the_output_folder() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("a/b");
    write_results(&output, &batch("../../../escaped"), []).unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    assert_eq!(fs::read_dir(output.join("packages")).unwrap().count(), 2);
}

// SEC-139
#[test]
fn an_output_folder_inside_a_package_is_refused_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let package = folder.path().join("nginx");
    fs::create_dir(&package).unwrap();
    for inside in [package.clone(), package.join("docs/results"), folder.path().join("nginx/../nginx/x")] {
        let refused = write_results(&inside, &batch("nginx"), [package.as_path()]);
        assert!(matches!(refused, Err(ResultsError::InsidePackage { .. })), "{}", inside.display());
    }
    assert_eq!(fs::read_dir(&package).unwrap().count(), 0);
    check_output_folder(&folder.path().join("nginx_results"), [package.as_path()]).unwrap();
}

// SEC-139
#[cfg(unix)]
#[test]
fn a_link_into_a_package_is_inside_it() {
    let folder = tempfile::tempdir().unwrap();
    let package = folder.path().join("nginx");
    fs::create_dir(&package).unwrap();
    std::os::unix::fs::symlink(&package, folder.path().join("link")).unwrap();
    let refused = check_output_folder(&folder.path().join("link/new"), [package.as_path()]);
    assert!(matches!(refused, Err(ResultsError::InsidePackage { .. })));
    std::os::unix::fs::symlink(package.join("none"), folder.path().join("dangling")).unwrap();
    let refused = check_output_folder(&folder.path().join("dangling/new"), [package.as_path()]);
    assert!(matches!(refused, Err(ResultsError::Unresolved { .. })));
}
