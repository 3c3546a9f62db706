//! The tools that a project is developed with, from their configuration files and from tables of manifests. A tool of
//! development that is only needed comes last.

use std::collections::BTreeSet;

use stategraph_repo::{ProjectMetadata, Scope};

use crate::collect::Texts;
use crate::fact::ToolPurpose::{self, Build, Docs, Formatter, Generator, Hooks, Linter, Tests, Types};
use crate::fact::{Fact, FactOrigin, FactSubject, FactValue, PathRole, SourceLines};
use crate::projects::{folder_of, joined, needed};
use crate::role::role_of;

/// Most folders that are looked at.
const FOLDERS: usize = 64;

/// Configuration files with their tools. Hidden ones are not walked and are asked for by name.
const FILES: &[(&str, ToolPurpose, &str)] = &[
    ("rustfmt.toml", Formatter, "rustfmt"),
    (".rustfmt.toml", Formatter, "rustfmt"),
    ("clippy.toml", Linter, "clippy"),
    (".clippy.toml", Linter, "clippy"),
    ("deny.toml", Linter, "cargo-deny"),
    (".config/nextest.toml", Tests, "nextest"),
    ("tarpaulin.toml", Tests, "tarpaulin"),
    ("ruff.toml", Linter, "ruff"),
    (".ruff.toml", Linter, "ruff"),
    (".flake8", Linter, "flake8"),
    (".pylintrc", Linter, "pylint"),
    ("pylintrc", Linter, "pylint"),
    ("mypy.ini", Types, "mypy"),
    (".mypy.ini", Types, "mypy"),
    ("pyrightconfig.json", Types, "pyright"),
    ("pytest.ini", Tests, "pytest"),
    ("tox.ini", Tests, "tox"),
    ("tox.toml", Tests, "tox"),
    ("noxfile.py", Tests, "nox"),
    (".coveragerc", Tests, "coverage"),
    (".eslintrc", Linter, "eslint"),
    (".eslintrc.js", Linter, "eslint"),
    (".eslintrc.cjs", Linter, "eslint"),
    (".eslintrc.json", Linter, "eslint"),
    (".eslintrc.yml", Linter, "eslint"),
    (".eslintrc.yaml", Linter, "eslint"),
    ("eslint.config.js", Linter, "eslint"),
    ("eslint.config.mjs", Linter, "eslint"),
    ("eslint.config.cjs", Linter, "eslint"),
    ("eslint.config.ts", Linter, "eslint"),
    (".jshintrc", Linter, "jshint"),
    (".oxlintrc.json", Linter, "oxlint"),
    ("biome.json", Linter, "biome"),
    ("biome.jsonc", Linter, "biome"),
    ("deno.json", Build, "deno"),
    ("deno.jsonc", Build, "deno"),
    (".prettierrc", Formatter, "prettier"),
    (".prettierrc.json", Formatter, "prettier"),
    (".prettierrc.js", Formatter, "prettier"),
    (".prettierrc.cjs", Formatter, "prettier"),
    (".prettierrc.mjs", Formatter, "prettier"),
    (".prettierrc.yml", Formatter, "prettier"),
    (".prettierrc.yaml", Formatter, "prettier"),
    (".prettierrc.toml", Formatter, "prettier"),
    ("prettier.config.js", Formatter, "prettier"),
    ("prettier.config.mjs", Formatter, "prettier"),
    ("prettier.config.cjs", Formatter, "prettier"),
    ("dprint.json", Formatter, "dprint"),
    (".dprint.json", Formatter, "dprint"),
    ("tsconfig.json", Types, "typescript"),
    (".stylelintrc", Linter, "stylelint"),
    (".stylelintrc.json", Linter, "stylelint"),
    ("stylelint.config.js", Linter, "stylelint"),
    ("jest.config.js", Tests, "jest"),
    ("jest.config.ts", Tests, "jest"),
    ("jest.config.mjs", Tests, "jest"),
    ("jest.config.cjs", Tests, "jest"),
    ("vitest.config.ts", Tests, "vitest"),
    ("vitest.config.js", Tests, "vitest"),
    ("vitest.config.mts", Tests, "vitest"),
    (".mocharc.json", Tests, "mocha"),
    (".mocharc.js", Tests, "mocha"),
    (".mocharc.cjs", Tests, "mocha"),
    (".mocharc.yml", Tests, "mocha"),
    (".mocharc.yaml", Tests, "mocha"),
    ("playwright.config.ts", Tests, "playwright"),
    ("playwright.config.js", Tests, "playwright"),
    ("cypress.config.ts", Tests, "cypress"),
    ("cypress.config.js", Tests, "cypress"),
    ("karma.conf.js", Tests, "karma"),
    (".nycrc", Tests, "nyc"),
    ("vite.config.ts", Build, "vite"),
    ("vite.config.js", Build, "vite"),
    ("vite.config.mjs", Build, "vite"),
    ("webpack.config.js", Build, "webpack"),
    ("rollup.config.js", Build, "rollup"),
    ("rollup.config.mjs", Build, "rollup"),
    ("tsup.config.ts", Build, "tsup"),
    ("turbo.json", Build, "turborepo"),
    ("nx.json", Build, "nx"),
    ("lerna.json", Build, "lerna"),
    ("babel.config.js", Build, "babel"),
    (".babelrc", Build, "babel"),
    ("typedoc.json", Docs, "typedoc"),
    (".golangci.yml", Linter, "golangci-lint"),
    (".golangci.yaml", Linter, "golangci-lint"),
    (".golangci.toml", Linter, "golangci-lint"),
    (".golangci.json", Linter, "golangci-lint"),
    ("staticcheck.conf", Linter, "staticcheck"),
    (".goreleaser.yml", Build, "goreleaser"),
    (".goreleaser.yaml", Build, "goreleaser"),
    ("buf.yaml", Linter, "buf"),
    ("buf.gen.yaml", Generator, "buf"),
    ("sqlc.yaml", Generator, "sqlc"),
    ("sqlc.yml", Generator, "sqlc"),
    (".mockery.yaml", Generator, "mockery"),
    (".mockery.yml", Generator, "mockery"),
    (".rubocop.yml", Linter, "rubocop"),
    (".standard.yml", Linter, "standard"),
    (".rspec", Tests, "rspec"),
    (".yardopts", Docs, "yard"),
    ("sorbet/config", Types, "sorbet"),
    ("Steepfile", Types, "steep"),
    (".simplecov", Tests, "simplecov"),
    (".borp.yaml", Tests, "borp"),
    (".borp.yml", Tests, "borp"),
    (".taprc", Tests, "tap"),
    ("phpstan.neon", Linter, "phpstan"),
    ("phpstan.neon.dist", Linter, "phpstan"),
    ("phpstan.dist.neon", Linter, "phpstan"),
    ("psalm.xml", Linter, "psalm"),
    ("psalm.xml.dist", Linter, "psalm"),
    (".psalm/config.xml", Linter, "psalm"),
    ("phpcs.xml", Linter, "phpcs"),
    ("phpcs.xml.dist", Linter, "phpcs"),
    (".phpcs.xml", Linter, "phpcs"),
    (".phpcs.xml.dist", Linter, "phpcs"),
    (".php-cs-fixer.php", Formatter, "php-cs-fixer"),
    (".php-cs-fixer.dist.php", Formatter, "php-cs-fixer"),
    (".php_cs", Formatter, "php-cs-fixer"),
    (".php_cs.dist", Formatter, "php-cs-fixer"),
    ("rector.php", Generator, "rector"),
    ("pint.json", Formatter, "pint"),
    ("phpunit.xml", Tests, "phpunit"),
    ("phpunit.xml.dist", Tests, "phpunit"),
    ("phpunit.dist.xml", Tests, "phpunit"),
    ("infection.json.dist", Tests, "infection"),
    ("infection.json5", Tests, "infection"),
    ("checkstyle.xml", Linter, "checkstyle"),
    ("config/checkstyle/checkstyle.xml", Linter, "checkstyle"),
    ("spotbugs-exclude.xml", Linter, "spotbugs"),
    ("pmd.xml", Linter, "pmd"),
    ("lombok.config", Generator, "lombok"),
    ("stylecop.json", Linter, "stylecop"),
    (".clang-format", Formatter, "clang-format"),
    (".clang-tidy", Linter, "clang-tidy"),
    (".cmake-format", Formatter, "cmake-format"),
    (".cmake-format.yaml", Formatter, "cmake-format"),
    ("Doxyfile", Docs, "doxygen"),
    ("Doxyfile.in", Docs, "doxygen"),
    ("docs/Doxyfile", Docs, "doxygen"),
    (".shellcheckrc", Linter, "shellcheck"),
    ("tests/sharness.sh", Tests, "sharness"),
    ("test/sharness.sh", Tests, "sharness"),
    ("t/sharness.sh", Tests, "sharness"),
    ("tests/shunit2", Tests, "shunit2"),
    ("test/shunit2", Tests, "shunit2"),
    (".shellspec", Tests, "shellspec"),
    (".hadolint.yaml", Linter, "hadolint"),
    (".yamllint", Linter, "yamllint"),
    (".yamllint.yml", Linter, "yamllint"),
    (".yamllint.yaml", Linter, "yamllint"),
    (".markdownlint.json", Linter, "markdownlint"),
    (".markdownlint.yml", Linter, "markdownlint"),
    (".markdownlint.yaml", Linter, "markdownlint"),
    (".markdownlint-cli2.yaml", Linter, "markdownlint"),
    (".codespellrc", Linter, "codespell"),
    ("typos.toml", Linter, "typos"),
    ("_typos.toml", Linter, "typos"),
    (".typos.toml", Linter, "typos"),
    (".commitlintrc.json", Linter, "commitlint"),
    (".commitlintrc.yml", Linter, "commitlint"),
    ("commitlint.config.js", Linter, "commitlint"),
    (".pre-commit-config.yaml", Hooks, "pre-commit"),
    (".pre-commit-config.yml", Hooks, "pre-commit"),
    ("lefthook.yml", Hooks, "lefthook"),
    ("lefthook.yaml", Hooks, "lefthook"),
    (".lefthook.yml", Hooks, "lefthook"),
    (".husky/pre-commit", Hooks, "husky"),
    (".overcommit.yml", Hooks, "overcommit"),
    (".lintstagedrc", Hooks, "lint-staged"),
    (".lintstagedrc.json", Hooks, "lint-staged"),
    ("mkdocs.yml", Docs, "mkdocs"),
    ("mkdocs.yaml", Docs, "mkdocs"),
    ("docs/conf.py", Docs, "sphinx"),
    ("docs/source/conf.py", Docs, "sphinx"),
    ("doc/conf.py", Docs, "sphinx"),
    ("doc/source/conf.py", Docs, "sphinx"),
    ("book.toml", Docs, "mdbook"),
    ("docs/book.toml", Docs, "mdbook"),
    ("docusaurus.config.js", Docs, "docusaurus"),
    ("docusaurus.config.ts", Docs, "docusaurus"),
    ("docs/.vitepress/config.ts", Docs, "vitepress"),
    ("docs/.vitepress/config.mts", Docs, "vitepress"),
    ("docs/.vitepress/config.js", Docs, "vitepress"),
    ("cliff.toml", Generator, "git-cliff"),
    ("cbindgen.toml", Generator, "cbindgen"),
    ("diesel.toml", Generator, "diesel"),
    ("openapitools.json", Generator, "openapi-generator"),
    ("codegen.yml", Generator, "graphql-codegen"),
    ("codegen.ts", Generator, "graphql-codegen"),
    ("Justfile", Build, "just"),
    ("justfile", Build, "just"),
    ("Taskfile.yml", Build, "task"),
    ("Taskfile.yaml", Build, "task"),
    ("Makefile", Build, "make"),
    ("GNUmakefile", Build, "make"),
    ("CMakeLists.txt", Build, "cmake"),
    ("meson.build", Build, "meson"),
    ("configure.ac", Build, "autoconf"),
    ("BUILD.bazel", Build, "bazel"),
    ("MODULE.bazel", Build, "bazel"),
    ("SConstruct", Build, "scons"),
    ("Rakefile", Build, "rake"),
    ("gradlew", Build, "gradle"),
    ("mvnw", Build, "maven"),
];

