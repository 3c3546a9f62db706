//! Determines the role of a file (program, test, example, …) from its path, and recognizes generated files
//! by their first lines.

use crate::fact::PathRole;
use stategraph_repo::Language;

impl PathRole {
    /// Returns the role of a file (program, test, example, document, …), judged by its path alone.
    pub fn of(path: &str) -> Self {
        role_of(path)
    }
}

/// Roles of folder names at any depth.
const FOLDERS: &[(&str, PathRole)] = &[
    ("vendor", PathRole::Vendored),
    ("vendored", PathRole::Vendored),
    ("_vendor", PathRole::Vendored),
    ("third_party", PathRole::Vendored),
    ("third-party", PathRole::Vendored),
    ("thirdparty", PathRole::Vendored),
    ("node_modules", PathRole::Vendored),
    ("bower_components", PathRole::Vendored),
    ("generated", PathRole::Generated),
    ("__generated__", PathRole::Generated),
    ("generated-sources", PathRole::Generated),
    ("dist", PathRole::Generated),
    ("testdata", PathRole::Test),
    ("fixtures", PathRole::Test),
    ("__tests__", PathRole::Test),
    ("__mocks__", PathRole::Test),
    ("test", PathRole::Test),
    ("tests", PathRole::Test),
    ("e2e", PathRole::Test),
    ("Tests", PathRole::Test),
    ("UnitTests", PathRole::Test),
    ("IntegrationTests", PathRole::Test),
    ("cypress", PathRole::Test),
    ("examples", PathRole::Example),
    ("example", PathRole::Example),
    ("samples", PathRole::Example),
    ("demo", PathRole::Example),
    ("demos", PathRole::Example),
    ("benches", PathRole::Bench),
    ("benchmarks", PathRole::Bench),
];

/// Roles of folder names that count only outside of source folders; inside, they may be modules.
const OUTER: &[(&str, PathRole)] = &[
    ("vendors", PathRole::Vendored),
    ("bench", PathRole::Bench),
    ("benchmark", PathRole::Bench),
    ("sample", PathRole::Example),
    ("fuzz", PathRole::Test),
    ("regress", PathRole::Test),
    ("fuzzing", PathRole::Test),
    ("docs", PathRole::Docs),
    ("doc", PathRole::Docs),
    ("documentation", PathRole::Docs),
    ("website", PathRole::Docs),
    ("script", PathRole::Build),
    ("scripts", PathRole::Build),
    ("ci", PathRole::Build),
    ("buildsrc", PathRole::Build),
    ("sandbox", PathRole::Example),
    ("testing", PathRole::Test),
    ("cmake", PathRole::Build),
    ("m4", PathRole::Build),
    ("packaging", PathRole::Build),
    ("debian", PathRole::Build),
];

/// Source folders; the folders inside them are modules.
const SOURCE: &[&str] = &["src", "lib", "pkg", "internal", "app", "cmd", "include"];

/// Folders of a repository that contain projects.
const PROJECTS: &[&str] = &["python", "packages", "libs", "bindings", "clients", "projects"];

/// First segments of Java package names.
const DOMAINS: &[&str] = &["com", "org", "net", "io", "edu", "de", "fr", "jp", "cn", "uk", "dev"];

/// Roles of the folders below `src` of Maven and Gradle projects, besides `main`.
const SETS: &[(&str, PathRole)] = &[
    ("test", PathRole::Test),
    ("it", PathRole::Test),
    ("integrationTest", PathRole::Test),
    ("integration-test", PathRole::Test),
    ("androidTest", PathRole::Test),
    ("testFixtures", PathRole::Test),
    ("jmh", PathRole::Bench),
    ("site", PathRole::Docs),
];

