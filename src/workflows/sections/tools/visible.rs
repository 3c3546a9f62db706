//! The tools `list_directory` and `read_file` for a package. The folder `docs/` is hidden except for its
//! knowledge base, because a document that the generator quotes would confirm itself (SEC-129).

use std::path::{Component, Path};

use stategraph_code_tools::{ListDirectory, ListDirectoryArguments, ReadFile, ReadFileArguments};

use crate::agent::{Priority, Tool, ToolOutput};
use crate::readme::package::IntegrationPackage;
use crate::repo::Root;
use crate::workflows::foreign_text::without_secrets;

/// Top-level folder of a package that the tools do not show.
const HIDDEN: &str = "docs";
/// Folder inside the hidden one that the tools do show.
const SHOWN: &str = "knowledge_base";

/// Returns the failed tool output for a path inside the hidden folder; `None` if the path may be read.
fn refusal(path: &str) -> Option<ToolOutput> {
    let parts: Vec<_> = Path::new(path)
        .components()
        .filter(|part| *part != Component::CurDir)
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .collect();
    let is_hidden = parts.first().is_some_and(|first| first == HIDDEN)
        && parts.get(1).is_none_or(|second| second != SHOWN);
    let text = "`docs/` is not shown, because the document that is written must not be its own source; \
                `docs/knowledge_base/` is shown";
    is_hidden.then(|| ToolOutput::failed(text))
}

/// The tool `list_directory`, which lists folders of the package for the generator, without the hidden
/// folder `docs`.
pub(super) struct ListVisible(ListDirectory);

impl ListVisible {
    pub(super) fn new(root: Root) -> Self {
        Self(ListDirectory::new(root))
    }
}

impl Tool for ListVisible {
    type Arguments = ListDirectoryArguments;

    fn name(&self) -> &str {
        self.0.name()
    }

    fn description(&self) -> &'static str {
        "Lists a folder of the package. `docs/` is not shown, except for `docs/knowledge_base/`."
    }

    async fn run(&self, arguments: ListDirectoryArguments) -> ToolOutput {
        match refusal(&arguments.path) {
            Some(refused) => refused,
            None => self.0.run(arguments).await,
        }
    }
}

/// The tool `read_file`, which reads files of the package for the generator, without the hidden folder
/// `docs` and with secrets replaced.
pub(super) struct ReadVisible {
    inner: ReadFile,
    /// Defaults of secret variables, which manifests have in clear.
    secrets: Vec<String>,
}

impl ReadVisible {
    pub(super) fn new(root: Root, package: &IntegrationPackage) -> Self {
        let secrets = package.secret_defaults().into_iter().map(str::to_owned).collect();
        Self { inner: ReadFile::new(root), secrets }
    }

    /// Returns the content of a file as the model may see it: secrets replaced and, in YAML, notes of its
    /// authors blanked. The number of lines stays the same.
    fn show(&self, path: &str, content: &str) -> String {
        let mut shown = without_secrets(content);
        for secret in &self.secrets {
            shown = shown.replace(secret.as_str(), "[secret]");
        }
        let is_yaml = Path::new(path)
            .extension()
            .is_some_and(|end| end.eq_ignore_ascii_case("yml") || end.eq_ignore_ascii_case("yaml"));
        if is_yaml { without_notes(&shown) } else { shown }
    }
}

impl Tool for ReadVisible {
    type Arguments = ReadFileArguments;

    fn name(&self) -> &str {
        self.inner.name()
    }

    fn description(&self) -> &'static str {
        "Reads a text file of the package. Long files are cut. `docs/` is not shown, except for `docs/knowledge_base/`."
    }

    fn priority(&self) -> Priority {
        self.inner.priority()
    }

    async fn run(&self, arguments: ReadFileArguments) -> ToolOutput {
        if let Some(refused) = refusal(&arguments.path) {
            return refused;
        }
        let path = arguments.path.clone();
        let output = self.inner.run(arguments).await;
        ToolOutput { content: self.show(&path, &output.content), ..output }
    }
}

/// Returns YAML with its unindented comment lines emptied, because these are notes of its authors. Indented
/// comments stay, because they can be examples of a setting.
fn without_notes(yaml: &str) -> String {
    yaml.split_inclusive('\n').map(|line| if line.starts_with('#') { "\n" } else { line }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_of_authors_are_empty_lines() {
        assert_eq!(without_notes("# a\nb: 1 # c\n  # d\n# e"), "\nb: 1 # c\n  # d\n\n");
    }

    // SEC-129
    #[test]
    fn documents_are_hidden_but_the_knowledge_base_is_not() {
        for hidden in ["docs", "docs/README.md", "./docs/README.md", "docs/img/a.svg"] {
            assert!(refusal(hidden).is_some(), "{hidden}");
        }
        for shown in ["", ".", "manifest.yml", "docs/knowledge_base/service_info.md", "data_stream/log/docs"]
        {
            assert!(refusal(shown).is_none(), "{shown}");
        }
    }
}
