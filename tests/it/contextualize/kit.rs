//! A working folder and the setting of a run in it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use stategraph::engine::Clock;
use stategraph::llm::{Env, Tape};
use stategraph::store::MemoryStore;
use stategraph::trust::TrustStore;
use stategraph::workflows::{Setting, ToolMaker};

/// Variables of an environment.
pub(super) fn env(variables: &[(&str, &str)]) -> Arc<dyn Env> {
    let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Arc::new(variables.collect::<BTreeMap<String, String>>())
}

/// The setting of a run in a folder, with these variables and without trust.
pub(super) fn setting(folder: &Path, variables: &[(&str, &str)]) -> Setting {
    Setting {
        cache: None,
        memory: None,
        store: Arc::new(MemoryStore::new()),
        clock: Clock::fixed(1_705_314_600_000),
        env: env(variables),
        folder: folder.to_owned(),
        graph: None,
        overrides: None,
        tape: Tape::Off,
        trust: TrustStore::empty(),
        tools: ToolMaker::default(),
    }
}
