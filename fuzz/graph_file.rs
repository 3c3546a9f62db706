//! Whatever stands in a graph file, reading and checking it ends with a definition or with defects.
#![no_main]

use libfuzzer_sys::fuzz_target;
use stategraph::definition::Definition;

fuzz_target!(|bytes: &[u8]| {
    match Definition::parse(bytes, "fuzzed.yaml") {
        Ok(definition) => {
            if let Err(defects) = definition.check() {
                assert!(!defects.to_string().is_empty());
            }
        }
        Err(defects) => assert!(!defects.to_string().is_empty()),
    }
});
