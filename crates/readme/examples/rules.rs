//! Prints the document that rules write for a package: `cargo run -p stategraph-readme --example rules -- FOLDER`.

use std::io::Write as _;
use std::path::Path;

use stategraph_readme::{package::IntegrationPackage, rules::write_document};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("name the folder of a package")?;
    let package = IntegrationPackage::load(Path::new(&folder))?;
    let mut out = std::io::stdout().lock();
    for defect in &package.defects {
        writeln!(std::io::stderr(), "{}: {}", defect.path, defect.message)?;
    }
    out.write_all(write_document(&package).markdown.as_bytes())?;
    Ok(())
}
