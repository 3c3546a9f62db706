//! Setting for the form in which tools are offered to a model; see `agent::xml`.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::agent::xml::ToolPresentation;

/// Form in which tools are offered to a model (DOC-33). Calls written as XML are accepted with either form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolForm {
    /// The tool calls of the endpoint's own protocol.
    #[default]
    Native,
    /// XML in the text, for models without native tool calls.
    Xml,
}

impl From<ToolForm> for ToolPresentation {
    fn from(form: ToolForm) -> Self {
        match form {
            ToolForm::Native => Self::Native,
            ToolForm::Xml => Self::Told,
        }
    }
}

impl FromStr for ToolForm {
    type Err = UnknownToolForm;

    fn from_str(text: &str) -> Result<Self, UnknownToolForm> {
        match text {
            "native" => Ok(Self::Native),
            "xml" => Ok(Self::Xml),
            _ => Err(UnknownToolForm(text.to_owned())),
        }
    }
}

/// Error of a tool form that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no form of tools `{0}`")]
pub struct UnknownToolForm(String);
