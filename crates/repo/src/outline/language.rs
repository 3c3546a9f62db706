//! Which language a file is in: by its name, then by its first line. Knows no grammar.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// A programming language whose files can be outlined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names are the languages")]
pub enum Language {
    Rust,
    Python,
    JavaScript,
    TypeScript,
    Tsx,
    Go,
    Java,
    C,
    Cpp,
    CSharp,
    Ruby,
    Php,
    Bash,
}

/// Every language, its name, and the extensions and whole file names that mean it.
const LANGUAGES: &[(Language, &str, &[&str], &[&str])] = &[
    (Language::Rust, "rust", &["rs"], &[]),
    (Language::Python, "python", &["py", "pyi", "pyw"], &["SConstruct", "SConscript", "wscript"]),
    (Language::JavaScript, "javascript", &["js", "jsx", "mjs", "cjs"], &[]),
    (Language::TypeScript, "typescript", &["ts", "mts", "cts"], &[]),
    (Language::Tsx, "tsx", &["tsx"], &[]),
    (Language::Go, "go", &["go"], &[]),
    (Language::Java, "java", &["java"], &[]),
    (Language::C, "c", &["c", "h"], &[]),
    (Language::Cpp, "cpp", &["cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "h++", "ipp", "tpp", "inl"], &[]),
    (Language::CSharp, "csharp", &["cs", "csx"], &[]),
    (Language::Ruby, "ruby", &["rb", "rake", "gemspec", "ru"], &["Rakefile", "Gemfile", "Guardfile"]),
    (Language::Php, "php", &["php", "phtml", "php5"], &[]),
    (Language::Bash, "bash", &["sh", "bash", "ksh"], &["PKGBUILD"]),
];

/// Interpreters in a first line `#!…` with their languages; the first whose name begins the program's counts.
const INTERPRETERS: &[(&str, Language)] = &[
    ("python", Language::Python),
    ("node", Language::JavaScript),
    ("ruby", Language::Ruby),
    ("php", Language::Php),
    ("bash", Language::Bash),
    ("ksh", Language::Bash),
    ("sh", Language::Bash),
];

/// Beginnings of lines that occur in C++ headers and not in C headers.
const CPP_ONLY: &[&str] =
    &["class ", "namespace ", "template ", "template<", "using ", "public:", "private:"];

impl Language {
    /// Returns all languages, in a fixed order.
    pub fn all() -> impl Iterator<Item = Self> {
        LANGUAGES.iter().map(|row| row.0)
    }

    /// Returns the language of the file at `path` by its name alone; `None` for other files.
    ///
    /// ```
    /// use stategraph_repo::Language;
    ///
    /// assert_eq!(Language::of_path("src/app.tsx"), Some(Language::Tsx));
    /// assert_eq!(Language::of_path("README.md"), None);
    /// ```
    pub fn of_path(path: impl AsRef<Path>) -> Option<Self> {
        let path = path.as_ref();
        let ending = path.extension().and_then(|ending| ending.to_str());
        let name = path.file_name().and_then(|name| name.to_str());
        let means = |row: &&(Self, &str, &[&str], &[&str])| {
            ending.is_some_and(|ending| row.2.contains(&ending))
                || name.is_some_and(|name| row.3.contains(&name))
        };
        LANGUAGES.iter().find(means).map(|row| row.0)
    }

    /// Returns the language of the file at `path` with this text. The text decides whether a header `.h` is
    /// C++, and for a file without extension by its line `#!…`.
    pub fn of(path: impl AsRef<Path>, text: &str) -> Option<Self> {
        let path = path.as_ref();
        match Self::of_path(path) {
            Some(Self::C) if path.extension().is_some_and(|ending| ending == "h") && is_cpp(text) => {
                Some(Self::Cpp)
            }
            None if path.extension().is_none() => interpreter(text),
            known => known,
        }
    }

    /// Returns the name of the language in lower case, such as `csharp`.
    pub fn name(self) -> &'static str {
        LANGUAGES.iter().find(|row| row.0 == self).map_or("", |row| row.1)
    }
}

fn is_cpp(text: &str) -> bool {
    text.lines().any(|line| CPP_ONLY.iter().any(|start| line.trim_start().starts_with(start)))
}

fn interpreter(text: &str) -> Option<Language> {
    let line = text.lines().next()?.strip_prefix("#!")?;
    let mut words = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    let program = words.find(|word| *word != "env" && !word.starts_with('-') && !word.contains('='))?;
    INTERPRETERS.iter().find(|(name, _)| program.starts_with(name)).map(|(_, language)| *language)
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
