//! Reads the values that a user writes to channels of a thread, and encodes them as an update of its graph.
//! Writes nothing; see `update.rs` and `fork.rs`.

use serde_json::{Map, Value};

use super::failure::Failure;
use super::store::ThreadTarget;
use crate::engine::SharedHost;
use crate::workflows::OutsideWrite;
use stategraph_base::regular::read_text;

/// Maximum size of a file with values, in bytes (32 MiB).
const FILE_MAX: usize = 32 << 20;

/// Reads the values of `graph update`, by channel: `typed` is a JSON object, or `@` and the path of a file
/// that holds one.
pub(super) fn read_values(typed: &str) -> Result<Map<String, Value>, Failure> {
    let (text, from) = match typed.strip_prefix('@') {
        None => (typed.to_owned(), "the update".to_owned()),
        Some(path) => {
            let text = read_text(path.as_ref(), FILE_MAX).map_err(|error| {
                Failure::new(format!("cannot read {path}: {error}"), "name a file that holds a JSON object")
            })?;
            (text, path.to_owned())
        }
    };
    let hint = "give values by channel, such as '{\"score\": 8}'";
    match serde_json::from_str(&text) {
        Ok(Value::Object(values)) if values.is_empty() => {
            Err(Failure::new(format!("{from} has no value"), hint))
        }
        Ok(Value::Object(values)) => Ok(values),
        Ok(_) => Err(Failure::new(format!("{from} is no JSON object"), hint)),
        Err(error) => Err(Failure::new(format!("{from} is not JSON: {error}"), hint)),
    }
}

/// Encodes the values, by channel, as an update whose writes pass through the reducers of the channels.
pub(super) fn fold_values(
    values: &Map<String, Value>,
    target: &ThreadTarget<'_>,
    viewer: &SharedHost,
) -> Result<Value, Failure> {
    let workflow = target.owner.workflow();
    let mut update = Map::new();
    for (channel, value) in values {
        let write = workflow.encode_write(viewer, channel, value, OutsideWrite::Fold);
        update.insert(channel.clone(), write.map_err(|reason| misfit(target, channel, &reason))?);
    }
    Ok(Value::Object(update))
}

/// Encodes settings of the form `CHANNEL=VALUE` as an update that replaces whole values. A value is JSON if
/// the channel accepts that, else text.
pub(super) fn replace_values(
    settings: &[String],
    target: &ThreadTarget<'_>,
    viewer: &SharedHost,
) -> Result<Value, Failure> {
    let workflow = target.owner.workflow();
    let mut update = Map::new();
    for setting in settings {
        let Some((channel, typed)) = setting.split_once('=') else {
            let message = format!("`--set {setting}` names no value");
            return Err(Failure::new(message, "write it as `--set CHANNEL=VALUE`"));
        };
        let encode = |value: &Value| workflow.encode_write(viewer, channel, value, OutsideWrite::Replace);
        let text = Value::from(typed);
        let write = match serde_json::from_str(typed) {
            // A text channel takes `5` as text.
            Ok(json) => encode(&json).or_else(|reason| encode(&text).map_err(|_| reason)),
            Err(_) => encode(&text),
        };
        let write = write.map_err(|reason| misfit(target, channel, &reason))?;
        if update.insert(channel.to_owned(), write).is_some() {
            return Err(Failure::new(format!("`{channel}` is set twice"), "leave out one of them"));
        }
    }
    Ok(Value::Object(update))
}

fn misfit(target: &ThreadTarget<'_>, channel: &str, reason: &str) -> Failure {
    Failure::new(
        format!("nothing was written, because of `{channel}`: {reason}"),
        format!("`graph state {}` shows the channels and their values", target.thread),
    )
}
