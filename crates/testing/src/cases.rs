//! How many cases a property test tries.

use proptest::prelude::ProptestConfig;

/// So many, unless `PROPTEST_CASES` says how many. What fails is told, not kept: it becomes a test of its own.
pub fn cases(cases: u32) -> ProptestConfig {
    let said = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    ProptestConfig { cases: said.unwrap_or(cases), failure_persistence: None, ..ProptestConfig::default() }
}
