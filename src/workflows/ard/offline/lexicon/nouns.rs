//! Nouns that name parts of software, people, and words too weak to name anything. Tables, and one question on each.
//! The tables are packed by hand: one word a line would hide them.

use crate::workflows::ard::exchange::ComponentKind::{
    self, Agent, Api, DataStore, Subsystem, UiComponent, Utility,
};

/// The type of a part that is called so, if the word (singular, lower case) names a part of a system.
pub(in super::super) fn part_kind(noun: &str) -> Option<ComponentKind> {
    let tables = [
        (STORES, DataStore),
        (INTERFACES, Api),
        (SCREENS, UiComponent),
        (DECIDERS, Agent),
        (TOOLS, Utility),
        (WORKERS, Subsystem),
    ];
    tables.into_iter().find(|(words, _)| words.contains(&noun)).map(|(_, kind)| kind)
}

/// Words for the whole, which name no part of it.
pub(in super::super) fn is_system(noun: &str) -> bool {
    WHOLES.contains(&noun)
}

/// Heads that stand for what comes after "of": a list of orders is orders.
pub(in super::super) fn is_light_head(noun: &str) -> bool {
    LIGHT_HEADS.contains(&noun)
}

/// Adjectives that judge instead of naming a sort, so they do not go into names.
pub(in super::super) fn is_judgement(word: &str) -> bool {
    JUDGEMENTS.contains(&word)
}

/// Nouns and verbs that say nothing about what a part does (ARD-48, ambiguity).
pub(in super::super) fn is_vague(stem: &str) -> bool {
    VAGUE.contains(&stem)
}

/// Nouns that say when or how much rather than what.
pub(in super::super) fn is_filler(noun: &str) -> bool {
    FILLERS.contains(&noun)
}

/// Words in -s that are no plurals.
pub(in super::super) fn singular_is_itself(word: &str) -> bool {
    NO_PLURALS.contains(&word)
}

/// People, in the singular.
pub(in super::super) fn is_person(noun: &str) -> bool {
    PEOPLE.contains(&noun)
}

#[rustfmt::skip]
const STORES: &[&str] = &[
    "database", "db", "store", "storage", "cache", "queue", "warehouse", "bucket", "archive", "ledger",
    "registry", "repository", "catalog", "catalogue", "datastore", "index", "vault", "inventory",
    "journal", "backlog", "log", "sqlite", "postgres", "postgresql", "mysql", "redis", "mongodb",
    "blockchain",
];

#[rustfmt::skip]
const INTERFACES: &[&str] = &[
    "api", "endpoint", "webhook", "gateway", "sdk", "websocket", "graphql",
];

#[rustfmt::skip]
const SCREENS: &[&str] = &[
    "dashboard", "page", "ui", "app", "website", "site", "portal", "form", "frontend", "widget", "screen",
    "view", "editor", "console", "cli", "gui", "wizard", "homepage", "panel", "interface", "kiosk",
    "extension",
];

const DECIDERS: &[&str] =
    &["agent", "bot", "chatbot", "assistant", "model", "classifier", "llm", "recommender", "copilot"];

#[rustfmt::skip]
const TOOLS: &[&str] = &[
    "parser", "validator", "formatter", "logger", "converter", "linter", "script", "plugin", "checker",
    "generator", "encoder", "decoder", "tokenizer", "exporter", "importer", "renderer", "compressor",
    "calculator", "filter", "adapter", "wrapper", "serializer",
];

#[rustfmt::skip]
const WORKERS: &[&str] = &[
    "service", "server", "engine", "scheduler", "worker", "module", "pipeline", "backend", "daemon",
    "controller", "monitor", "tracker", "broker", "processor", "notifier", "simulator", "planner",
    "subsystem", "router", "compiler", "orchestrator", "crawler", "scraper", "microservice", "dispatcher",
    "marketplace", "poller",
];

#[rustfmt::skip]
const WHOLES: &[&str] = &[
    "system", "tool", "platform", "solution", "program", "software", "product", "project", "service",
    "app", "application", "idea", "version", "mvp", "prototype", "thing",
];

