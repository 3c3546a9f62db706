//! Prompt templates in Jinja (minijinja), embedded and overridable from a folder. Strict: an undefined variable is an error, not a
//! hole in the prompt.

use std::collections::BTreeSet;
use std::path::Path;

use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, ErrorKind, UndefinedBehavior};
use serde::Serialize;
use thiserror::Error;

use stategraph_base::regular::read_text;

/// Maximum steps of one rendering; a loop over 10,000 items takes a tenth of them.
const FUEL: u64 = 1_000_000;

/// Maximum size of a prompt of the user, in bytes: 1 MiB.
const PROMPT_MAX: usize = 1024 * 1024;

/// A template as it is embedded: its name (`ard/architect.md`) and its text.
pub type EmbeddedPrompt = (&'static str, &'static str);

/// A set of compiled prompt templates. Workflows render their prompts with it.
///
/// ```
/// use serde_json::json;
/// use stategraph_llm::Prompts;
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let prompts = Prompts::new(&[("greet.md", "Hello, {{ name }}!")])?;
/// assert_eq!(prompts.render("greet.md", &json!({ "name": "Ada" }))?, "Hello, Ada!");
/// // A variable that is missing is an error.
/// assert!(prompts.render("greet.md", &json!({})).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[derive(Debug)]
pub struct Prompts {
    environment: Environment<'static>,
    names: BTreeSet<&'static str>,
}

/// The error of a template that cannot be loaded or rendered.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PromptError {
    /// No template has that name.
    #[error("no prompt `{name}`; there are {}", known.join(", "))]
    Unknown {
        /// Requested name.
        name: String,
        /// All names, in order.
        known: Vec<String>,
    },
    /// The template does not parse.
    #[error("{name}:{line}: {reason}")]
    Syntax {
        /// The template.
        name: String,
        /// The line, from 1.
        line: usize,
        /// Message of the parser.
        reason: String,
    },
    /// The template cannot be rendered.
    #[error("{name}:{line}: {reason}{}", missing_text(missing))]
    Render {
        /// The template; an included one where that failed.
        name: String,
        /// The line, from 1.
        line: usize,
        /// Reason of the failure.
        reason: String,
        /// Variables of the template that were not supplied.
        missing: Vec<String>,
    },
    /// An overriding file cannot be read.
    #[error("{path}: {reason}")]
    Read {
        /// The file.
        path: String,
        /// Reason, as the operating system reports it.
        reason: String,
    },
}

impl PromptError {
    /// Returns advice for the user.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Render { missing, .. } if !missing.is_empty() => {
                Some("the template names a variable that this step does not have".into())
            }
            Self::Syntax { name, .. } => {
                Some(format!("templates are Jinja; mend `{name}` in your prompts folder"))
            }
            _ => None,
        }
    }
}

/// Returns the end of an error message that lists the variables not supplied; empty if there are none.
fn missing_text(missing: &[String]) -> String {
    if missing.is_empty() { String::new() } else { format!(" (not supplied: {})", missing.join(", ")) }
}

/// Implements the template filter `tojson`: JSON on one line, with `<` and `>` escaped, so that no value can
/// close a tag of the prompt. Unlike minijinja's filter of this name, it leaves apostrophes and ampersands,
/// which saves tokens.
fn to_json(value: &minijinja::Value) -> Result<String, minijinja::Error> {
    let text = serde_json::to_string(value).map_err(|error| {
        minijinja::Error::new(ErrorKind::BadSerialization, "a value is no JSON").with_source(error)
    })?;
    Ok(text.replace('<', r"\u003c").replace('>', r"\u003e"))
}

impl Prompts {
    /// Loads the embedded templates.
    pub fn new(embedded: &[EmbeddedPrompt]) -> Result<Self, PromptError> {
        Self::compile(embedded, |_, text| Ok(text.to_owned()))
    }

    /// Loads the embedded templates. A file below `folder` with the name of a template replaces its text. A
    /// file with another name is ignored.
    pub fn overridden(embedded: &[EmbeddedPrompt], folder: &Path) -> Result<Self, PromptError> {
        Self::compile(embedded, |name, text| {
            let path = folder.join(name);
            match read_text(&path, PROMPT_MAX) {
                Ok(own) => Ok(own),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(text.to_owned()),
                Err(error) => {
                    Err(PromptError::Read { path: path.display().to_string(), reason: error.to_string() })
                }
            }
        })
    }

    /// Compiles the templates. `text_of` returns the text to use for a template, from its name and its
    /// embedded text.
    fn compile(
        embedded: &[EmbeddedPrompt],
        text_of: impl Fn(&str, &str) -> Result<String, PromptError>,
    ) -> Result<Self, PromptError> {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_fuel(Some(FUEL));
        environment.add_filter("tojson", to_json);
        // A prompt is text whatever its name ends in.
        environment.set_auto_escape_callback(|_| AutoEscape::None);
        for (name, text) in embedded {
            environment.add_template_owned(*name, text_of(name, text)?).map_err(|error| {
                PromptError::Syntax {
                    name: (*name).to_owned(),
                    line: error.line().unwrap_or(1),
                    reason: describe(&error),
                }
            })?;
        }
        Ok(Self { environment, names: embedded.iter().map(|(name, _)| *name).collect() })
    }

    /// Returns the names of the templates, in order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.names.iter().copied()
    }

    /// Renders the prompt `name` with `variables`, which must serialise to an object.
    pub fn render(&self, name: &str, variables: &impl Serialize) -> Result<String, PromptError> {
        let template = self.template(name)?;
        template.render(Serde(variables)).map_err(|error| PromptError::Render {
            name: error.name().unwrap_or(name).to_owned(),
            line: error.line().unwrap_or(1),
            reason: describe(&error),
            missing: self.missing(&error, name, variables),
        })
    }

    /// Returns the variables that the template `name` reads and does not set itself, in order.
    pub fn variables(&self, name: &str) -> Result<BTreeSet<String>, PromptError> {
        Ok(self.template(name)?.undeclared_variables(false).into_iter().collect())
    }

    /// Returns the template `name`, or an error that lists the known names.
    fn template(&self, name: &str) -> Result<minijinja::Template<'_, '_>, PromptError> {
        self.environment.get_template(name).map_err(|_| PromptError::Unknown {
            name: name.to_owned(),
            known: self.names().map(str::to_owned).collect(),
        })
    }

    // Searched here, because minijinja does not report which variable was undefined.
    /// Returns the variables that the failed template reads and `variables` lacks; empty for other kinds of
    /// errors.
    fn missing(&self, error: &minijinja::Error, name: &str, variables: &impl Serialize) -> Vec<String> {
        if error.kind() != ErrorKind::UndefinedError {
            return Vec::new();
        }
        let supplied = serde_json::to_value(variables).unwrap_or_default();
        let reads = self.variables(error.name().unwrap_or(name)).unwrap_or_default();
        reads.into_iter().filter(|variable| supplied.get(variable).is_none()).collect()
    }
}

/// Returns the message of a template error, with its detail if it has one.
fn describe(error: &minijinja::Error) -> String {
    match error.detail() {
        Some(detail) => format!("{}: {detail}", error.kind()),
        None => error.kind().to_string(),
    }
}