/// Tables of `pyproject.toml`, `setup.cfg` and `tox.ini` with their tools.
const TABLES: &[(&str, ToolPurpose, &str)] = &[
    ("tool.ruff", Linter, "ruff"),
    ("tool.ruff.format", Formatter, "ruff"),
    ("tool.black", Formatter, "black"),
    ("tool.isort", Formatter, "isort"),
    ("tool.yapf", Formatter, "yapf"),
    ("tool.mypy", Types, "mypy"),
    ("tool.pyright", Types, "pyright"),
    ("tool.basedpyright", Types, "basedpyright"),
    ("tool.ty", Types, "ty"),
    ("tool.pylint", Linter, "pylint"),
    ("tool.flake8", Linter, "flake8"),
    ("tool.bandit", Linter, "bandit"),
    ("tool.codespell", Linter, "codespell"),
    ("tool.pytest.ini_options", Tests, "pytest"),
    ("tool.pytest", Tests, "pytest"),
    ("tool.coverage.run", Tests, "coverage"),
    ("tool.coverage", Tests, "coverage"),
    ("tool.tox", Tests, "tox"),
    ("tool.hatch", Build, "hatch"),
    ("tool.poetry", Build, "poetry"),
    ("tool.pdm", Build, "pdm"),
    ("tool.setuptools", Build, "setuptools"),
    ("tool.flit", Build, "flit"),
    ("tool.maturin", Build, "maturin"),
    ("tool.uv", Build, "uv"),
    ("tool.pixi", Build, "pixi"),
    ("tool.towncrier", Generator, "towncrier"),
    ("tool.commitizen", Generator, "commitizen"),
    ("flake8", Linter, "flake8"),
    ("pylint", Linter, "pylint"),
    ("mypy", Types, "mypy"),
    ("isort", Formatter, "isort"),
    ("yapf", Formatter, "yapf"),
    ("tool:pytest", Tests, "pytest"),
    ("pytest", Tests, "pytest"),
    ("coverage:run", Tests, "coverage"),
    ("workspace.lints.clippy", Linter, "clippy"),
    ("lints.clippy", Linter, "clippy"),
];