/// Roles by the ends of file names.
const NAMES: &[(&str, PathRole)] = &[
    ("_test.go", PathRole::Test),
    ("_test.py", PathRole::Test),
    ("_spec.rb", PathRole::Test),
    ("_test.rb", PathRole::Test),
    (".test.ts", PathRole::Test),
    (".test.tsx", PathRole::Test),
    (".test.js", PathRole::Test),
    (".test.jsx", PathRole::Test),
    (".test.mjs", PathRole::Test),
    (".test-d.ts", PathRole::Test),
    (".tst.ts", PathRole::Test),
    ("-test.js", PathRole::Test),
    ("-test.mjs", PathRole::Test),
    ("-test.ts", PathRole::Test),
    (".spec.ts", PathRole::Test),
    (".spec.tsx", PathRole::Test),
    (".spec.js", PathRole::Test),
    ("Test.java", PathRole::Test),
    ("Tests.java", PathRole::Test),
    ("Tests.cs", PathRole::Test),
    ("Test.php", PathRole::Test),
    ("conftest.py", PathRole::Test),
    (".bats", PathRole::Test),
    ("mvnw", PathRole::Vendored),
    ("mvnw.cmd", PathRole::Vendored),
    ("gradlew", PathRole::Vendored),
    ("gradlew.bat", PathRole::Vendored),
    ("build.rs", PathRole::Build),
    ("noxfile.py", PathRole::Build),
    (".pb.go", PathRole::Generated),
    (".gen.go", PathRole::Generated),
    ("_generated.go", PathRole::Generated),
    (".pb.cc", PathRole::Generated),
    (".pb.h", PathRole::Generated),
    ("_pb2.py", PathRole::Generated),
    ("_pb2_grpc.py", PathRole::Generated),
    ("_pb2.pyi", PathRole::Generated),
    (".g.cs", PathRole::Generated),
    (".Designer.cs", PathRole::Generated),
    (".min.js", PathRole::Generated),
    (".min.css", PathRole::Generated),
];

/// File names that are known as copies of whole libraries.
const COPIES: &[&str] = &["argtable3.c", "argtable3.h", "sqlite3.c", "sqlite3.h", "sqlite3ext.h"];

/// Returns the role of a file (program, test, example, document, …), judged by its path relative to the
/// root. `Runtime` if no rule applies.
pub(crate) fn role_of(path: &str) -> PathRole {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    if let Some(role) = of_folders(folder, name) {
        return role;
    }
    let is_python_test = name.starts_with("test_") && name.ends_with(".py")
        || folder.is_empty() && matches!(name, "test.py" | "tests.py");
    let is_rust_test = matches!(name, "testing.rs" | "tests.rs");
    let named = NAMES.iter().find(|(end, _)| name.ends_with(end)).map(|(_, role)| *role);
    let is_generated = name.starts_with("zz_generated.");
    // Inside a package it is a module like others.
    let outer = folder.split('/').next().unwrap_or_default();
    let is_setup = name == "setup.py" && (folder.is_empty() || PROJECTS.contains(&outer));
    match () {
        () if is_python_test || is_rust_test => PathRole::Test,
        () if folder.is_empty() && is_numbered_example(name) => PathRole::Example,
        () if of_c(name).is_some() => of_c(name).unwrap_or(PathRole::Test),
        () if is_generated => PathRole::Generated,
        () if COPIES.contains(&name) => PathRole::Vendored,
        () if is_setup => PathRole::Build,
        () => named.unwrap_or(PathRole::Runtime),
    }
}

/// Returns true for a source file called `example.c` or `example2.c`.
fn is_numbered_example(name: &str) -> bool {
    let Some((stem, _)) = name.rsplit_once('.') else { return false };
    stem.strip_prefix("example").is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit()))
        && Language::of_path(name).is_some()
}

/// Returns true for a path inside a folder of test data; projects there are not real.
pub(crate) fn is_fixture(path: &str) -> bool {
    const FOLDERS: &[&str] = &[
        "testdata",
        "test-data",
        "test_data",
        "fixtures",
        "fixture",
        "__fixtures__",
        "test-fixtures",
        "testcases",
    ];
    path.split('/').any(|part| FOLDERS.contains(&part))
}

/// Returns the role of a C or C++ file that tests or measures, by its name: `tests.c`, `test_sell.c`,
/// `bench_sell.cc`.
fn of_c(name: &str) -> Option<PathRole> {
    let (stem, end) = name.rsplit_once('.')?;
    if !matches!(end, "c" | "cc" | "cpp" | "cxx") {
        return None;
    }
    let has = |words: &[&str]| {
        words.iter().any(|word| {
            let rest = stem.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'));
            rest || stem.strip_suffix(word).is_some_and(|rest| rest.ends_with('_'))
        })
    };
    match () {
        () if has(&["test", "tests", "unittest"]) => Some(PathRole::Test),
        () if has(&["bench", "benchmark"]) => Some(PathRole::Bench),
        () => None,
    }
}

