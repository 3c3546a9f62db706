//! The tape of a run. Every input from outside passes through it, so that a recording can be replayed. Model calls are layers
//! (`record`, `replay`); times, ids, and results of tools and requests are methods of [`Tape`].

use std::future::Future;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::super::error::ModelErrorKind;
use super::record::Recorder;
use super::replay::Replay;
use super::tape::{TapeEffect, TapeMark};

/// The mode of a run (live, recording or replaying), through which every input from outside passes.
#[derive(Clone, Debug, Default)]
pub enum Tape {
    /// Live: nothing is recorded.
    #[default]
    Off,
    /// Inputs are recorded.
    Record(Recorder),
    /// Inputs are read from a recording; no model is called, and no key is needed.
    Replay(Replay),
}

impl Tape {
    /// Returns the time that the run uses, in milliseconds since 1970. `now_ms` is the time of the clock: it
    /// is returned live, and also recorded in a recording. A replay returns the recorded times, and the last
    /// one again once they are used up.
    pub fn time(&self, now_ms: u64) -> Result<u64, ModelErrorKind> {
        match self {
            Self::Off => Ok(now_ms),
            Self::Record(recorder) => recorder.write(&TapeMark::Time(now_ms)).map(|()| now_ms),
            Self::Replay(replay) => Ok(replay.time().unwrap_or(now_ms)),
        }
    }

    /// Returns the id that the run uses: `id`, which is recorded in a recording, or the next recorded id in a
    /// replay. A replay without further ids returns `id`.
    pub fn id(&self, id: &str) -> Result<String, ModelErrorKind> {
        match self {
            Self::Off => Ok(id.to_owned()),
            Self::Record(recorder) => recorder.write(&TapeMark::Id(id.to_owned())).map(|()| id.to_owned()),
            Self::Replay(replay) => Ok(replay.id().unwrap_or_else(|| id.to_owned())),
        }
    }

    /// Runs `work` and records its result under `name` and `input`. A replay returns the recorded result
    /// without running it. Failures of the work are not recorded. `input` must not contain a secret, because
    /// it is written to the file. `failed` converts errors of the tape.
    pub async fn effect<T: Serialize + DeserializeOwned, E>(
        &self,
        name: &str,
        input: Value,
        failed: impl Fn(ModelErrorKind) -> E,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        let recorder = match self {
            Self::Off => return work.await,
            Self::Replay(replay) => {
                let TapeEffect { output, .. } = replay.effect(name, &input).map_err(&failed)?;
                return serde_json::from_value(output).map_err(|error| {
                    let difference = format!("the result of `{name}` is of another form: {error}");
                    failed(ModelErrorKind::Replay { difference })
                });
            }
            Self::Record(recorder) => recorder,
        };
        let result = work.await?;
        let output = serde_json::to_value(&result).map_err(|error| failed(recorder.failed(&error)))?;
        let effect = TapeEffect { name: name.to_owned(), input, output };
        recorder.write(&TapeMark::Effect(effect)).map_err(&failed)?;
        Ok(result)
    }
}
