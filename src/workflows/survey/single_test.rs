//! The command for one test, by the conventions of the test runner that the project uses, and the test that it runs.

use stategraph_base::quote_for_shell;

use super::Survey;
use crate::facts::{Fact, FactKind, FactValue, PathRole, SourceLines, ToolPurpose};
use crate::repo::{FileOutline, Language, ProjectType, SymbolInfo};

/// Maximum of test files that are looked at for an example.
const TRIED: usize = 12;

/// Maximum of source files in which a test is looked for.
const BESIDE: usize = 40;

/// A test, or a test file, of the project that the example command runs.
struct SampleTest {
    path: String,
    /// The path below the folder of the project.
    inner: String,
    class: Option<String>,
    name: String,
    /// Its lines; the first line of a test file.
    lines: (usize, usize),
    /// The inner project with the test, in a workspace of Rust.
    package: Option<String>,
}

/// A command that runs one test, or one file of tests.
pub(crate) struct SingleTest {
    /// The command, to be run in the folder of the project.
    pub(crate) command: String,
    /// The test command with a pattern of files that it was made of; `None` if it follows a convention.
    pub(crate) pattern_of: Option<String>,
    /// True if it runs all tests of a file.
    pub(crate) is_of_file: bool,
    /// Lines of the test, the first line of its file, or the place of the test command with the pattern.
    pub(crate) source: SourceLines,
}

/// Returns a command that runs one test or one test file of the project in `folder`; `tests` are its test
/// commands. `None` if the runner or a test is not known.
pub(crate) fn of_project(survey: &Survey, folder: &str, tests: &[&Fact]) -> Option<SingleTest> {
    by_convention(survey, folder, tests).or_else(|| of_pattern(survey, folder, tests))
}

/// Returns a command for one test file, made from a test command with a file pattern: `cram tests/*.t` →
/// `cram tests/a.t`.
fn of_pattern(survey: &Survey, folder: &str, tests: &[&Fact]) -> Option<SingleTest> {
    tests.iter().find_map(|fact| {
        let FactValue::Command { command, folder: within, runs, .. } = &fact.value else { return None };
        if within != folder {
            return None;
        }
        let is_plain = |line: &&String| !line.contains(['|', '&', ';', '$', '>', '`', '(']);
        // Behind `cd` a pattern is one of another folder.
        let here = |line: &String| -> Vec<String> {
            let parts = line.split("&&").map(str::trim);
            parts.take_while(|part| !part.starts_with("cd ")).map(str::to_owned).collect()
        };
        let parts: Vec<String> = runs.iter().chain([command]).flat_map(here).collect();
        // Other steps of a script have patterns too.
        let is_runner = |line: &&String| {
            let mut words = line.split_whitespace().filter(|word| !RUNNERS.contains(word));
            let first = words.next().unwrap_or_default();
            !["eslint", "prettier", "xo", "standard", "tsc", "rm", "cp", "rimraf"].contains(&first)
        };
        // The first lines of a script prepare the tests.
        parts.iter().rev().filter(is_plain).filter(is_runner).find_map(|line| {
            let pattern =
                line.split_whitespace().find(|word| word.matches('*').count() == 1 && word.contains('/'))?;
            let bare = pattern.trim_matches(['\'', '"']);
            let (start, end) = bare.trim_start_matches("./").split_once('*')?;
            let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
            let path = survey.files_below(folder).find_map(|path| {
                let inner = path[prefix.len()..].strip_prefix(start)?.strip_suffix(end)?;
                (!inner.contains('/') && !inner.is_empty()).then_some(path)
            })?;
            let file = format!("{start}{}", &path[prefix.len() + start.len()..]);
            let is_script = fact.sources.first().is_some_and(|source| source.path.ends_with("package.json"));
            let program = if is_script && is_of_package(line)? { "npx " } else { "" };
            Some(SingleTest {
                command: format!("{program}{}", line.replacen(pattern, &quote_for_shell(file.as_ref()), 1)),
                pattern_of: Some(command.clone()),
                is_of_file: true,
                source: fact.sources.first()?.clone(),
            })
        })
    })
}

/// Words that may precede the program in a command of an npm script.
const RUNNERS: &[&str] = &["npx", "bunx", "pnpx", "npm", "pnpm", "yarn", "exec", "run", "dlx", "--"];

