//! Where keys come from. Tests give a map.

use std::collections::BTreeMap;

/// Looks variables up.
pub trait Env: Send + Sync {
    /// The value of `name`; `None` where it is not set or not Unicode.
    fn var(&self, name: &str) -> Option<String>;
}

/// The environment of the process.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemEnv;

impl Env for SystemEnv {
    fn var(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }
}

impl Env for BTreeMap<String, String> {
    fn var(&self, name: &str) -> Option<String> {
        self.get(name).cloned()
    }
}

impl<E: Env + ?Sized> Env for std::sync::Arc<E> {
    fn var(&self, name: &str) -> Option<String> {
        (**self).var(name)
    }
}