/// Returns the role that the folders of a path determine; `None` if they determine none.
fn of_folders(folder: &str, name: &str) -> Option<PathRole> {
    let parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    let known = |table: &[(&str, PathRole)], part: &str| {
        // C# writes its folders in capitals.
        let is_same = |known: &str| {
            known == part || known.eq_ignore_ascii_case(part) && known.chars().all(|c| !c.is_uppercase())
        };
        table.iter().find(|(known, _)| is_same(known)).map(|(_, role)| *role)
    };
    let is_jvm = [".java", ".kt", ".scala", ".groovy"].iter().any(|end| name.ends_with(end));
    let mut in_source = false;
    for (at, part) in parts.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| parts[at]);
        if before == Some("src") && *part == "main" {
            // Below it the names are those of packages.
            let inner = parts[at + 1..].iter().find_map(|part| known(FOLDERS, part));
            let is_example = || is_jvm && is_example_package(&parts[at + 1..]);
            return inner
                .filter(|role| matches!(role, PathRole::Generated))
                .or_else(|| is_example().then_some(PathRole::Example));
        }
        if let Some(role) = known(SETS, part).filter(|_| before == Some("src")) {
            return Some(role);
        }
        let is_package = is_jvm && in_source && !parts.contains(&"src");
        // Below a domain a package may be called like a folder of examples.
        let is_named = |role: PathRole| {
            let is_below = is_jvm && parts[..at].iter().any(|part| DOMAINS.contains(part));
            role == PathRole::Example && is_below && !is_example_package(&parts)
        };
        if let Some(role) = known(FOLDERS, part).filter(|role| !is_package && !is_named(*role)) {
            return Some(role);
        }
        // In a workspace of Rust `doc` may be a module.
        let is_module = name.ends_with(".rs") && parts.contains(&"crates") && matches!(*part, "doc" | "docs");
        if let Some(role) = known(OUTER, part).filter(|role| !in_source && !is_module && !is_named(*role)) {
            return Some(role);
        }
        let is_ruby_or_script = [".rb", ".js", ".ts", ".tsx"].iter().any(|end| name.ends_with(end));
        let is_cucumber = *part == "features" && name.ends_with(".rb");
        if (*part == "spec" && is_ruby_or_script || is_cucumber) && !in_source {
            return Some(PathRole::Test);
        }
        // Go builds no folder whose name begins with a line.
        if let Some(rest) = part.strip_prefix('_').filter(|_| name.ends_with(".go") || name == "go.mod") {
            return Some(of_hidden(rest));
        }
        if let Some(rest) = part.strip_prefix('_').filter(|rest| rest.starts_with("example")) {
            return Some(of_hidden(rest));
        }
        let is_dotnet = name.ends_with(".cs") || name.ends_with(".csproj");
        if is_dotnet && part.ends_with("Tests") {
            return Some(PathRole::Test);
        }
        if part.ends_with(".Tests") || part.ends_with(".Test") || part.ends_with(".UnitTests") {
            return Some(PathRole::Test);
        }
        let is_tests = part.ends_with("-tests") || part.ends_with("_tests");
        // Further in, `test_utils` may be a module.
        let is_outer_test =
            at == 0 && (part.starts_with("test_") || part.starts_with("test-")) && !name.ends_with(".go");
        if is_tests || is_outer_test || matches!(*part, "integration-test" | "android-test") {
            return Some(PathRole::Test);
        }
        let is_example = ["-example", "-examples", "-samples"].iter().any(|end| part.ends_with(end));
        if is_example && !in_source {
            return Some(PathRole::Example);
        }
        // A compiled library of Apple with its headers.
        if part.ends_with(".framework") || part.ends_with(".xcframework") {
            return Some(PathRole::Vendored);
        }
        if part.ends_with(".Benchmarks") || part.ends_with(".PerformanceTests") {
            return Some(PathRole::Bench);
        }
        in_source = in_source || SOURCE.contains(part);
    }
    None
}

