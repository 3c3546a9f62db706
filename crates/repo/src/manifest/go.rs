//! `go.mod`: single lines and blocks. Indirect dependencies are omitted (CTX-15).

use super::{Manifest, Scope};

pub(super) fn read(text: &str, found: &mut Manifest) -> Result<(), String> {
    let mut block: Option<String> = None;
    for line in text.lines() {
        let indirect = line.split_once("//").is_some_and(|(_, said)| said.trim().starts_with("indirect"));
        let plain = line.split("//").next().unwrap_or_default().trim();
        let words: Vec<&str> = plain.split_whitespace().map(|word| word.trim_matches(['"', '`'])).collect();
        match (block.as_deref(), words.as_slice()) {
            (Some(_), [")"]) => block = None,
            (None, [verb, "("]) => block = Some((*verb).to_owned()),
            (None, ["module", name]) => found.name = Some((*name).to_owned()),
            (None, ["require", name, version]) | (Some("require"), [name, version]) if !indirect => {
                found.needs(Scope::Runtime, *name, Some(version));
            }
            _ => {}
        }
    }
    if found.name.is_none() { Err("no line `module …`".into()) } else { Ok(()) }
}