#[rustfmt::skip]
const LIGHT_HEADS: &[&str] = &[
    "list", "set", "number", "kind", "type", "sort", "copy", "piece", "amount", "group", "collection",
    "series", "lot", "bunch", "part", "pair", "range", "variety", "batch", "couple", "history",
];

#[rustfmt::skip]
const JUDGEMENTS: &[&str] = &[
    "simple", "small", "big", "large", "new", "old", "good", "bad", "great", "fast", "slow", "easy",
    "nice", "best", "better", "different", "important", "possible", "able", "available", "relevant",
    "certain", "whole", "full", "little", "clear", "clean", "modern", "powerful", "lightweight",
    "reliable", "secure", "robust", "scalable", "short", "long", "right", "wrong", "ready", "last",
    "latest", "current", "existing", "necessary", "proper", "appropriate", "free", "open", "given",
    "single", "main", "useful", "cheap", "early", "late", "due", "least", "low", "high", "tiny", "entire",
    "overdue", "similar", "suitable", "interesting",
];

#[rustfmt::skip]
const VAGUE: &[&str] = &[
    "data", "thing", "stuff", "information", "item", "process", "handle", "manage", "do", "module",
    "component", "system", "logic", "functionality", "feature", "task", "operation", "various", "etc",
    "work", "processing", "management", "handling", "general", "misc", "utility", "helper", "perform",
    "provide", "support", "deal", "everything", "something", "need", "use", "subsystem", "service",
    "input", "output", "result", "cover", "let", "main", "core", "business", "necessary", "stage",
    "assumed",
];

#[rustfmt::skip]
const FILLERS: &[&str] = &[
    "glance", "time", "day", "week", "month", "year", "hour", "minute", "second", "night", "morning",
    "evening", "way", "case", "moment", "place", "example", "end", "start", "monday", "friday", "sunday",
    "saturday", "tuesday", "wednesday", "thursday", "today", "tomorrow", "percent", "daily", "weekly",
    "monthly",
];

#[rustfmt::skip]
const NO_PLURALS: &[&str] = &[
    "news", "analytics", "series", "status", "address", "access", "process", "business", "progress",
    "gps", "sms", "dns", "https", "aws", "ios", "css", "https's", "kubernetes", "canvas", "lens", "bus",
    "atlas", "postgres", "redis", "always", "whereas", "basis", "physics", "mathematics", "class",
    "glass", "boss", "pass", "loss", "express", "this", "gas", "plus", "bias", "diabetes", "js",
];

#[rustfmt::skip]
const PEOPLE: &[&str] = &[
    "user", "customer", "person", "people", "client", "admin", "administrator", "manager", "member",
    "team", "staff", "student", "patient", "guest", "owner", "parent", "child", "friend", "colleague",
    "employee", "visitor", "technician", "nurse", "agronomist", "volunteer", "resident", "tenant",
    "supplier", "vendor", "merchant", "accountant", "clerk", "expert", "reader", "author", "participant",
    "doctor", "chef", "staffer", "crew", "kid", "player", "operator", "driver", "company", "neighbour",
    "neighbor", "family", "community", "coach", "analyst", "colleagues", "grower", "farmer", "teacher",
    "developer", "engineer", "designer", "reviewer", "subscriber", "seller", "buyer", "trainer",
    "gardener", "shopper", "traveler", "traveller", "researcher", "baker", "organizer", "organiser",
    "maintainer", "moderator", "librarian", "therapist", "writer", "dispatcher", "recruiter", "beekeeper",
    "speaker", "planner", "cyclist", "scientist", "musician", "electrician", "lawyer", "learner",
    "officer", "leader", "listener", "viewer", "waiter", "courier", "borrower", "lender", "helper",
    "caretaker", "photographer", "keeper", "dentist", "hairdresser", "veterinarian", "walker", "sitter",
    "holder", "receptionist", "journalist",
];