/// Keys at the first level of `package.json` with their tools.
const KEYS: &[(&str, ToolPurpose, &str)] = &[
    ("eslintConfig", Linter, "eslint"),
    ("prettier", Formatter, "prettier"),
    ("jest", Tests, "jest"),
    ("ava", Tests, "ava"),
    ("mocha", Tests, "mocha"),
    ("nyc", Tests, "nyc"),
    ("c8", Tests, "c8"),
    ("xo", Linter, "xo"),
    ("standard", Linter, "standard"),
    ("stylelint", Linter, "stylelint"),
    ("husky", Hooks, "husky"),
    ("lint-staged", Hooks, "lint-staged"),
    ("simple-git-hooks", Hooks, "simple-git-hooks"),
    ("commitlint", Linter, "commitlint"),
    ("babel", Build, "babel"),
];

/// Plugins of Maven and Gradle with their tools.
const PLUGINS: &[(&str, ToolPurpose, &str)] = &[
    ("maven-checkstyle-plugin", Linter, "checkstyle"),
    ("spotless-maven-plugin", Formatter, "spotless"),
    ("com.diffplug.spotless", Formatter, "spotless"),
    ("fmt-maven-plugin", Formatter, "google-java-format"),
    ("spring-javaformat-maven-plugin", Formatter, "spring-javaformat"),
    ("io.spring.javaformat", Formatter, "spring-javaformat"),
    ("spotbugs-maven-plugin", Linter, "spotbugs"),
    ("com.github.spotbugs", Linter, "spotbugs"),
    ("maven-pmd-plugin", Linter, "pmd"),
    ("error_prone_core", Linter, "error-prone"),
    ("jacoco-maven-plugin", Tests, "jacoco"),
    ("maven-surefire-plugin", Tests, "surefire"),
    ("maven-failsafe-plugin", Tests, "failsafe"),
    ("maven-javadoc-plugin", Docs, "javadoc"),
    ("protobuf-maven-plugin", Generator, "protoc"),
    ("com.google.protobuf", Generator, "protoc"),
    ("io.gitlab.arturbosch.detekt", Linter, "detekt"),
    ("org.jlleitschuh.gradle.ktlint", Linter, "ktlint"),
];

