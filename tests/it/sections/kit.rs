//! A package in a folder, a model that answers by a script, and whole runs.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use serde_json::{Value, json};
use stategraph::engine::{CheckpointStore, Outcome, RunError, ThreadId};
use stategraph::llm::{
    AnswerFuture, ChatAnswer, ChatModel, ChatRequest, Finish, ModelError, ModelErrorKind, ModelName, Prompts,
    Role, TokenSink, ToolCall, Usage, UsageSource,
};
use stategraph::store::MemoryStore;
use stategraph::workflows::Timestamp;
use stategraph::workflows::sections::input::{DocumentApproval, SectionsSettings};
use stategraph::workflows::sections::sections_graph;
use stategraph::workflows::sections::services::{PROMPTS, SectionsResources};
use stategraph::workflows::sections::state::SectionsRun;
use tempfile::TempDir;

/// One request of the run.
#[derive(Debug, Clone)]
pub(super) struct Ask {
    /// Label of the caller: `generator`, `critic`, `validator`, `modification_analysis`.
    pub(super) label: String,
    /// Title of the section that the request is about.
    pub(super) title: String,
    /// Version that is asked for or judged, from 1: the number of requests that began a conversation about the section.
    pub(super) request: ChatRequest,
}

impl Ask {
    fn of(request: &ChatRequest) -> Self {
        let label = request.label.clone();
        let user = request.messages.iter().find(|message| message.role == Role::User).unwrap();
        let title = match label.as_str() {
            "generator" => between(&user.content, "the section `", "`"),
            "critic" => between(&user.content, "Title: ", "\n"),
            "validator" => between(&user.content, "Section: ", "\n"),
            _ => String::new(),
        };
        Self { label, title, request: request.clone() }
    }

    /// Returns true before the first tool call of a conversation.
    pub(super) fn is_first(&self) -> bool {
        !self.request.messages.iter().any(|message| message.role == Role::Assistant)
    }

    /// Returns the first message of the user.
    pub(super) fn task(&self) -> &str {
        let user = self.request.messages.iter().find(|message| message.role == Role::User);
        user.map(|message| message.content.as_str()).unwrap_or_default()
    }

    /// Returns the content of the newest message.
    pub(super) fn last(&self) -> &str {
        &self.request.messages.last().unwrap().content
    }
}

fn between(text: &str, before: &str, after: &str) -> String {
    let rest = text.split_once(before).map(|(_, rest)| rest).unwrap_or_default();
    rest.split(after).next().unwrap_or_default().to_owned()
}

/// An answer of a script.
#[derive(Debug, Clone)]
pub(super) enum Says {
    Text(String),
    Calls(Vec<(Cow<'static, str>, Value)>),
    Fails,
}

pub(super) fn text(text: impl Into<String>) -> Says {
    Says::Text(text.into())
}

pub(super) fn score(score: u8, faults: &[&str]) -> Says {
    text(json!({ "score": score, "feedback": faults }).to_string())
}

/// Returns the call that the generator must make before it writes.
pub(super) fn reads_service_info(title: &str) -> Says {
    Says::Calls(vec![("get_service_info".into(), json!({ "readme_section": title }))])
}

type Script = dyn Fn(&Ask) -> Says + Send + Sync;

/// A model that answers by a script, and keeps the requests.
pub(super) struct SectionsModel {
    name: ModelName,
    script: Box<Script>,
    asked: Mutex<Vec<Ask>>,
    is_alive: Box<dyn Fn() -> bool + Send + Sync>,
}

impl SectionsModel {
    pub(super) fn new(script: impl Fn(&Ask) -> Says + Send + Sync + 'static) -> Arc<Self> {
        Self::living(script, || true)
    }

    /// Makes a model that answers as long as the process counts as alive.
    pub(super) fn living(
        script: impl Fn(&Ask) -> Says + Send + Sync + 'static,
        is_alive: impl Fn() -> bool + Send + Sync + 'static,
    ) -> Arc<Self> {
        Arc::new(Self {
            name: "test/sections".into(),
            script: Box::new(script),
            asked: Mutex::default(),
            is_alive: Box::new(is_alive),
        })
    }

    pub(super) fn asked(&self) -> Vec<Ask> {
        self.asked.lock().unwrap().clone()
    }

    /// Returns the requests with a label about a section.
    pub(super) fn about(&self, label: &str, title: &str) -> Vec<Ask> {
        self.asked().into_iter().filter(|ask| ask.label == label && ask.title == title).collect()
    }

    /// Returns the number of equal requests of each kind.
    pub(super) fn counts(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for ask in self.asked() {
            *counts.entry(serde_json::to_string(&ask.request).unwrap()).or_default() += 1;
        }
        counts
    }
}

impl ChatModel for SectionsModel {
    fn name(&self) -> &ModelName {
        &self.name
    }

    fn chat<'a>(&'a self, request: &'a ChatRequest, _: &'a dyn TokenSink) -> AnswerFuture<'a> {
        let ask = Ask::of(request);
        let is_alive = (self.is_alive)();
        let says = if is_alive { (self.script)(&ask) } else { Says::Fails };
        if is_alive {
            self.asked.lock().unwrap().push(ask);
        }
        let usage = Usage { prompt_tokens: 10, completion_tokens: 1, source: UsageSource::Reported };
        let model = self.name.to_string();
        let answer = match says {
            Says::Fails => {
                Err(ModelError::new(&self.name, ModelErrorKind::ScriptEnded { answers: 0, question: 1 }))
            }
            Says::Text(text) => Ok(ChatAnswer {
                text,
                tool_calls: Vec::new(),
                usage,
                cost: None,
                model,
                finish: Finish::Stop,
            }),
            Says::Calls(calls) => {
                let calls = calls.into_iter().enumerate().map(|(index, (name, arguments))| ToolCall {
                    id: format!("c{index}"),
                    name: name.into_owned(),
                    arguments: arguments.to_string(),
                });
                let tool_calls = calls.collect();
                Ok(ChatAnswer {
                    text: String::new(),
                    tool_calls,
                    usage,
                    cost: None,
                    model,
                    finish: Finish::ToolCalls,
                })
            }
        };
        async move {
            tokio::task::yield_now().await;
            answer
        }
        .boxed()
    }
}

