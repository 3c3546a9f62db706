//! Checks READMEs, and prints their issues: `cargo run -p stategraph-readme --example check -- [--all] FILE…`. Without `--all`, minor issues
//! are left out.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example prints its result")]

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use stategraph_readme::validate::{
    DocumentProfile, ValidationOptions, ValidationSubject, feedback_line, validate,
};

fn main() -> ExitCode {
    let (flags, files): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|word| word.starts_with("--"));
    if files.is_empty() {
        eprintln!("usage: check [--all] FILE…");
        return ExitCode::from(2);
    }
    let mut is_clean = true;
    for file in files {
        let text = match std::fs::read(&file) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) => {
                eprintln!("{file}: {error}");
                is_clean = false;
                continue;
            }
        };
        let folder = Path::new(&file).parent().unwrap_or(Path::new(".")).to_owned();
        let mut options = ValidationOptions::default();
        // A published package lacks files that its repository has.
        if folder.join(".git").exists() {
            options.files = Some(Arc::new(move |path: &str| folder.join(path).exists()));
        }
        let subject = ValidationSubject { text: &text, section: None, package: None, options: &options };
        println!("{file}");
        for validation in validate(&subject, DocumentProfile::Readme) {
            is_clean &= validation.valid;
            let shown = |blocks: bool| blocks || flags.iter().any(|flag| flag == "--all");
            for issue in validation.issues.iter().filter(|issue| shown(issue.is_blocking())) {
                println!("  {}", feedback_line(issue));
            }
        }
    }
    if is_clean { ExitCode::SUCCESS } else { ExitCode::from(1) }
}
