//! What the facts of large trees cost. `trees 2000` makes a tree of 2,000 source files of five languages, `trees 200000` one of 200,000 files,
//! a tenth of them code; `trees FOLDER` takes a folder. Prints seconds and memory, cold, then from the cache.
//! `cargo bench -p stategraph-facts --bench trees -- 2000`

#![allow(clippy::print_stdout, reason = "a bench says what it measured")]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use stategraph_facts::{Facts, FactsCache};
use stategraph_repo::{CodeBase, Root};

/// Files of one folder.
const FOLDER: usize = 100;

fn main() {
    let given = std::env::args().skip(1).find(|word| !word.starts_with("--"));
    let home = tempfile::tempdir().expect("a temporary folder");
    let folder = match given.as_deref().map(|word| (word, word.parse::<usize>())) {
        Some((_, Ok(files))) => grow(home.path(), files),
        Some((folder, Err(_))) => PathBuf::from(folder),
        None => grow(home.path(), 2_000),
    };
    let cache = FactsCache::at(home.path().join("cache"));
    for run in ["cold", "warm"] {
        let root = Root::open(&folder).expect("the folder exists");
        let began = Instant::now();
        let facts = Facts::collect_cached(&CodeBase::new(Arc::new(root)), &cache);
        let (took, coverage) = (began.elapsed(), facts.coverage());
        println!(
            "{run}: {} files, {} of {} of code parsed, {} facts, {:.2} s, {} MB at most",
            coverage.walked,
            coverage.parsed,
            coverage.code,
            facts.iter().count(),
            took.as_secs_f64(),
            peak_megabytes()
        );
    }
}

/// Makes a tree. Up to 10,000 files all are code, in more a tenth is; the rest is documents, data and pictures.
fn grow(home: &Path, files: usize) -> PathBuf {
    let root = home.join("tree");
    let code_every = if files > 10_000 { 10 } else { 1 };
    for number in 0..files {
        let package = root.join(format!("packages/group{}/part{}", number / FOLDER / 50, number / FOLDER));
        if number % FOLDER == 0 {
            fs::create_dir_all(package.join("src")).expect("a folder");
            let about = format!("# Part {number}\n\nPart {number} of a tree that is made for measuring.\n");
            fs::write(package.join("README.md"), about).expect("a file");
            let manifest = format!("[package]\nname = \"part{}\"\nversion = \"0.1.0\"\n", number / FOLDER);
            fs::write(package.join("Cargo.toml"), manifest).expect("a file");
        }
        let (name, text) = if number % code_every == 0 { code(number, code_every) } else { other(number) };
        fs::write(package.join(name), text).expect("a file");
    }
    root
}

/// A definition with `{BODY}` where its statements stand; `{N}` is the number of the file, `{A}` that of the definition, `{M}` that of another file.
struct DefinitionTemplate {
    ending: &'static str,
    head: &'static str,
    item: &'static str,
    statement: &'static str,
}

const FORMS: [DefinitionTemplate; 5] = [
    DefinitionTemplate {
        ending: "rs",
        head: "//! Part {N} of the tree.\n\nuse crate::file{M}::Thing0;\n\n",
        item: "/// A thing with a number.\npub struct Thing{A} { pub name: String, other: Option<Box<Thing0>> }\n\nimpl Thing{A} {\n    /// Returns the name.\n    pub fn name(&self, given: &str) -> String {\n        let mut found = self.name.to_lowercase();\n{BODY}        found\n    }\n}\n\n",
        statement: "        if found == given { found = format!(\"{found}-{}\", self.name.len() + {A}); }\n",
    },
    DefinitionTemplate {
        ending: "py",
        head: "\"\"\"Part {N} of the tree.\"\"\"\nfrom . import file{M}\nimport os\n\n",
        item: "class Thing{A}:\n    \"\"\"A thing with a number.\"\"\"\n\n    def name(self, given):\n        \"\"\"Returns the name.\"\"\"\n        found = given\n{BODY}        return found\n\n",
        statement: "        found = [part for part in os.path.join(found, \"{A}\").split(\"/\") if part != self.name][0]\n",
    },
    DefinitionTemplate {
        ending: "ts",
        head: "import { Thing0 } from './file{M}';\n\n",
        item: "/** A thing with a number. */\nexport class Thing{A} {\n  private names: Map<string, Thing0> = new Map();\n  name(given: string): string {\n    let found = given;\n{BODY}    return found;\n  }\n}\n\n",
        statement: "    found = `${given}-${this.names.has(found) ? found.length + {A} : 0}`;\n",
    },
    DefinitionTemplate {
        ending: "go",
        head: "package part\n\nimport \"fmt\"\n\n",
        item: "// Thing{N}x{A} is a thing with a number.\ntype Thing{N}x{A} struct {\n\tName string\n}\n\n// NameOf returns the name.\nfunc (t *Thing{N}x{A}) NameOf(given string) (string, error) {\n{BODY}\treturn t.Name + given, nil\n}\n\n",
        statement: "\tif given == t.Name {\n\t\treturn \"\", fmt.Errorf(\"name %d is taken\", {A})\n\t}\n",
    },
    DefinitionTemplate {
        ending: "c",
        head: "#include \"file{M}.h\"\n#include <stdio.h>\n\n",
        item: "/* A thing with a number. */\nstruct thing{A} { int number; const char *name; };\n\n/* Returns the number. */\nint number_of_{N}_{A}(struct thing{A} *thing, int given) {\n{BODY}    return thing->number * given;\n}\n\n",
        statement: "    if (given > {A}) { printf(\"%s\\n\", thing->name); given = given - thing->number; }\n",
    },
];

/// Returns a source file of about 15 kB with five types that needs another file.
fn code(number: usize, every: usize) -> (String, String) {
    let form = number / every % FORMS.len();
    let DefinitionTemplate { ending, head, item, statement } = &FORMS[form];
    let first = number / FOLDER * FOLDER + form * every;
    let mut text = head.replace("{M}", &first.to_string());
    for at in 0..5 {
        let body = statement.repeat(2_700 / statement.len());
        text.push_str(&item.replace("{BODY}", &body).replace("{A}", &at.to_string()));
    }
    (format!("src/file{number}.{ending}"), text.replace("{N}", &number.to_string()))
}

/// Returns a document, data or a picture.
fn other(number: usize) -> (String, String) {
    let mut text = String::new();
    for line in 0..20 {
        let _ = writeln!(text, "line {line} of file {number}");
    }
    match number % 5 {
        0 => (format!("page{number}.md"), format!("# Page {number}\n\n{text}")),
        1 => (format!("data{number}.json"), format!("{{\"number\": {number}}}\n")),
        2 => (format!("picture{number}.svg"), format!("<svg><!-- {text} --></svg>\n")),
        3 => (format!("table{number}.csv"), text),
        _ => (format!("notes{number}.txt"), text),
    }
}

fn peak_megabytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|kilobytes| kilobytes.parse::<u64>().ok()).unwrap_or(0) / 1024
}
