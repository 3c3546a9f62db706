//! The number of cases in property tests.

use proptest::prelude::ProptestConfig;

/// Returns a configuration of proptest with `cases` cases, or the number in the environment variable
/// `PROPTEST_CASES`. Failing cases are not stored in files, because each becomes a test of its own.
pub fn cases(cases: u32) -> ProptestConfig {
    let said = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    ProptestConfig { cases: said.unwrap_or(cases), failure_persistence: None, ..ProptestConfig::default() }
}
