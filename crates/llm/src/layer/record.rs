//! Writes every model call and other input of a run to a file that `replay` reads (ENG-24). Never sees keys and headers, because they
//! are added below the layers (ENG-27).

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use futures_util::FutureExt;
use serde::Serialize;

use super::super::error::{ModelError, ModelErrorKind};
use super::super::message::ChatRequest;
use super::super::model::{AnswerFuture, ChatModel, ModelName, Restart, TokenDemand, TokenSink};
use super::tape::TapeLine;
use stategraph_base::owner_only;

/// A recording in progress; clones write to the same file.
#[derive(Clone, Debug)]
pub struct Recorder {
    path: PathBuf,
    file: Arc<Mutex<File>>,
}

impl Recorder {
    /// Appends to the file at `path` and creates it if absent, so that a resumed run continues its recording.
    pub fn append(path: &Path) -> Result<Self, ModelErrorKind> {
        let file = owner_only::options().create(true).append(true).open(path);
        let file = file.map_err(|error| failed(path, &error))?;
        Ok(Self { path: path.to_owned(), file: Arc::new(Mutex::new(file)) })
    }

    /// Wraps `inner` so that its calls are recorded.
    pub fn model<M: ChatModel>(&self, inner: M) -> Recorded<M> {
        Recorded { inner, recorder: self.clone() }
    }

    /// Writes `line` as one line of JSON, in a single write, so that lines of concurrent calls do not mix.
    pub(super) fn write(&self, line: &impl Serialize) -> Result<(), ModelErrorKind> {
        let mut text = serde_json::to_string(line).expect("a tape line has string keys and serialises");
        text.push('\n');
        let mut file = self.file.lock().expect("no holder of this lock panics");
        file.write_all(text.as_bytes()).map_err(|error| self.failed(&error))
    }

    /// Makes the error of a line that could not be written.
    pub(super) fn failed(&self, error: &dyn std::error::Error) -> ModelErrorKind {
        failed(&self.path, error)
    }
}

/// Makes the error of a recording that could not be opened or written.
fn failed(path: &Path, error: &dyn std::error::Error) -> ModelErrorKind {
    ModelErrorKind::Recording { path: path.display().to_string(), reason: error.to_string() }
}

/// A model whose calls are recorded: request, streamed tokens, and answer or failure.
pub struct Recorded<M> {
    inner: M,
    recorder: Recorder,
}

impl<M: ChatModel> ChatModel for Recorded<M> {
    fn name(&self) -> &ModelName {
        self.inner.name()
    }

    fn endpoint(&self) -> Option<&str> {
        self.inner.endpoint()
    }

    fn chat<'a>(&'a self, request: &'a ChatRequest, sink: &'a dyn TokenSink) -> AnswerFuture<'a> {
        async move {
            let tee = Tee { inner: sink, pieces: Mutex::default() };
            let result = self.inner.chat(request, &tee).await;
            let line = TapeLine {
                model: self.name().clone(),
                request: request.clone(),
                tokens: tee.pieces.into_inner().expect("no holder of this lock panics"),
                outcome: result.clone().into(),
            };
            self.recorder.write(&line).map_err(|kind| ModelError::of(self, kind))?;
            result
        }
        .boxed()
    }
}

/// A sink that passes tokens on and keeps a copy of them.
struct Tee<'a> {
    inner: &'a dyn TokenSink,
    pieces: Mutex<Vec<String>>,
}

impl TokenSink for Tee<'_> {
    fn token_demand(&self) -> TokenDemand {
        self.inner.token_demand()
    }

    fn token(&self, text: &str) {
        self.pieces.lock().expect("no holder of this lock panics").push(text.to_owned());
        self.inner.token(text);
    }

    fn restart(&self) -> Restart {
        let restart = self.inner.restart();
        if restart == Restart::Accepted {
            self.pieces.lock().expect("no holder of this lock panics").clear();
        }
        restart
    }
}
