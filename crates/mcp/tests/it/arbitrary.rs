//! Files of servers by strangers: whatever they hold, they are read or refused, and what they ask for can be shown on a terminal.

use std::path::Path;

use proptest::prelude::*;
use serde_json::{Map, Value};
use stategraph_mcp::McpConfig;

/// Values of the kinds that entries have, and of others.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-z$:{}_*\u{1b}\u{202e}\u{0} -]{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        let key = prop_oneof![
            Just("command".to_owned()),
            Just("args".to_owned()),
            Just("env".to_owned()),
            Just("url".to_owned()),
            Just("headers".to_owned()),
            Just("tools".to_owned()),
            Just("limit".to_owned()),
            ".{0,5}",
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..5)
                .prop_map(|fields| Value::Object(fields.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

proptest! {
    #[test]
    fn a_file_of_a_stranger_is_read_or_refused(entries in prop::collection::vec((".{0,8}", value()), 0..4)) {
        let servers: Map<String, Value> = entries.into_iter().collect();
        let text = serde_json::json!({ "mcpServers": servers }).to_string();
        let config = McpConfig::parse(&text, Path::new("mcp.json")).unwrap();
        for want in config.trust_request().wants() {
            let shown = want.to_string();
            prop_assert!(!shown.chars().any(|c| c.is_control() || c == '\u{202e}'), "{shown:?}");
        }
        prop_assert!(config.warnings().iter().all(|warning| !warning.chars().any(char::is_control)));
    }

    #[test]
    fn a_text_that_is_no_file_of_servers_is_an_error(text in ".{0,200}") {
        prop_assume!(!text.contains("ervers"));
        prop_assert!(McpConfig::parse(&text, Path::new("mcp.json")).is_err());
    }
}
