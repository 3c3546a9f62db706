//! Reads a configuration file as text, and parses the text as a map of fields. Knows no meaning of
//! keys.

use std::io::Read as _;
use std::path::Path;

use stategraph_base::regular::{Links, open};

use super::defect::{ConfigDefect, ConfigDefectKind, ConfigError};
use super::fields::{Fields, as_map};
use super::found::{ConfigPosition, YAML_LIMITS, describe};

/// Keys of the file, as listed in a hint; a debate needs the first four (ARD-19 to ARD-22).
pub const KEYS: [&str; 15] = [
    "architect_model",
    "reviewer_model",
    "max_iterations",
    "output_path",
    "providers",
    "history_tokens",
    "minimum_rounds",
    "on_bad_draft",
    "drafting",
    "severity",
    "buildability",
    "on_ambiguity",
    "max_components",
    "max_challenges",
    "contextualize",
];

/// Maximum size of a configuration file, in bytes (1 MiB).
pub const MAX_CONFIG_BYTES: u64 = 1 << 20;

/// Reads the text of a configuration file. Fails if it is missing or larger than [`MAX_CONFIG_BYTES`].
pub(in crate::workflows) fn text_of(path: &Path) -> Result<String, ConfigError> {
    let unreadable = |source| ConfigError::Unreadable { path: path.to_owned(), source };
    let file = open(path, Links::Followed).map_err(unreadable)?;
    let size = file.metadata().map_err(unreadable)?.len();
    if size > MAX_CONFIG_BYTES {
        return Err(ConfigError::TooLong { path: path.to_owned(), size, limit: MAX_CONFIG_BYTES });
    }
    let mut text = String::new();
    // The file may grow while it is read.
    file.take(MAX_CONFIG_BYTES).read_to_string(&mut text).map_err(unreadable)?;
    Ok(text)
}

/// Parses the text as YAML and converts its fields with `read`. Returns all defects, in the order of
/// the file, if there is one.
pub(in crate::workflows) fn parsed<T>(
    text: &str,
    path: &Path,
    read: impl FnOnce(Fields<'_>) -> Option<T>,
) -> Result<T, ConfigError> {
    let invalid = |defects| ConfigError::Invalid { path: path.to_owned(), defects };
    let tree = stategraph_yaml::parse(text, &YAML_LIMITS).map_err(|error| {
        let (line, column) = stategraph_yaml::error_place(&error);
        let ConfigPosition { line, column } = ConfigPosition::new(line, column);
        ConfigError::Syntax {
            path: path.to_owned(),
            line,
            column,
            message: stategraph_yaml::error_text(&error),
        }
    })?;
    let Some(map) = as_map(&tree.value) else {
        let fault = ConfigDefectKind::Wrong { expected: "a map of settings", found: describe(&tree.value) };
        let ConfigPosition { line, column } = (&tree).into();
        return Err(invalid(vec![ConfigDefect { line, column, key: "(the file)".to_owned(), fault }]));
    };
    let mut defects = Vec::new();
    let read = read(Fields::open(String::new(), ConfigPosition::new(1, 1), map, &mut defects));
    defects.sort_by_key(|defect| (defect.line, defect.column));
    read.filter(|_| defects.is_empty()).ok_or_else(|| invalid(defects))
}
