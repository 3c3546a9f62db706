//! The key `secrets`: values that a graph sends and that are never stored. The file holds only the name of an
//! environment variable, which is read each time a run starts or resumes. Reads no environment.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use stategraph_yaml::{YamlNode, YamlValue};

use super::super::located::Located;
use super::super::naming::is_identifier;
use super::super::naming::truncate_name;
use super::super::read::Reader;
use super::entries::Entries;

/// Maximum number of secrets in a file.
const SECRETS_MAX: usize = 100;

/// A secret that a graph file declares: the name of the environment variable that holds its value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SecretFile {
    /// Environment variable that holds the value.
    pub(crate) env: Located<String>,
    /// One-line description.
    pub(crate) about: Option<Located<String>>,
}

/// A secret with its keys.
#[derive(JsonSchema)]
#[schemars(rename = "Secret", deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct SecretKeys {
    /// The environment variable that holds it.
    env: Variable,
    /// Description, in a line.
    about: Option<String>,
}

/// The name of an environment variable.
struct Variable;

impl JsonSchema for Variable {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Variable".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$", "maxLength": 100, "examples": ["GITHUB_TOKEN"] })
    }
}

impl JsonSchema for SecretFile {
    fn schema_name() -> Cow<'static, str> {
        "SecretOrVariable".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let keys = generator.subschema_for::<SecretKeys>();
        let variable = Variable::json_schema(generator);
        json_schema!({ "anyOf": [variable, keys], "description": "A secret: the environment variable that holds it." })
    }
}

/// Reads the key `secrets`. A secret that cannot be read is reported and left out.
pub(super) fn read_secrets(reader: &mut Reader, tree: YamlNode) -> Option<Entries<SecretFile>> {
    let entries = reader.read_entries("`secrets`", "secret", tree)?;
    let mut secrets: Vec<(Located<String>, SecretFile)> = Vec::new();
    for (name, tree) in reader.truncate("secrets", SECRETS_MAX, entries) {
        if secrets.iter().any(|(known, _)| known.value == name.value) {
            let message = format!("the secret `{}` is declared twice", name.value);
            reader.report(&name.span, message, "remove one of them");
        } else if !is_identifier(&name.value) {
            let message = format!("a secret cannot be called `{}`", truncate_name(&name.value));
            reader.report(&name.span, message, "use letters, digits and `_`, and begin with a letter");
        } else if let Some(secret) = read_secret(reader, &name.value, tree) {
            secrets.push((name, secret));
        }
    }
    Some(Entries(secrets))
}

fn read_secret(reader: &mut Reader, name: &str, tree: YamlNode) -> Option<SecretFile> {
    if let YamlValue::Text(_) = tree.value {
        let env = read_variable(reader, name, tree)?;
        return Some(SecretFile { env, about: None });
    }
    let mut object = reader.read_object(&format!("secret `{name}`"), tree)?;
    let env = object.require("env").and_then(|tree| read_variable(reader, name, tree));
    let about = object.take("about").and_then(|tree| reader.read_text("`about`", tree));
    object.finish(reader);
    Some(SecretFile { env: env?, about })
}

/// Reads the name of an environment variable. `name` is the secret. Text that is no identifier is reported,
/// because it may be the secret value itself.
fn read_variable(reader: &mut Reader, name: &str, tree: YamlNode) -> Option<Located<String>> {
    let variable = reader.read_name(&format!("the variable of secret `{name}`"), tree)?;
    if is_identifier(&variable.value) {
        return Some(variable);
    }
    let message = format!("the secret `{name}` does not name an environment variable");
    reader.report(
        &variable.span,
        message,
        format!("write `{name}: SOME_VARIABLE`; the value itself never stands in the file"),
    );
    None
}