/// Returns true if the folders are a Java package of examples, as `org.x.examples`. Directly after a domain
/// (`org.example`) such a word is part of a name.
fn is_example_package(parts: &[&str]) -> bool {
    let Some(domain) = parts.iter().position(|part| DOMAINS.contains(part)) else {
        return parts.last().is_some_and(|last| EXAMPLES.contains(last));
    };
    let inner = parts.get(domain + 2..).unwrap_or_default();
    let is_own_name = parts.get(domain + 1).is_some_and(|name| EXAMPLES.contains(name));
    let is_last = inner.last().is_some_and(|last| EXAMPLES.contains(last));
    !is_own_name && (is_last || inner.iter().any(|part| matches!(*part, "examples" | "example")))
}

/// Names of folders with examples.
const EXAMPLES: &[&str] = &["examples", "example", "samples", "sample", "demo", "demos"];

/// Returns the role of a folder whose name begins with `_`, by the rest of its name.
fn of_hidden(rest: &str) -> PathRole {
    match () {
        () if rest.starts_with("example") || rest.starts_with("sample") => PathRole::Example,
        () if rest.starts_with("test") => PathRole::Test,
        () if rest.starts_with("bench") => PathRole::Bench,
        () => PathRole::Build,
    }
}

/// Phrases, in lower case, in the first lines of generated files.
const GENERATED_MARKS: &[&str] = &[
    "@generated",
    "<auto-generated",
    "automatically generated",
    "autogenerated file",
    "auto-generated file",
    "auto generated by",
    "this file is generated",
    "this file is auto-generated",
    "this file is automatically generated",
    "this file was generated",
    "generated by the protocol buffer compiler",
    "made by gnu bison",
    "generated by gradle",
    "scanner generated by flex",
    "a lexical scanner generated by",
];

