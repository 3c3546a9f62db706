//! d
#![allow(missing_docs, clippy::all, clippy::pedantic, clippy::print_stdout, clippy::unwrap_used)]
use stategraph_facts::{FactKind, FactValue, Facts};
use stategraph_repo::{CodeBase, Root};
use std::sync::Arc;
fn main() {
    let kinds = std::env::args().nth(2).unwrap();
    let code = CodeBase::new(Arc::new(Root::open(std::env::args().nth(1).unwrap()).unwrap()));
    let facts = Facts::collect(&code);
    for fact in facts.iter() {
        let kind = fact.value.kind();
        if !kinds.split(',').any(|k| k == kind.name()) {
            continue;
        }
        let value = match &fact.value {
            FactValue::Setting { form, name, default, text } => {
                format!("{form:?} {name} = {default:?} | {}", text.as_deref().unwrap_or("-"))
            }
            FactValue::Route { method, path, handler } => format!(
                "{} {path} -> {}",
                method.as_deref().unwrap_or("*"),
                handler.as_deref().unwrap_or("-")
            ),
            FactValue::Subcommand { name, text } => format!("{name} | {}", text.as_deref().unwrap_or("-")),
            FactValue::Concern { concern, construct, places } => format!("{concern:?} {construct} x{places}"),
            other => format!("{other:?}"),
        };
        let s: Vec<String> = fact.sources.iter().take(5).map(|s| s.to_string()).collect();
        println!("{}\t{:?}\t{}\t{}\t{}", kind.name(), fact.role, value, fact.subject, s.join(" "));
    }
    let _ = FactKind::ALL;
}
