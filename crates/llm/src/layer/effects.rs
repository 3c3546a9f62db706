//! The tape of a run: everything that it takes from outside goes through here, so that a recording replays. Calls of models are
//! layers (`record`, `replay`); times, ids and results of tools and requests are methods of [`Tape`].

use std::future::Future;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::super::error::ModelErrorKind;
use super::record::Recorder;
use super::replay::Replay;
use super::tape::{TapeEffect, TapeMark};

/// Whether what a run takes from outside is written down or read back.
#[derive(Clone, Debug, Default)]
pub enum Tape {
    /// Neither.
    #[default]
    Off,
    /// Written down.
    Record(Recorder),
    /// Read back; no model is asked, and no key is needed.
    Replay(Replay),
}

impl Tape {
    /// The time to go by, where it is `now_ms`: of a replay, that of the recording. A replay that reads the time more often than the
    /// recording did gets the last one again.
    pub fn time(&self, now_ms: u64) -> Result<u64, ModelErrorKind> {
        match self {
            Self::Off => Ok(now_ms),
            Self::Record(recorder) => recorder.write(&TapeMark::Time(now_ms)).map(|()| now_ms),
            Self::Replay(replay) => Ok(replay.time().unwrap_or(now_ms)),
        }
    }

    /// The id to use, where `id` was made for this run: of a replay, the next one of the recording, if there is one.
    pub fn id(&self, id: &str) -> Result<String, ModelErrorKind> {
        match self {
            Self::Off => Ok(id.to_owned()),
            Self::Record(recorder) => recorder.write(&TapeMark::Id(id.to_owned())).map(|()| id.to_owned()),
            Self::Replay(replay) => Ok(replay.id().unwrap_or_else(|| id.to_owned())),
        }
    }

    /// The result of `work`, which is known by its name and what it is asked for: of a replay, the recorded one, and nothing is done.
    /// Failures are not recorded. `input` must hold no secret, because it is written down. `failed` makes an error of what is wrong
    /// with the tape.
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
