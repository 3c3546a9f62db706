//! Tables of English words: those that questions are made of, and those that name one thing in code. Contains no logic but look-ups.

/// Words without a meaning of their own, in order (CTX-26).
const STOP_WORDS: &[&str] = &[
    "about", "actually", "after", "all", "also", "and", "another", "any", "anything", "are", "because", "been", "before", "being", "between",
    "both", "but", "can", "could", "did", "does", "doing", "done", "each", "either", "etc", "every", "for", "from", "get", "gets", "had", "has", "have",
    "having", "here", "how", "into", "its", "itself", "just", "let", "like", "many", "may", "might", "more", "most", "much", "must", "need", "needs", "not",
    "now", "off", "one", "only", "onto", "other", "our", "out", "over", "please", "same", "shall", "she", "should", "since", "some",
    "something", "such", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "those", "through", "too", "under",
    "until", "use", "used", "uses", "using", "very", "via", "want", "wants", "was", "way", "were", "what", "when", "where", "whether", "which", "while", "who",
    "whole", "whom", "whose", "why", "will", "with", "within", "without", "would", "yet", "you", "your",
];

/// Words that say what the asker wants to do or know, not what it is about, in order. They count little beside others.
const FRAME_WORDS: &[&str] = &[
    "add", "added", "adding", "affect", "affects", "apply", "applied", "behave", "behavior", "behaviour", "bug", "call", "called", "caller", "callers", "calls",
    "change", "changed", "changes", "class", "code", "codebase", "decide", "decided", "decides", "define", "defined", "defines", "depend", "depends",
    "determine", "determined", "determines", "different", "exactly", "exist", "explain", "feature", "file", "files", "find", "fix", "fixed", "function", "functions",
    "goes", "handle", "handled", "handles", "handling", "happen", "happens", "implement", "implementation", "implemented", "implements", "introduce", "involved", "know", "lives", "live", "located", "location", "logic",
    "look", "make", "makes", "mechanism", "method", "methods", "modify", "module", "new", "part", "parts", "place", "places", "possible", "project", "properly", "refactor", "related", "relevant", "repo", "repository", "responsible",
    "set", "show", "specific", "support", "supported", "supports", "task", "thing", "things", "touch", "touches", "update", "value", "values", "work", "working", "works", "write", "written", "wrong",
];

/// Groups of words that name one thing in code.
const RELATED: &[&[&str]] = &[
    &["fail", "failure", "error", "err", "exception", "panic", "reject"],
    &["invalid", "malformed", "bad", "illegal"],
    &["configuration", "configure", "config", "conf", "cfg", "setting", "option", "preference"],
    &["directory", "folder", "dir"],
    &["environment", "env"],
    &["argument", "arg", "parameter", "param"],
    &["option", "flag", "switch", "argument"],
    &["delete", "remove", "destroy", "unlink"],
    &["create", "make", "new"],
    &["start", "launch", "boot", "run"],
    &["initialize", "initialise", "init", "setup"],
    &["authenticate", "authentication", "auth", "login", "credential"],
    &["authorize", "authorization", "auth", "permission"],
    &["database", "db"],
    &["message", "msg"],
    &["request", "req"],
    &["response", "resp", "reply"],
    &["connection", "conn"],
    &["context", "ctx"],
    &["documentation", "docs", "doc"],
    &["document", "doc"],
    &["repository", "repo"],
    &["application", "app"],
    &["string", "str"],
    &["number", "num"],
    &["maximum", "max", "limit"],
    &["minimum", "min"],
    &["index", "idx"],
    &["length", "len", "size"],
    &["buffer", "buf"],
    &["temporary", "temp", "tmp"],
    &["previous", "prev"],
    &["reference", "ref"],
    &["information", "info"],
    &["command", "cmd"],
    &["password", "passwd"],
    &["execute", "exec", "run"],
    &["generate", "gen", "generator"],
    &["synchronize", "sync"],
    &["asynchronous", "async"],
    &["administrator", "admin"],
    &["statistics", "stats"],
    &["source", "src"],
    &["destination", "dest", "dst", "target"],
    &["character", "char"],
    &["attribute", "attr"],
    &["property", "prop"],
    &["expression", "expr"],
    &["statement", "stmt"],
    &["specification", "spec"],
    &["description", "desc"],
    &["certificate", "cert"],
    &["encrypt", "cipher", "crypto"],
    &["image", "img", "picture"],
    &["library", "lib"],
    &["package", "pkg"],
    &["position", "pos"],
    &["transaction", "tx", "txn"],
    &["identifier", "id", "ident"],
    &["parse", "decode", "scan"],
    &["serialize", "encode", "marshal", "dump"],
    &["deserialize", "decode", "unmarshal", "parse"],
    &["escape", "quote", "sanitize"],
    &["display", "render", "print", "show", "draw"],
    &["cancel", "abort"],
    &["timeout", "deadline", "expire"],
    &["throttle", "rate", "limit"],
    &["retry", "backoff", "attempt"],
    &["redirect", "location"],
    &["route", "router", "endpoint"],
    &["upload", "multipart"],
    &["log", "logger", "logging"],
    &["thread", "worker"],
    &["lock", "mutex"],
    &["queue", "job"],
    &["schedule", "cron", "timer"],
    &["cache", "memoize"],
    &["validate", "check", "verify"],
    &["compress", "gzip", "deflate"],
    &["merge", "combine", "join"],
    &["search", "find", "lookup"],
    &["exit", "quit", "terminate", "shutdown"],
    &["close", "shutdown"],
    &["wait", "sleep", "delay"],
    &["save", "write", "store", "persist"],
    &["load", "read"],
    &["shortcut", "keybinding", "keymap", "binding"],
    &["plugin", "extension", "addon"],
    &["email", "mail", "smtp"],
    &["hash", "digest", "checksum"],
    &["convert", "transform", "cast"],
    &["ignore", "skip", "exclude"],
    &["default", "fallback"],
    &["order", "sort"],
    &["color", "colour", "style", "theme"],
    &["chunk", "batch"],
    &["notify", "notification", "alert"],
    &["build", "compile"],
    &["format", "formatter"],
    &["select", "choose", "pick"],
    &["choose", "select", "pick", "resolve"],
    &["count", "total"],
];

/// Returns true for a word that no search is made for.
pub(super) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

/// Returns true for a word of the question's frame.
pub(super) fn is_frame_word(word: &str) -> bool {
    FRAME_WORDS.contains(&word)
}

/// Returns the words with nearly the meaning of the word with this stem; words and stems are compared by `stem`.
pub(super) fn related(stem_of_word: &str, stem: impl Fn(&str) -> String) -> Vec<&'static str> {
    let groups = RELATED.iter().filter(|group| group.iter().any(|word| stem(word) == stem_of_word));
    let mut found: Vec<&str> = groups.flat_map(|group| group.iter().copied()).collect();
    found.retain(|word| stem(word) != stem_of_word);
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_stop_words_is_in_order() {
        assert!(STOP_WORDS.is_sorted());
    }
}