/// Returns the line, from 1, among the first 20 in which a file says that it is generated; `None` if none
/// does.
pub fn generated_line(text: &str) -> Option<usize> {
    const LINES: usize = 20;
    let mut is_head = true;
    text.lines()
        .take(LINES)
        .position(|line| {
            let bare = line.trim_start();
            let is_comment = ["//", "#", "/*", "*", "--", ";", "<!--", "%", "dnl", "\"\"\""]
                .iter()
                .any(|start| bare.starts_with(start));
            let lower = if is_comment && line.len() < 400 { line.to_lowercase() } else { String::new() };
            let is_go = lower.contains("code generated") && lower.contains("do not edit");
            // Behind the head a comment may tell that a value is generated by something.
            is_head = is_head
                && (is_comment || bare.is_empty() || bare.starts_with("<!") || bare.starts_with("<?"));
            let is_doc = bare.starts_with("///") || bare.starts_with("/**") && bare.len() > 3;
            let words = lower.trim_start_matches(|c: char| !c.is_alphanumeric());
            let is_made = is_head && !is_doc && words.starts_with("generated by ");
            is_go || is_made || GENERATED_MARKS.iter().any(|mark| lower.contains(mark))
        })
        .map(|at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_have_the_use_that_their_ecosystems_give_them() {
        for (path, role) in [
            ("src/main.rs", PathRole::Runtime),
            ("src/latest.go", PathRole::Runtime),
            ("a/b_test.go", PathRole::Test),
            ("tests/it/a.rs", PathRole::Test),
            ("pkg/test_a.py", PathRole::Test),
            ("_examples/rest/main.go", PathRole::Example),
            ("_examples/rest/README.md", PathRole::Example),
            ("_tools/gen.go", PathRole::Build),
            ("_includes/head.html", PathRole::Runtime),
            ("benches/a.rs", PathRole::Bench),
            ("build.rs", PathRole::Build),
            ("setup.py", PathRole::Build),
            ("test.py", PathRole::Test),
            ("shop/test.py", PathRole::Runtime),
            ("example2.c", PathRole::Example),
            ("example.md", PathRole::Runtime),
            ("packages/a/setup.py", PathRole::Build),
            ("shop/commands/setup.py", PathRole::Runtime),
            ("vendors/x/a.go", PathRole::Vendored),
            ("src/pages/vendors/a.ts", PathRole::Runtime),
            ("core/src/main/java/org/example/samples/Kit.java", PathRole::Runtime),
            ("core/org/example/samples/Kit.java", PathRole::Runtime),
            ("samples/src/main/java/org/example/Kit.java", PathRole::Example),
            ("src/main/java/org/x/examples/Kit.java", PathRole::Example),
            ("src/main/java/org/x/examples/a/Kit.java", PathRole::Example),
            ("src/main/java/org/x/demo/Kit.java", PathRole::Example),
            ("src/main/java/org/x/samples/shop/Kit.java", PathRole::Runtime),
            ("src/main/java/com/example/demo/Kit.java", PathRole::Runtime),
            ("src/demo/main.ts", PathRole::Example),
            ("mvnw", PathRole::Vendored),
            ("integration-tests/a.ts", PathRole::Test),
            ("buildSrc/build.gradle", PathRole::Build),
            ("src/tests_sell.c", PathRole::Test),
            ("src/sell_test.cc", PathRole::Test),
            ("src/bench.c", PathRole::Bench),
            ("src/contest.c", PathRole::Runtime),
            ("src/testrand.c", PathRole::Runtime),
            ("Examples/A.cs", PathRole::Example),
            ("ShopTests/ShopTests.csproj", PathRole::Test),
            ("Documentation/A.cs", PathRole::Docs),
            ("shop-example/src/main/java/com/a/A.java", PathRole::Example),
            ("integ_tests/a.py", PathRole::Test),
            ("test_node/a.js", PathRole::Test),
            ("test-types/a.tst.ts", PathRole::Test),
            ("macosx/Shop.framework/Headers/Shop.h", PathRole::Vendored),
            ("shop/test_utils/a.py", PathRole::Runtime),
            ("src/cart-test.js", PathRole::Test),
            ("vendor/x/test/a.go", PathRole::Vendored),
            ("docs/conf.py", PathRole::Docs),
            ("internal/doc/doc.go", PathRole::Runtime),
            ("crates/core/flags/doc/man.rs", PathRole::Runtime),
            ("crates/core/docs/a.md", PathRole::Docs),
            ("src/scripts/run.ts", PathRole::Runtime),
            ("core/src/main/java/org/example/test/Kit.java", PathRole::Runtime),
            ("core/src/test/java/org/example/A.java", PathRole::Test),
            ("src/jmh/java/A.java", PathRole::Bench),
            ("spec/a_spec.rb", PathRole::Test),
            ("features/support/env.rb", PathRole::Test),
            ("src/testing.rs", PathRole::Test),
            ("spec/openapi.go", PathRole::Runtime),
            ("api/v1/a.pb.go", PathRole::Generated),
            ("a/zz_generated.deepcopy.go", PathRole::Generated),
            ("src/Form.Designer.cs", PathRole::Generated),
            ("test/Serilog.Tests/Core/A.cs", PathRole::Test),
            ("web/app.min.js", PathRole::Generated),
            ("lib/argtable3.c", PathRole::Vendored),
            ("src/sqlite3.h", PathRole::Vendored),
            ("src/db_sqlite3.c", PathRole::Runtime),
        ] {
            assert_eq!(role_of(path), role, "{path}");
        }
    }

    #[test]
    fn projects_of_fixtures_are_made_up() {
        assert!(is_fixture("testdata/shop") && is_fixture("tests/fixtures"));
        assert!(!is_fixture("tests/shop") && !is_fixture("src/testdata.rs"));
    }

    #[test]
    fn a_generated_file_says_so_in_a_comment_at_its_top() {
        assert_eq!(generated_line("package a\n\n// Code generated by x. DO NOT EDIT.\n"), Some(3));
        assert_eq!(generated_line("# @generated\n"), Some(1));
        assert_eq!(generated_line("let x = \"this file is generated\";\n"), None);
        assert_eq!(generated_line("// Prints code generated by the user.\n"), None);
        assert_eq!(generated_line("<!DOCTYPE html>\n<!-- Generated by pandoc -->\n"), Some(2));
        assert_eq!(generated_line("/*\n * Generated by gengetopt\n */\n"), Some(2));
        assert_eq!(generated_line("use x;\n// Generated by the server.\n"), None);
        assert_eq!(generated_line("/// Generated by the server.\nstruct Key;\n"), None);
    }
}
