//! Options of a validation: rules that are off, and the lookup of files. Reads `.markdownlint.json`.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::rule_table::{markdownlint_ids, rules};

/// A function that returns true if a path, relative to the folder of the document, is an existing file or
/// folder.
pub type FileLookup = Arc<dyn Fn(&str) -> bool + Send + Sync>;

/// The options of a validation, which the caller sets: rules that are off, and the lookup of linked files.
#[derive(Clone, Default)]
pub struct ValidationOptions {
    /// Rules that are off, by their ids here or in markdownlint; none unless set.
    pub disabled: BTreeSet<String>,
    /// Lookup of linked files; without one, `readme/missing-file` is not checked.
    pub files: Option<FileLookup>,
}

impl fmt::Debug for ValidationOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ValidationOptions")
            .field("disabled", &self.disabled)
            .field("files", &self.files.is_some())
            .finish()
    }
}

/// An error in a `.markdownlint.json`: it is no JSON object.
#[derive(Debug, thiserror::Error)]
#[error(
    "the settings of markdownlint are no JSON object: {0}; see https://github.com/DavidAnson/markdownlint"
)]
pub struct MarkdownlintError(String);

/// Returns the markdownlint ids of the rules that a `.markdownlint.json` (its text) switches off. Comments
/// and trailing commas are allowed, as in markdownlint. A rule with parameters is on.
pub fn disabled_by_markdownlint(json: &str) -> Result<BTreeSet<String>, MarkdownlintError> {
    let settings: Value =
        serde_json::from_str(&strip_comments(json)).map_err(|error| MarkdownlintError(error.to_string()))?;
    let Value::Object(settings) = settings else {
        return Err(MarkdownlintError("another value was found".to_owned()));
    };
    let mut disabled = BTreeSet::new();
    if settings.get("default") == Some(&Value::Bool(false)) {
        disabled.extend(rules().iter().filter_map(|rule| rule.markdownlint).map(str::to_owned));
    }
    for (name, value) in &settings {
        let is_off = match value {
            Value::Bool(is_on) => !is_on,
            Value::Null => continue,
            _ => false,
        };
        for id in markdownlint_ids(name) {
            if is_off {
                disabled.insert((*id).to_owned());
            } else {
                disabled.remove(*id);
            }
        }
    }
    Ok(disabled)
}

/// Removes `//` and `/* */` comments and trailing commas, outside strings.
fn strip_comments(json: &str) -> String {
    let mut kept = String::with_capacity(json.len());
    let mut rest = json.trim_start_matches('\u{feff}').chars().peekable();
    let mut is_string = false;
    while let Some(c) = rest.next() {
        match (is_string, c, rest.peek()) {
            (true, '\\', Some(_)) => {
                kept.push(c);
                kept.extend(rest.next());
            }
            (_, '"', _) => {
                is_string = !is_string;
                kept.push(c);
            }
            (false, '/', Some('/')) => while rest.next_if(|c| *c != '\n').is_some() {},
            (false, '/', Some('*')) => {
                rest.next();
                let mut last = ' ';
                for c in rest.by_ref() {
                    if last == '*' && c == '/' {
                        break;
                    }
                    last = c;
                }
            }
            (false, ']' | '}', _) => {
                let end = kept.trim_end().len();
                if kept[..end].ends_with(',') {
                    kept.truncate(end - 1);
                }
                kept.push(c);
            }
            _ => kept.push(c),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switches_of_markdownlint_are_read_with_comments_aliases_and_a_default() {
        let json = "{\n // off\n \"MD041\": false, /* on */ \"no-duplicate-heading\": {\"siblings_only\": true,},\n \"single-h1\": false,\n}";
        let disabled = disabled_by_markdownlint(json).expect("an object");
        assert_eq!(disabled, ["MD025", "MD041"].map(str::to_owned).into());
        let disabled = disabled_by_markdownlint(r#"{"default": false, "MD045": true}"#).expect("an object");
        assert!(disabled.contains("MD001") && !disabled.contains("MD045"));
        assert!(disabled_by_markdownlint("[]").is_err());
    }
}
