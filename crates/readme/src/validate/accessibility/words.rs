//! Word lists of the accessibility validator.

/// Texts of links, in lower case, that do not name their target.
#[rustfmt::skip]
pub(super) const BARE_LINKS: &[&str] = &[
    "here", "click here", "click", "click this", "click this link", "this", "this link", "link", "the link", "this page",
    "this site", "this website", "read more", "more", "learn more", "see more", "find out more", "more info", "see here",
    "over here", "go here", "right here",
];

/// Words in whose sentence a phrase such as "on the right" means a place on a page or screen.
#[rustfmt::skip]
pub(super) const SCREEN_WORDS: &[&str] = &[
    "page", "screen", "menu", "sidebar", "side bar", "panel", "pane", "button", "window", "image", "picture", "diagram",
    "screenshot", "click", "select", "navigation", "column", "corner", "document", "readme", "figure", "icon",
];

/// Words behind "above" and "below" with which these compare two things and are no reference to the page.
#[rustfmt::skip]
pub(super) const RELATIONS: &[&str] = &[
    "zero", "average", "threshold", "thresholds", "freezing", "ground", "sea", "normal", "minimum", "maximum", "the", "a",
    "an", "its", "it", "this", "that", "these", "those", "your", "each", "every", "any", "all", "version", "them", "which",
    "where", "what", "one", "two", "three", "half", "level", "us", "him",
];

/// Violent words.
#[rustfmt::skip]
pub(super) const VIOLENT: &[&str] = &[
    "kill", "kills", "killed", "killing", "slaughter", "nuke", "nuked", "nuking", "murder", "suicide", "shoot yourself",
    "bulletproof", "bullet-proof", "blow away", "beat to death", "war room", "hang yourself", "abort", "aborts", "aborted",
    "aborting", "hit",
];

/// Words in whose sentence a violent word is a technical term of processes, security or networks.
#[rustfmt::skip]
pub(super) const VIOLENT_TERMS: &[&str] = &[
    "process", "processes", "signal", "signals", "sigkill", "sigterm", "server", "servers", "daemon", "thread", "threads",
    "task", "tasks", "job", "jobs", "container", "containers", "pod", "pods", "pid", "pids", "command", "commands", "switch",
    "chain", "worker", "workers", "connection", "connections", "port", "instance", "instances", "child", "children", "shell",
    "query", "queries", "oom", "program", "programs", "application", "app", "node", "nodes", "transaction", "transactions",
    "request", "requests", "controller", "controllers", "upload", "download", "operation", "operations", "build", "execution",
    "cache", "rate", "rates", "ratio", "count", "counts", "test", "tests", "hits", "search", "api", "script", "service",
    "services", "limit", "limits", "error", "errors", "panic", "window", "mutant", "mutants", "buffer", "line", "region",
    "tab", "tmux", "timeout", "transfer", "future", "call", "calls", "compile", "compilation", "run", "loop", "stream",
    "exception", "event", "fetch", "promise", "code", "memory", "feature", "browser", "system", "callback", "function",
    "database", "disk", "endpoint", "breakpoint", "target", "box", "testing", "default",
];

/// Words that demean people with disabilities.
#[rustfmt::skip]
pub(super) const ABLEIST: &[&str] = &[
    "crazy", "crazily", "insane", "insanely", "insanity", "lame", "cripple", "cripples", "crippled", "crippling",
    "sanity check", "sanity checks", "sanity-check", "sanity test", "tone deaf", "tone-deaf", "handicapped", "psycho",
    "schizophrenic", "spaz", "retarded", "retard", "idiot", "idiots", "idiotic", "moron", "moronic", "dumb", "stupid",
    "blind eye", "blind to", "fell on deaf ears", "falls on deaf ears", "wheelchair-bound", "dummy",
];

/// Words in whose sentence an ableist word is a technical term.
#[rustfmt::skip]
pub(super) const ABLEIST_TERMS: &[&str] = &[
    "terminal", "terminals", "data", "value", "values", "text", "variable", "package", "user", "object", "load", "interface",
    "head", "http", "file", "files", "encoder", "mp3", "client", "pipe", "protocol", "server", "component", "input", "device",
    "implementation", "default", "defaults", "account", "module", "argument", "method", "function", "class", "key", "project",
    "crate", "type", "variables", "row", "rows", "plugin", "record", "image", "node", "app", "application", "output", "page",
    "test", "name", "email", "db", "database", "driver", "struct",
];

/// Words that name a gender.
#[rustfmt::skip]
pub(super) const GENDERED: &[&str] = &[
    "he", "she", "his", "him", "her", "hers", "himself", "herself", "he/she", "s/he", "his/her", "guys", "mankind",
    "manpower", "man-hours", "man hours", "manned", "unmanned", "chairman", "salesman", "middleman", "middlemen",
    "workmanship", "manmade", "man-made", "housekeeping", "grandfathered", "policeman", "fireman", "businessman",
];
