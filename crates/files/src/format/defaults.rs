//! The key `defaults`: attempts, limits of time and an error handler for the nodes that set none (LangGraph F7).

use schemars::JsonSchema;

use super::super::expression::DeclaredNames;
use super::super::located::Located;
use super::super::read::Reader;
use super::super::wait::DurationText;
use super::handler::HandlerFile;
use super::retry::{PolicyKeys, Retries};
use super::state::StateFile;
use stategraph_yaml::YamlNode;

/// The key `defaults`: retries, time limits and an error handler for all nodes. A key that a node sets itself
/// replaces the default.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct DefaultsFile {
    pub(crate) policy: PolicyKeys,
    pub(crate) error_handler: Option<HandlerFile>,
}

/// The written form of [`DefaultsFile`].
#[derive(JsonSchema)]
#[schemars(rename = "Defaults", deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct DefaultsKeys {
    /// Retries after an error, for the nodes whose kind can be tried again.
    retry: Option<Retries>,
    /// Upper bound of the duration of one attempt.
    timeout: Option<Located<DurationText>>,
    /// Upper bound of the duration without any progress.
    idle_timeout: Option<Located<DurationText>>,
    /// Upper bound of the duration between heartbeats. Only with `uses`.
    heartbeat_timeout: Option<Located<DurationText>>,
    /// Replacement of every node that has none after its last failed attempt.
    error_handler: Option<HandlerFile>,
}

impl DefaultsFile {
    pub(super) fn read(
        reader: &mut Reader,
        tree: YamlNode,
        state: &StateFile,
        names: &DeclaredNames<'_>,
    ) -> Option<Self> {
        let mut object = reader.read_object("`defaults`", tree)?;
        let policy = PolicyKeys::take(reader, &mut object);
        let handler = object.take("error_handler");
        let what = "the error handler of `defaults`";
        let error_handler = handler.and_then(|tree| HandlerFile::read(reader, what, tree, state, names));
        object.finish(reader);
        policy.check_heartbeats(reader, state);
        Some(Self { policy, error_handler })
    }
}

impl PolicyKeys {
    /// Reports `heartbeat_timeout` in a file that declares its channels, because only nodes in Rust send
    /// heartbeats.
    pub(super) fn check_heartbeats(&self, reader: &mut Reader, state: &StateFile) {
        if self.heartbeat_timeout.is_some() && matches!(state, StateFile::Inline(_)) {
            let message =
                "`heartbeat_timeout` waits for heartbeats, and only nodes in Rust send them".to_owned();
            reader.report(&self.heartbeat_key, message, "write `idle_timeout`");
        }
    }
}

impl JsonSchema for DefaultsFile {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        DefaultsKeys::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        DefaultsKeys::json_schema(generator)
    }
}