/// Packages of development that are tools without a configuration of their own.
const PACKAGES: &[(&str, ToolPurpose, &str)] = &[
    ("pytest", Tests, "pytest"),
    ("phpunit/phpunit", Tests, "phpunit"),
    ("pestphp/pest", Tests, "pest"),
    ("jest", Tests, "jest"),
    ("vitest", Tests, "vitest"),
    ("mocha", Tests, "mocha"),
    ("ava", Tests, "ava"),
    ("jasmine", Tests, "jasmine"),
    ("tap", Tests, "tap"),
    ("tape", Tests, "tape"),
    ("borp", Tests, "borp"),
    ("minitest", Tests, "minitest"),
    ("rspec", Tests, "rspec"),
    ("test-unit", Tests, "test-unit"),
    ("junit:junit", Tests, "junit"),
    ("org.junit.jupiter:junit-jupiter", Tests, "junit"),
    ("org.junit.jupiter:junit-jupiter-api", Tests, "junit"),
    ("org.junit.jupiter:junit-jupiter-engine", Tests, "junit"),
    ("org.testng:testng", Tests, "testng"),
    ("xunit", Tests, "xunit"),
    ("xunit.v3", Tests, "xunit"),
    ("NUnit", Tests, "nunit"),
    ("MSTest.TestFramework", Tests, "mstest"),
    ("eslint", Linter, "eslint"),
    ("prettier", Formatter, "prettier"),
    ("@biomejs/biome", Linter, "biome"),
    ("typescript", Types, "typescript"),
    ("rubocop", Linter, "rubocop"),
    ("phpstan/phpstan", Linter, "phpstan"),
    ("vimeo/psalm", Linter, "psalm"),
    ("squizlabs/php_codesniffer", Linter, "phpcs"),
    ("friendsofphp/php-cs-fixer", Formatter, "php-cs-fixer"),
    ("laravel/pint", Formatter, "pint"),
    ("ruff", Linter, "ruff"),
    ("black", Formatter, "black"),
    ("isort", Formatter, "isort"),
    ("mypy", Types, "mypy"),
    ("pyright", Types, "pyright"),
    ("flake8", Linter, "flake8"),
    ("pylint", Linter, "pylint"),
    ("tox", Tests, "tox"),
    ("nox", Tests, "nox"),
    ("sphinx", Docs, "sphinx"),
    ("mkdocs", Docs, "mkdocs"),
    ("typedoc", Docs, "typedoc"),
    ("yard", Docs, "yard"),
    ("pre-commit", Hooks, "pre-commit"),
    ("husky", Hooks, "husky"),
    ("lint-staged", Hooks, "lint-staged"),
    ("lefthook", Hooks, "lefthook"),
];

