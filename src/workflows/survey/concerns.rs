//! Constructs of errors, logging and concurrency.

/// Constructs that all code has: they come last.
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
