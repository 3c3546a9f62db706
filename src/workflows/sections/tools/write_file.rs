//! The tool `write_file` (SEC-128): takes a file below `_dev/build/docs/`, which is kept in the state and
//! written to the disk when the document is accepted, so that a cancelled run has changed nothing
//! (SEC-147).

use std::path::{Component, Path};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::agent::{Tool, ToolOutput};

/// Name of the tool `write_file`.
pub(in crate::workflows::sections) const WRITE_FILE: &str = "write_file";
/// Folder of the package below which the tool may write, and in which the document is saved.
pub(in crate::workflows::sections) const WRITABLE: &str = "_dev/build/docs";
/// Maximum length of a file's text, in bytes.
const TEXT_MAX: usize = 256 * 1024;

/// The tool `write_file`, with which the generator writes further files of the package. It refuses the
/// document itself, whose name is `doc_file`.
pub(super) struct WriteFile {
    pub(super) doc_file: String,
}

/// Arguments of `write_file`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct WriteFileArguments {
    /// Path below the package, in `_dev/build/docs/`.
    path: String,
    /// The whole new text.
    content: String,
}

#[derive(Serialize, Deserialize)]
struct WrittenFile {
    path: String,
    content: String,
}

/// Returns the path and text of the file that a successful call of `write_file` produced; `None` for any
/// other output.
pub(in crate::workflows::sections) fn written_file(output: &ToolOutput) -> Option<(String, String)> {
    let written: WrittenFile =
        serde_json::from_value(output.data.as_ref()?.get("written_file")?.clone()).ok()?;
    Some((written.path, written.content))
}

impl WriteFile {
    /// Returns the normalized path below the package if it may be written; else the reason why not, for the
    /// model.
    fn target(&self, path: &str) -> Result<String, String> {
        let mut parts = Vec::new();
        for part in Path::new(path).components() {
            match part {
                Component::Normal(part) => parts.push(part.to_string_lossy().into_owned()),
                Component::CurDir => {}
                _ => return Err(format!("`{path}` leaves `{WRITABLE}/`")),
            }
        }
        let path = parts.join("/");
        match path.strip_prefix(WRITABLE).and_then(|rest| rest.strip_prefix('/')) {
            Some(name) if name == self.doc_file => {
                Err(format!("`{path}` is the document; your answer is its section"))
            }
            Some(name) if !name.is_empty() => Ok(path),
            _ => Err(format!("files are written below `{WRITABLE}/` only")),
        }
    }
}

impl Tool for WriteFile {
    type Arguments = WriteFileArguments;

    fn name(&self) -> &'static str {
        WRITE_FILE
    }

    fn description(&self) -> &'static str {
        "Writes a file below `_dev/build/docs/`, such as a further page. Not for the section: that is your answer."
    }

    async fn run(&self, arguments: WriteFileArguments) -> ToolOutput {
        if arguments.content.len() > TEXT_MAX {
            return ToolOutput::failed(format!("the text has more than {TEXT_MAX} bytes"));
        }
        match self.target(&arguments.path) {
            Err(reason) => ToolOutput::failed(reason),
            Ok(path) => {
                let text = format!("{path} will be written when the document is accepted");
                let written = WrittenFile { path, content: arguments.content };
                ToolOutput { data: Some(json!({ "written_file": written })), ..ToolOutput::ok(text) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // SEC-128, SEC-129
    #[test]
    fn only_files_below_the_folder_of_documents_can_be_written() {
        let tool = WriteFile { doc_file: "README.md".to_owned() };
        assert_eq!(tool.target("./_dev/build/docs/setup.md"), Ok("_dev/build/docs/setup.md".to_owned()));
        for refused in [
            "manifest.yml",
            "_dev/build/docs/../../../x",
            "/_dev/build/docs/x",
            "_dev/build/docs",
            "",
            "_dev/build/docs/README.md",
        ] {
            assert!(tool.target(refused).is_err(), "{refused}");
        }
    }
}