/// A script that reads the knowledge base, writes these words, and approves.
pub(super) fn writes(words: &str) -> impl Fn(&Ask) -> Says + Send + Sync + use<> {
    let words = words.to_owned();
    move |ask| match ask.label.as_str() {
        "generator" if ask.is_first() => reads_service_info(&ask.title),
        "generator" => text(format!("## {}\n\n{words} about {}.\n", ask.title, ask.title.to_lowercase())),
        "critic" => score(9, &[]),
        label => panic!("{label} was not expected"),
    }
}

/// A working folder with a package in `pkg`.
pub(super) struct Place {
    folder: TempDir,
}

const TEMPLATE: &str = "# Title\n\n## Overview\n\n<!-- What it is for. -->\n\n## Setup\n\n## Notes\n";

impl Place {
    /// Makes a package with a template of three sections and a knowledge base.
    pub(super) fn new() -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        place.write(
            "pkg/manifest.yml",
            "name: acme_gate\ntitle: Acme Gate\nversion: 1.2.0\ntype: integration\ndescription: Collects the log of Acme Gate.\n",
        );
        place.write(
            "pkg/data_stream/log/manifest.yml",
            "title: Gate log\ntype: logs\nstreams:\n  - input: tcp\n    title: TCP\n    description: Reads over TCP.\n",
        );
        place
            .write("pkg/docs/knowledge_base/service_info.md", "# Vendor set up steps\n\n1. Open the gate.\n");
        place.write("pkg/_dev/build/docs/README.template.md", TEMPLATE);
        place
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn package(&self) -> PathBuf {
        self.path().join("pkg").canonicalize().unwrap()
    }

    pub(super) fn write(&self, path: &str, text: &str) {
        let path = self.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(super) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.path().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Returns the files of the package with their texts.
    pub(super) fn files(&self) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        let mut open = vec![self.path().join("pkg")];
        while let Some(at) = open.pop() {
            for entry in std::fs::read_dir(at).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    open.push(path);
                } else {
                    found.insert(path.display().to_string(), std::fs::read_to_string(&path).unwrap());
                }
            }
        }
        found
    }

    pub(super) fn document(&self) -> String {
        self.read("pkg/_dev/build/docs/README.md")
    }
}

/// A run about the package of a place.
#[derive(Clone)]
pub(super) struct Writing {
    pub(super) settings: SectionsSettings,
    pub(super) model: Option<Arc<SectionsModel>>,
    pub(super) store: Arc<dyn CheckpointStore>,
}

impl Writing {
    pub(super) fn with(model: &Arc<SectionsModel>) -> Self {
        let settings = SectionsSettings {
            model: "test/sections".to_owned(),
            approval: DocumentApproval::Given,
            ..SectionsSettings::default()
        };
        let mut writing = Self { settings, model: Some(model.clone()), store: Arc::new(MemoryStore::new()) };
        // The words of the scripts are no finished document; tests of validators switch them on.
        writing.settings.judges.validators = false;
        writing
    }

    pub(super) fn by_rules() -> Self {
        let settings = SectionsSettings { approval: DocumentApproval::Given, ..SectionsSettings::default() };
        Self { settings, model: None, store: Arc::new(MemoryStore::new()) }
    }

    pub(super) fn set(mut self, change: impl FnOnce(&mut SectionsSettings)) -> Self {
        change(&mut self.settings);
        self
    }

    pub(super) fn resources(&self, place: &Place) -> SectionsResources {
        let model = self.model.clone().map(|model| -> Arc<dyn ChatModel> { model });
        let prompts = Arc::new(Prompts::new(PROMPTS).unwrap());
        let mut resources = SectionsResources::new(model, prompts, self.settings.clone(), place.package());
        resources.folder = place.path().into();
        resources
    }

    fn state(&self, place: &Place) -> SectionsRun {
        let started = Timestamp::from_ms(1_705_314_600_000);
        SectionsRun::new(self.settings.clone(), place.package(), started)
    }

    pub(super) async fn run(&self, place: &Place) -> Result<Outcome<SectionsRun>, RunError> {
        let graph = sections_graph(self.resources(place)).with_store(self.store.clone());
        graph.run(self.state(place)).thread(thread()).await
    }

    /// Goes on with the thread of the store, in a process of its own.
    pub(super) async fn resume(&self, place: &Place) -> Result<Outcome<SectionsRun>, RunError> {
        let graph = sections_graph(self.resources(place)).with_store(self.store.clone());
        graph.resume(&thread()).await
    }

    /// Answers the question of the run, in a process of its own.
    pub(super) async fn answer(
        &self,
        place: &Place,
        answer: &str,
        outcome: &Outcome<SectionsRun>,
    ) -> Result<Outcome<SectionsRun>, RunError> {
        let question = &outcome.status.questions()[0];
        let graph = sections_graph(self.resources(place)).with_store(self.store.clone());
        graph.resume(&thread()).answer(question.id, &answer).await
    }
}

pub(super) fn thread() -> ThreadId {
    ThreadId::from_parts(&["sections-test"])
}