/// Adds the tools that are only needed, of each project those that no configuration shows.
fn of_packages(project: &ProjectMetadata, texts: &Texts, found: &mut Vec<Fact>) {
    let known: BTreeSet<(String, String)> = found
        .iter()
        .filter_map(|fact| match (&fact.subject, &fact.value) {
            (FactSubject::Project(folder), FactValue::Tool { name, .. }) => {
                Some((folder.clone(), name.clone()))
            }
            _ => None,
        })
        .collect();
    of_assemblies(project, texts, found);
    for it in needed(project, texts) {
        // A project of .NET that tests others needs its tools to run.
        let is_test = role_of(&it.source.path) == PathRole::Test;
        let is_dotnet = it.source.path.ends_with("proj");
        if is_test && !is_dotnet || it.scope != Scope::Dev && !is_test {
            continue;
        }
        let Some((_, purpose, name)) =
            PACKAGES.iter().find(|(package, ..)| package.eq_ignore_ascii_case(&it.name))
        else {
            continue;
        };
        if !known.contains(&(it.folder.clone(), (*name).to_owned())) {
            let value = FactValue::Tool { purpose: *purpose, name: (*name).to_owned() };
            found.push(Fact::new(FactSubject::Project(it.folder), value, it.source, FactOrigin::Parsed));
        }
    }
}