/// Returns true if the program of a command comes from an npm package, so that a shell needs `npx` to find
/// it. `None` for a command that begins with a variable: `npx` does not take one.
fn is_of_package(line: &str) -> Option<bool> {
    const SYSTEM: &[&str] = &["node", "deno", "bun", "sh", "bash", "env", "make", "python", "python3"];
    let first = line.split_whitespace().next().filter(|first| !first.contains('='))?;
    Some(!RUNNERS.contains(&first) && !SYSTEM.contains(&first) && !first.contains('/'))
}

fn by_convention(survey: &Survey, folder: &str, tests: &[&Fact]) -> Option<SingleTest> {
    let runner = TestRunner::of(survey, folder, tests)?;
    let sample = sample(survey, folder, runner)?;
    let command = runner.command(survey, &sample);
    let source = SourceLines { path: sample.path, start: sample.lines.0, end: sample.lines.1 };
    // A test without a name is a file.
    Some(SingleTest { command, pattern_of: None, is_of_file: sample.name.is_empty(), source })
}

/// A test runner whose command for one test is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TestRunner {
    Cargo,
    Go,
    Pytest,
    Vitest,
    Jest,
    Ava,
    Mocha,
    Maven,
    Gradle,
    Phpunit,
    Rspec,
    Dotnet,
}

impl TestRunner {
    /// Returns the runner of a project: that of its ecosystem (Rust, Go, Maven, Gradle, .NET), else a runner
    /// in its test commands or test tools.
    fn of(survey: &Survey, folder: &str, tests: &[&Fact]) -> Option<Self> {
        let mut words = String::new();
        for fact in tests {
            if let FactValue::Command { command, runs, .. } = &fact.value {
                words.extend([format!("{command} {} ", runs.join(" "))]);
            }
        }
        for fact in survey.of_product(FactKind::Tool).filter(|fact| fact.subject.path() == folder) {
            if let FactValue::Tool { purpose: ToolPurpose::Tests, name } = &fact.value {
                words.extend([format!("{name} ")]);
            }
        }
        let has = |name: &str| {
            words.split(|c: char| c.is_whitespace() || matches!(c, '/' | ':')).any(|word| word == name)
        };
        let named = [
            ("pytest", Self::Pytest),
            ("py.test", Self::Pytest),
            ("vitest", Self::Vitest),
            ("jest", Self::Jest),
            ("ava", Self::Ava),
            ("mocha", Self::Mocha),
            ("phpunit", Self::Phpunit),
            ("rspec", Self::Rspec),
        ];
        let by_ecosystem =
            survey.projects().iter().find(|(inner, _)| *inner == folder).and_then(|(_, fact)| {
                match &fact.value {
                    FactValue::Project { ecosystem: ProjectType::Rust, .. } => Some(Self::Cargo),
                    FactValue::Project { ecosystem: ProjectType::Go, .. } => Some(Self::Go),
                    FactValue::Project { ecosystem: ProjectType::Maven, .. } => Some(Self::Maven),
                    FactValue::Project { ecosystem: ProjectType::Gradle, .. } => Some(Self::Gradle),
                    FactValue::Project { ecosystem: ProjectType::Dotnet, .. } => Some(Self::Dotnet),
                    _ => None,
                }
            });
        by_ecosystem.or_else(|| named.iter().find(|(name, _)| has(name)).map(|(_, runner)| *runner))
    }

    fn fits(self, language: Language) -> bool {
        match self {
            Self::Cargo => language == Language::Rust,
            Self::Go => language == Language::Go,
            Self::Pytest => language == Language::Python,
            Self::Vitest | Self::Jest | Self::Ava | Self::Mocha => {
                matches!(language, Language::TypeScript | Language::Tsx | Language::JavaScript)
            }
            Self::Maven | Self::Gradle => language == Language::Java,
            Self::Phpunit => language == Language::Php,
            Self::Rspec => language == Language::Ruby,
            Self::Dotnet => language == Language::CSharp,
        }
    }

    /// Returns true for a runner whose command names a test file, not a single test.
    fn takes_files(self) -> bool {
        matches!(self, Self::Vitest | Self::Jest | Self::Ava | Self::Mocha | Self::Rspec)
    }

