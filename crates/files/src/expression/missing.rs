//! Advice for an expression that reads a field which a value does not have. Evaluates nothing.

use serde_json::{Map, Value};

use super::scope::EvalScope;
use stategraph_core::nearest;

/// Maximum number of fields that the advice lists.
const LISTED: usize = 8;

/// Maximum length of a listed name, in characters.
const NAME_LENGTH: usize = 40;

/// Returns advice for a path such as `item.txt` that is undefined in this scope: a similar field, or a list
/// of the fields that the map has. `None` if no map of the scope lacks a field of the path.
pub(super) fn advise(path: &str, scope: &EvalScope<'_>) -> Option<String> {
    let mut names = path.split('.');
    let root = names.next()?;
    let (mut known, mut above) = match root {
        "state" => {
            let channel = names.next()?;
            (scope.fields_of_channel(channel)?, format!("state.{channel}"))
        }
        root => (scope.fields_of(root)?, root.to_owned()),
    };
    loop {
        let name = names.next()?;
        match known.get(name) {
            Some(Value::Object(fields)) => {
                known = fields;
                above = format!("{above}.{name}");
            }
            Some(_) => return None,
            None => return Some(list_fields(name, &above, known)),
        }
    }
}

/// Returns true if a statement of the template, such as `{% for item in list %}`, contains the first name of
/// `path`. That name may then mean another value than the one in the scope.
pub(super) fn may_rebind(template: &str, path: &str) -> bool {
    let root = path.split('.').next().unwrap_or(path);
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let statements = template.split("{%").skip(1).filter_map(|rest| rest.split("%}").next());
    statements.into_iter().any(|statement| {
        let mut words = statement.split(|c| !is_name(c)).filter(|word| !word.is_empty());
        let binds = matches!(words.next(), Some("for" | "set" | "with" | "macro" | "import" | "from"));
        binds && words.any(|word| word == root)
    })
}

/// Returns the advice for the field `name`, which the map at the path `above` does not have.
fn list_fields(name: &str, above: &str, fields: &Map<String, Value>) -> String {
    if fields.is_empty() {
        return format!("`{above}` has no fields; `{above}.{name} | default('…')` allows that");
    }
    if let Some(near) = nearest(name, fields.keys().map(String::as_str)) {
        return format!("did you mean `{above}.{near}`?");
    }
    let shown = |field: &String| match field.char_indices().nth(NAME_LENGTH) {
        Some((end, _)) => format!("`{}…`", &field[..end]),
        None => format!("`{field}`"),
    };
    let listed: Vec<String> = fields.keys().take(LISTED).map(shown).collect();
    let more = if fields.len() > LISTED { ", …" } else { "" };
    let (listed, word) = (listed.join(", "), if fields.len() == 1 { "field" } else { "fields" });
    format!(
        "`{above}` has the {word} {listed}{more}; `{above}.{name} | default('…')` allows that it lacks `{name}`"
    )
}