/// Adds the tools whose assemblies an old project of .NET refers to.
fn of_assemblies(project: &ProjectMetadata, texts: &Texts, found: &mut Vec<Fact>) {
    const KNOWN: &[(&str, &str)] =
        &[("nunit.framework", "nunit"), ("xunit.core", "xunit"), ("xunit", "xunit")];
    for manifest in project.manifests.iter().filter(|it| it.path.ends_with("proj")).take(FOLDERS) {
        let Some(text) = texts.read(&manifest.path) else { continue };
        for (at, line) in text.lines().enumerate() {
            let Some(rest) = line.trim_start().strip_prefix("<Reference Include=\"") else { continue };
            let assembly = rest.split([',', '"']).next().unwrap_or_default();
            let Some((_, name)) = KNOWN.iter().find(|(known, _)| known.eq_ignore_ascii_case(assembly)) else {
                continue;
            };
            let value = FactValue::Tool { purpose: Tests, name: (*name).to_owned() };
            let source = SourceLines::line(&manifest.path, at + 1);
            let subject = FactSubject::Project(folder_of(&manifest.path).to_owned());
            found.push(Fact::new(subject, value, source, FactOrigin::Parsed));
        }
    }
}

/// Returns the tools of all projects.
pub(crate) fn facts(project: &ProjectMetadata, texts: &Texts) -> Vec<Fact> {
    let manifests = project.manifests.iter().map(|it| folder_of(&it.path));
    let own = manifests.filter(|folder| role_of(&joined(folder, "x")) == PathRole::Runtime);
    let mut folders: Vec<&str> =
        std::iter::once("").chain(own).collect::<BTreeSet<_>>().into_iter().collect();
    folders.sort_by_key(|folder| folder.matches('/').count());
    let mut found = Vec::new();
    for folder in folders.into_iter().take(FOLDERS) {
        of_folder(folder, texts, &mut found);
    }
    of_packages(project, texts, &mut found);
    found
}

