//! Constructs of error handling, logging and concurrency, as facts about a code base name them.

/// Constructs that are keywords or common idioms, so nearly all code has them. Lists of constructs show
/// them last.
pub(crate) const KEYWORDS: &[&str] = &[
    "async",
    "await",
    "unwrap",
    "expect",
    "panic!",
    "catch",
    "except",
    "raise",
    "throw",
    "try",
    "go",
    "chan",
    "<-",
    "select",
    "rescue",
    "assert",
    "set -e",
    "set -eu",
    "unreachable!",
    "unimplemented!",
    "map_err",
    "errors.New",
    "fmt.Errorf",
];
