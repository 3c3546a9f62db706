//! The secrets of a graph file: their variables, positions and recipients. Reads no environment.

use super::definition::Definition;
use super::diagnostic::{Diagnostic, Diagnostics};
use super::format::Entries;
use super::kind::{HttpKind, Kind};
use super::located::Located;

/// A secret that a graph file declares, with the environment variable of its value and the recipients.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretSpec<'a> {
    /// Name in expressions: `{{ secrets.name }}`.
    pub name: &'a str,
    /// Environment variable that holds the value.
    pub variable: &'a str,
    /// One-line description; empty if the file has none.
    pub about: &'a str,
    /// Line in the file, counted from 1.
    pub line: usize,
    /// Column in characters, counted from 1.
    pub column: usize,
    /// Recipients of the secret, sorted: the request addresses as the file writes them, and `its model` for the key
    /// of a model. The user sees them when asked to trust the file.
    pub recipients: Vec<&'a str>,
}

impl Definition {
    /// Returns the secrets that the file declares, in the order of the file.
    pub fn secrets(&self) -> impl Iterator<Item = SecretSpec<'_>> {
        self.file.secrets.iter().flat_map(|secrets| secrets.0.iter()).map(|(name, secret)| {
            let (line, column) = self.source.position(secret.env.span.start);
            SecretSpec {
                name: &name.value,
                variable: &secret.env.value,
                about: secret.about.as_ref().map_or("", |about| &about.value),
                line,
                column,
                recipients: self.recipients_of(&name.value),
            }
        })
    }

    /// Checks the values of the declared secrets. `problem` gets the name of an environment variable and
    /// returns the defect of its value, such as "is not set"; `None` if there is none. Reports every defect.
    pub fn check_secrets(&self, problem: &dyn Fn(&str) -> Option<String>) -> Result<(), Diagnostics> {
        let secrets = self.file.secrets.iter().flat_map(|secrets| secrets.0.iter());
        let found = secrets.filter_map(|(name, secret)| {
            let Located { value: variable, span } = &secret.env;
            let problem = problem(variable)?;
            let message =
                format!("the secret `{}`: the environment variable {variable} {problem}", name.value);
            let about = secret.about.as_ref().map(|about| format!(" ({})", about.value)).unwrap_or_default();
            Some(
                Diagnostic::new(&self.source, span.clone(), message)
                    .hint(format!("export {variable}=…{about}")),
            )
        });
        self.fail_if_any(found.collect())
    }

    /// Returns the recipients of a secret, sorted, each once; see [`SecretSpec::recipients`].
    fn recipients_of(&self, secret: &str) -> Vec<&str> {
        let kinds = self.nodes().chain(self.handlers()).map(|spec| spec.kind);
        let kinds = kinds.chain(self.tools().map(|(_, tool)| &tool.body));
        let mut recipients: Vec<&str> = kinds
            .filter_map(|kind| match if let Kind::Map(map) = kind { &map.body } else { kind } {
                Kind::Http(http) if contains_secret(http, secret) => Some(http.url.text()),
                Kind::Model(model) if model.api_key.as_deref() == Some(secret) => Some("its model"),
                Kind::Agent(agent) if agent.api_key.as_deref() == Some(secret) => Some("its model"),
                _ => None,
            })
            .collect();
        recipients.sort_unstable();
        recipients.dedup();
        recipients
    }
}

/// Returns true if the URL, a header or the body of a request names the secret.
fn contains_secret(http: &HttpKind, secret: &str) -> bool {
    let named = format!("secrets.{secret}");
    let holds = |text: &str| text.contains(&named);
    let headers = http.headers.iter().flat_map(Entries::iter).any(|(_, text)| holds(text.text()));
    let body = http.body.as_ref().is_some_and(|text| holds(text.text()));
    let json = http.json.as_ref().is_some_and(|json| json.texts().iter().any(|text| holds(text)));
    headers || body || json || holds(http.url.text())
}