fn of_folder(folder: &str, texts: &Texts, found: &mut Vec<Fact>) {
    let mut add = |purpose: ToolPurpose, name: &str, path: &str, line: usize| {
        let value = FactValue::Tool { purpose, name: name.to_owned() };
        let subject = FactSubject::Project(folder.to_owned());
        found.push(Fact::new(subject, value, SourceLines::line(path, line), FactOrigin::Parsed));
    };
    for (file, purpose, name) in FILES {
        let path = joined(folder, file);
        let is_hidden = file.split('/').any(|part| part.starts_with('.'));
        // What is hidden is asked for in the root and in its projects; the rest is known from the walk.
        let text = if is_hidden {
            texts.read(&path)
        } else {
            texts.exists(&path).then(|| texts.read(&path)).flatten()
        };
        let Some(text) = text.filter(|text| !text.trim().is_empty()) else { continue };
        if *name == "tox"
            && !text.lines().any(|line| {
                line.starts_with("[tox")
                    || line.starts_with("[testenv")
                    || line.starts_with("[env")
                    || line.starts_with("env_list")
            })
        {
            continue;
        }
        add(*purpose, name, &path, 1);
    }
    for file in ["pyproject.toml", "setup.cfg", "tox.ini", "Cargo.toml"] {
        let path = joined(folder, file);
        let Some(text) = texts.exists(&path).then(|| texts.read(&path)).flatten() else { continue };
        for (section, line) in sections(&text) {
            let is_of = |table: &str| {
                section == table
                    || section
                        .strip_prefix(table)
                        .is_some_and(|rest| rest.starts_with('.') || rest.starts_with('-'))
            };
            let is_format = section == "tool.ruff.format";
            let known =
                TABLES.iter().find(|(table, ..)| if is_format { *table == section } else { is_of(table) });
            if let Some((_, purpose, name)) = known {
                add(*purpose, name, &path, line);
            }
        }
    }
    let path = joined(folder, "package.json");
    if let Some(text) = texts.exists(&path).then(|| texts.read(&path)).flatten() {
        for (key, purpose, name) in KEYS {
            if let Some(line) = key_line(&text, key) {
                add(*purpose, name, &path, line);
            }
        }
    }
    for file in ["Makefile", "GNUmakefile", "CMakeLists.txt"] {
        let path = joined(folder, file);
        match texts.exists(&path).then(|| texts.read(&path)).flatten() {
            Some(text) if file == "CMakeLists.txt" => of_cmake(&path, &text, &mut add),
            Some(text) => of_makefile(&path, &text, &mut add),
            None => {}
        }
    }
    for file in ["pom.xml", "build.gradle", "build.gradle.kts"] {
        let path = joined(folder, file);
        let Some(text) = texts.exists(&path).then(|| texts.read(&path)).flatten() else { continue };
        for (at, line) in text.lines().enumerate() {
            let bare = line.trim();
            let is_comment = bare.starts_with("//") || bare.starts_with("<!--") || bare.starts_with('*');
            let is_plugin = |plugin: &str| {
                bare.contains(&format!(">{plugin}<"))
                    || bare.contains(&format!("\"{plugin}\""))
                    || bare.contains(&format!("'{plugin}'"))
            };
            if let Some((_, purpose, name)) =
                PLUGINS.iter().find(|(plugin, ..)| !is_comment && is_plugin(plugin))
            {
                add(*purpose, name, &path, at + 1);
            }
        }
    }
}

/// Programs that recipes of a Makefile call.
const CALLED: &[(&str, ToolPurpose)] = &[
    ("clang-format", Formatter),
    ("clang-tidy", Linter),
    ("cppcheck", Linter),
    ("cpplint", Linter),
    ("shellcheck", Linter),
    ("shfmt", Formatter),
    ("golangci-lint", Linter),
    ("staticcheck", Linter),
    ("gofumpt", Formatter),
    ("re2c", Generator),
    ("protoc", Generator),
    ("doxygen", Docs),
];

/// Adds the tools that a Makefile calls, each with its first call.
fn of_makefile(path: &str, text: &str, add: &mut impl FnMut(ToolPurpose, &str, &str, usize)) {
    let mut seen = BTreeSet::new();
    for (at, line) in text.lines().enumerate() {
        let is_recipe = line.starts_with('\t');
        let value = line.split_once('=').map(|(_, value)| value).filter(|_| !line.starts_with('#'));
        let Some(script) = is_recipe.then_some(line).or(value) else { continue };
        if script.trim_start().starts_with('#') || script.contains("install ") {
            continue;
        }
        for command in script.split([';', '|', '&']) {
            let mut words =
                command.split_whitespace().skip_while(|word| matches!(*word, "do" | "then" | "@"));
            let program = words.next().unwrap_or_default().trim_start_matches(['@', '-']);
            if let Some((name, purpose)) = CALLED.iter().find(|(name, _)| *name == program)
                && words.next().is_some()
                && seen.insert(*name)
            {
                add(*purpose, name, path, at + 1);
            }
        }
    }
}

/// Libraries for tests that `CMake` links, with the tools that they are of.
const LINKED: &[(&str, &str)] = &[
    ("gtest", "googletest"),
    ("gtest_main", "googletest"),
    ("GTest", "googletest"),
    ("googletest", "googletest"),
    ("Catch2", "catch2"),
    ("doctest", "doctest"),
];

