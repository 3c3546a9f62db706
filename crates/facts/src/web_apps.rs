//! Recognizes folders called `website` that hold a program and no documents.

use std::collections::BTreeSet;

use crate::fact::PathRole;
use crate::role::role_of;

/// The folders called `website` that are no documents: they have a manifest, and nothing in them generates
/// pages from documents. Their role is not judged by that name.
#[derive(Debug, Default)]
pub(crate) struct WebApps(Vec<String>);

impl WebApps {
    /// Finds the folders among `paths`, which are sorted; `read` returns the text of a file.
    pub(crate) fn find(paths: &BTreeSet<String>, read: impl Fn(&str) -> Option<String>) -> Self {
        let folders = paths.iter().filter_map(|path| {
            let (folder, name) = path.rsplit_once('/')?;
            let is_site = folder.rsplit('/').next().is_some_and(|last| last.eq_ignore_ascii_case(SITE));
            (is_site && SITE_MANIFESTS.contains(&name)).then_some((folder, path))
        });
        let is_app = |(folder, manifest): &(&str, &String)| {
            let below = format!("{folder}/");
            let inside = paths.range(below.clone()..).take_while(|path| path.starts_with(&below));
            let mut names = inside.map(|path| &path[below.len()..]);
            let is_generator = |name: &str| GENERATOR_FILES.iter().any(|file| name.starts_with(file));
            let text = read(manifest).unwrap_or_default();
            !names.any(is_generator) && !GENERATORS.iter().any(|name| text.contains(name))
        };
        Self(folders.filter(is_app).map(|(folder, _)| folder.to_owned()).collect())
    }

    /// Returns the role of a file by its path, without the name of such a folder.
    pub(crate) fn role_of(&self, path: &str) -> PathRole {
        let around = self
            .0
            .iter()
            .find(|folder| path.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/')));
        match around {
            Some(folder) => {
                role_of(&format!("{}web{}", &folder[..folder.len() - SITE.len()], &path[folder.len()..]))
            }
            None => role_of(path),
        }
    }
}

/// Folder that holds documents, unless it holds a program.
const SITE: &str = "website";
/// Manifests of programs that may stand in such a folder.
const SITE_MANIFESTS: &[&str] =
    &["package.json", "go.mod", "Cargo.toml", "pyproject.toml", "composer.json", "pom.xml", "build.gradle"];
/// Parts of a manifest that show a generator of documents.
const GENERATORS: &[&str] = &[
    "docusaurus",
    "vitepress",
    "vuepress",
    "nextra",
    "\"astro\"",
    "\"gatsby\"",
    "eleventy",
    "\"hexo\"",
    "docsify",
    "fumadocs",
    "contentlayer",
    "mdx",
    "honkit",
    "gitbook",
    "mkdocs",
    "sphinx",
    "jekyll",
    "hugo",
    "typedoc",
    "metalsmith",
];
/// Beginnings of the names of files, in such a folder, that configure a generator of documents.
const GENERATOR_FILES: &[&str] = &[
    "docusaurus.config",
    ".vitepress",
    ".vuepress",
    "mkdocs.y",
    "hugo.",
    "_config.y",
    "conf.py",
    "source/conf.py",
    "docs/conf.py",
    "book.toml",
    "antora",
    "astro.config",
    "gatsby-config",
    "siteConfig.js",
    "content/docs",
    "archetypes/",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_website_with_a_manifest_and_no_generator_of_documents_is_a_program() {
        let role = |manifest: &str, files: &[&str]| {
            let paths: BTreeSet<String> = files.iter().map(|path| (*path).to_owned()).collect();
            WebApps::find(&paths, |_| Some(manifest.to_owned())).role_of("website/src/a.ts")
        };
        let react = "{\"dependencies\": {\"react\": \"19\"}}";
        let docusaurus = "{\"dependencies\": {\"@docusaurus/core\": \"3\"}}";
        assert_eq!(role(react, &["website/package.json", "website/src/a.ts"]), PathRole::Runtime);
        assert_eq!(role(react, &["website/package.json", "website/mkdocs.yml"]), PathRole::Docs);
        assert_eq!(role(docusaurus, &["website/package.json"]), PathRole::Docs);
        assert_eq!(role(react, &["package.json", "website/src/a.ts"]), PathRole::Docs);
    }
}