    fn command(self, survey: &Survey, sample: &SampleTest) -> String {
        let SampleTest { inner, class, name, .. } = sample;
        let method = |separator: &str| {
            class.as_ref().map_or_else(|| name.clone(), |class| format!("{class}{separator}{name}"))
        };
        match self {
            Self::Cargo => match &sample.package {
                Some(package) => format!("cargo test -p {package} {name}"),
                None => format!("cargo test {name}"),
            },
            Self::Go => {
                let folder =
                    inner.rsplit_once('/').map_or(".".to_owned(), |(folder, _)| format!("./{folder}"));
                format!("go test {folder} -run '^{name}$'")
            }
            Self::Pytest => format!("pytest {inner}::{}", method("::")),
            Self::Vitest => format!("npx vitest run {inner}"),
            Self::Jest => format!("npx jest {inner}"),
            Self::Ava => format!("npx ava {inner}"),
            Self::Mocha => format!("npx mocha {inner}"),
            Self::Maven => {
                // The other modules have no such test, and fail.
                let module = survey.files.iter().filter_map(|path| path.strip_suffix("/pom.xml"));
                let module = module
                    .filter(|folder| sample.path.starts_with(&format!("{folder}/")))
                    .max_by_key(|it| it.len());
                let module = module.map(|folder| format!(" -pl {folder}")).unwrap_or_default();
                format!("{}{module} test -Dtest={}", wrapper(survey, "mvnw", "mvn"), method("#"))
            }
            Self::Gradle => {
                format!("{} test --tests '*{}'", wrapper(survey, "gradlew", "gradle"), method("."))
            }
            Self::Phpunit => format!("vendor/bin/phpunit --filter '/::{name}$/' {inner}"),
            Self::Rspec => format!("bundle exec rspec {inner}"),
            Self::Dotnet => format!("dotnet test --filter FullyQualifiedName~{}", method(".")),
        }
    }
}

/// Returns `./wrapper` if the root of the repository has that script (`mvnw`), else `program` (`mvn`).
fn wrapper(survey: &Survey, wrapper: &str, program: &str) -> String {
    if survey.files.iter().any(|path| path == wrapper) { format!("./{wrapper}") } else { program.to_owned() }
}

/// Finds a test of the project for the example command; its name and path need no quoting in a shell. Test
/// files come first, for Rust then source files.
fn sample(survey: &Survey, folder: &str, runner: TestRunner) -> Option<SampleTest> {
    let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    let is_plain =
        |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-'));
    // A file with a dash in front would be an option of the runner.
    let is_operand = |path: &str| is_plain(path) && !path[prefix.len()..].starts_with('-');
    let fits = |path: &&String| {
        PathRole::of(path) == PathRole::Test
            && Language::of_path(path.as_str()).is_some_and(|language| runner.fits(language))
            && is_operand(path)
            && !path.ends_with("conftest.py")
            && !path.to_lowercase().contains("bench")
    };
    // Tests of Rust also stand in the files that they test.
    let beside = survey.central.iter().map(|file| &file.path).filter(|path| {
        runner == TestRunner::Cargo
            && path.starts_with(&prefix)
            && Language::of_path(path.as_str()) == Some(Language::Rust)
            && is_operand(path)
    });
    let mut tried = survey.files_below(folder).filter(fits).take(TRIED).chain(beside.take(BESIDE));
    tried
        .find_map(|path| {
            let outline = survey.code.get_outline(path)?;
            if runner == TestRunner::Cargo && is_conditional(survey, path) {
                return None;
            }
            // The tests of such a class have other names.
            let is_parameterized = |path: &str| {
                survey.code.text(path).is_ok_and(|(_, text)| text.contains("@RunWith(Parameterized"))
            };
            if matches!(runner, TestRunner::Maven | TestRunner::Gradle) && is_parameterized(path) {
                return None;
            }
            let (class, symbol) = first_test(&outline, runner)?;
            let is_safe = is_plain(&symbol.name) && class.as_deref().is_none_or(is_plain);
            is_safe.then(|| SampleTest {
                path: path.clone(),
                inner: path[prefix.len()..].to_owned(),
                class,
                name: symbol.name.clone(),
                lines: (symbol.line, symbol.line_end),
                package: package_of(survey, folder, path).filter(|name| is_plain(name)),
            })
        })
        .or_else(|| file_sample(survey, folder, runner, &fits, &prefix))
}

/// Returns true for a Rust file with an attribute `#![cfg(…)]`: its tests may need a feature.
fn is_conditional(survey: &Survey, path: &str) -> bool {
    survey.code.text(path).is_ok_and(|(_, text)| text.lines().any(|line| line.starts_with("#![cfg(")))
}