/// Adds the libraries for tests that are linked, found or fetched.
fn of_cmake(path: &str, text: &str, add: &mut impl FnMut(ToolPurpose, &str, &str, usize)) {
    const CALLS: &[&str] =
        &["target_link_libraries(", "find_package(", "fetchcontent_declare(", "add_subdirectory("];
    let mut seen = BTreeSet::new();
    for (at, line) in text.lines().enumerate() {
        let lower = line.trim_start().to_lowercase();
        if !CALLS.iter().any(|call| lower.starts_with(call)) {
            continue;
        }
        let words = line.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '.'));
        for word in words.filter(|word| !word.is_empty()) {
            if let Some((_, name)) = LINKED.iter().find(|(library, _)| *library == word)
                && seen.insert(*name)
            {
                add(Tests, name, path, at + 1);
            }
        }
    }
}

/// Returns the names of sections with their lines; of one tool the first.
fn sections(text: &str) -> Vec<(String, usize)> {
    let header = |line: &str| {
        Some(line.trim_end().strip_prefix('[')?.strip_suffix(']')?.trim_matches(['[', ']']).to_owned())
    };
    let all = text.lines().enumerate();
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for (at, line) in all {
        let Some(name) = header(line) else { continue };
        let tool: String = name.split(['.', '-']).take(2).collect::<Vec<_>>().join(".");
        if seen.insert(tool) || name == "tool.ruff.format" {
            found.push((name, at + 1));
        }
    }
    found
}

/// Returns the line of a key at the first level of a JSON object whose value is an object, a list or a name.
fn key_line(text: &str, key: &str) -> Option<usize> {
    let root: serde_json::Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()?;
    root.get(key).filter(|value| value.is_object() || value.is_array() || value.is_string())?;
    let quoted = format!("\"{key}\"");
    let indent = |line: &str| line.len() - line.trim_start().len();
    let lines: Vec<(usize, &str)> =
        text.lines().enumerate().filter(|(_, line)| line.contains(&quoted)).collect();
    let is_key =
        |line: &str| line.split_once(&quoted).is_some_and(|(_, rest)| rest.trim_start().starts_with(':'));
    lines.iter().filter(|(_, line)| is_key(line)).min_by_key(|(_, line)| indent(line)).map(|(at, _)| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_a_tool_count_once() {
        let text = "[project]\n[tool.ruff]\n[tool.ruff.lint]\n[tool.ruff.format]\n[[tool.mypy.overrides]]\n[tool.mypy]\n";
        let names: Vec<String> = sections(text).iter().map(|(name, line)| format!("{name} {line}")).collect();
        assert_eq!(names, ["project 1", "tool.ruff 2", "tool.ruff.format 4", "tool.mypy.overrides 5"]);
    }

    #[test]
    fn recipes_call_tools_and_cmake_links_them() {
        type Add<'a> = &'a mut dyn FnMut(ToolPurpose, &str, &str, usize);
        let shown = |text: &str, read: fn(&str, Add)| {
            let mut found = Vec::new();
            read(text, &mut |_, name, _, line| found.push(format!("{name} {line}")));
            found
        };
        let text = "FMT = clang-format -i\nlint:\n\tfor f in *.c ; do clang-tidy $$f ; done\n\t@echo re2c is needed\n\tapt install cppcheck now\n";
        assert_eq!(
            shown(text, |text, mut add| of_makefile("Makefile", text, &mut add)),
            ["clang-format 1", "clang-tidy 3"]
        );
        let text = "# target_link_libraries(a gtest)\ntarget_link_libraries(\"${t}\" shop gmock gtest)\nadd_subdirectory(\"third_party/googletest\")\nfind_package(Catch2 3)\n";
        assert_eq!(
            shown(text, |text, mut add| of_cmake("CMakeLists.txt", text, &mut add)),
            ["googletest 2", "catch2 4"]
        );
    }

    #[test]
    fn only_keys_of_the_first_level_configure_a_tool() {
        let text = "{\n  \"scripts\": {\n    \"jest\": \"jest\"\n  },\n  \"jest\": {},\n  \"devDependencies\": { \"prettier\": \"3\" }\n}\n";
        assert_eq!(key_line(text, "jest"), Some(5));
        assert_eq!(key_line(text, "prettier"), None);
    }
}
