//! Lookup of environment variables. Tests use a map.

use std::collections::BTreeMap;

/// A source of environment variables.
pub trait Env: Send + Sync {
    /// Returns the value of `name`; `None` if it is not set or not Unicode.
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