/// Returns the name of the innermost project that contains a file; `None` if that is the project in `folder`
/// or has no name.
fn package_of(survey: &Survey, folder: &str, path: &str) -> Option<String> {
    let projects = survey.projects();
    let around = projects
        .iter()
        .filter(|(inner, _)| path.strip_prefix(*inner).is_some_and(|rest| rest.starts_with('/')));
    // The last of the longest is taken: of the projects of one folder the main one.
    let (inner, fact) = around.rev().max_by_key(|(inner, _)| inner.len())?;
    match &fact.value {
        FactValue::Project { name: Some(name), .. } if *inner != folder && !inner.is_empty() => {
            Some(name.clone())
        }
        _ => None,
    }
}

/// Finds a test file for a runner that takes files, first by its name (`.test.`, `.spec.`), then in `test/`
/// or `tests/`; `None` for other runners.
fn file_sample(
    survey: &Survey,
    folder: &str,
    runner: TestRunner,
    fits: &dyn Fn(&&String) -> bool,
    prefix: &str,
) -> Option<SampleTest> {
    let name_of = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    let is_named = |path: &&String| {
        let name = name_of(path);
        name.contains(".test.") || name.contains(".spec.") || name.ends_with("_spec.rb")
    };
    // These run all files of the folder.
    let is_in_folder = |path: &&String| {
        matches!(runner, TestRunner::Ava | TestRunner::Mocha)
            && ["test/", "tests/"].iter().any(|folder| {
                path[prefix.len()..].strip_prefix(folder).is_some_and(|rest| !rest.contains('/'))
            })
    };
    let is_test = |path: &&String| {
        let name = name_of(path);
        let is_other = name.starts_with('_') || name.contains("helper") || name.ends_with(".d.ts");
        let text = || survey.code.text(path).map(|(_, text)| text);
        !is_other && (runner == TestRunner::Rspec || text().is_ok_and(|text| has_test(&text)))
    };
    let fitting = || survey.files_below(folder).filter(|_| runner.takes_files()).filter(fits);
    // Measurements and slow tests are run apart from the others.
    let is_usual =
        |path: &&String| !path.split('/').any(|part| matches!(part, "perf" | "bench" | "benchmarks"));
    let named = fitting().filter(is_named).filter(is_usual).take(TRIED).find(is_test);
    let path = named.or_else(|| fitting().filter(is_in_folder).take(TRIED).find(is_test))?;
    Some(SampleTest {
        path: path.clone(),
        inner: path[prefix.len()..].to_owned(),
        class: None,
        name: String::new(),
        lines: (1, 1),
        package: None,
    })
}

/// Returns true if a JavaScript text calls a function that defines tests, such as `it(` or `describe(`.
fn has_test(text: &str) -> bool {
    ["test(", "it(", "describe(", "suite(", "test.serial("].iter().any(|call| {
        text.match_indices(call).any(|(at, _)| {
            !text[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.'))
        })
    })
}

/// Returns the first test of a file and the name of the class around it; `None` without a test and for
/// runners that take files.
fn first_test(outline: &FileOutline, runner: TestRunner) -> Option<(Option<String>, &SymbolInfo)> {
    if runner.takes_files() {
        return None;
    }
    let is_test = |symbol: &SymbolInfo| {
        let marked = symbol.decorators.iter().any(|mark| {
            ["test]", "@Test", "[Fact", "[Test", "[Theory", "@ParameterizedTest", "::test(", "#[Test]"]
                .iter()
                .any(|known| mark.contains(known))
        });
        let named = match runner {
            TestRunner::Go => {
                symbol.name.starts_with("Test") && symbol.name.len() > 4 && symbol.name != "TestMain"
            }
            TestRunner::Pytest => symbol.name.starts_with("test_"),
            TestRunner::Phpunit => symbol.name.starts_with("test"),
            _ => false,
        };
        let is_off = symbol.decorators.iter().any(|mark| {
            let lower = mark.to_lowercase();
            ["ignore", "disabled", "skip"].iter().any(|word| lower.contains(word))
        });
        // The filter of Cargo is a part of a name.
        let is_filter = runner != TestRunner::Cargo || symbol.name != "test";
        symbol.kind.is_callable() && (marked || named) && !is_off && is_filter
    };
    outline.walk().find(|(_, symbol)| is_test(symbol)).map(|(around, symbol)| {
        let class = around.last().map(|class| (*class).to_owned());
        (class.filter(|_| runner != TestRunner::Cargo), symbol)
    })
}
