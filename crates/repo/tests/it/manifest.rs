//! Manifests of six kinds of projects, read by parsers of their formats (CTX-11, 14, 15, 58).

use stategraph_repo::{
    Files, Manifest, MemoryFiles, ProjectMetadata, ProjectType, Scope, WalkLimits, manifest, project,
};

/// `scope name version` of each dependency.
fn needs(found: &Manifest) -> Vec<String> {
    let version = |found: &Option<String>| found.clone().unwrap_or_else(|| "-".into());
    found
        .dependencies
        .iter()
        .map(|need| format!("{:?} {} {}", need.scope, need.name, version(&need.version)).to_lowercase())
        .collect()
}

fn read(path: &str, text: &str) -> Manifest {
    let found = manifest(path, text).unwrap();
    assert_eq!(found.problem, None);
    found
}

fn whole(files: &[(&str, &str)]) -> ProjectMetadata {
    let files = MemoryFiles::new(files.iter().copied());
    project(&files, &files.walk(WalkLimits::default()))
}

#[test]
fn cargo_tables_of_every_form_count() {
    // CTX-15
    let found = read(
        "Cargo.toml",
        "[package]\nname = \"a\"\nversion = \"1.0.0\"\n[[bin]]\nname = \"x\"\npath = \"src/x.rs\"\n[dependencies]\nserde = { version = \"1\", optional = true }\n\
         own = { path = \"../own\" }\nalias = { package = \"real\", version = \"2\" }\n[dependencies.tokio]\nversion = \"1.2\"\n\
         [target.'cfg(unix)'.dependencies]\nlibc = \"0.2\"\n[build-dependencies]\ncc = \"1\"\n[dev-dependencies]\nproptest = \"1\"\n",
    );
    assert_eq!((found.name.as_deref(), found.version.as_deref()), (Some("a"), Some("1.0.0")));
    assert_eq!(
        needs(&found),
        [
            "runtime libc 0.2; cfg(unix)",
            "runtime own -",
            "runtime real 2",
            "runtime tokio 1.2",
            "optional serde 1",
            "build cc 1",
            "dev proptest 1"
        ]
    );
    assert_eq!(found.entry_points, ["src/x.rs"]);
    assert_eq!(found.programs["x"], "src/x.rs");
}

#[test]
fn python_extras_markers_and_poetry_count() {
    // CTX-15
    let found = read(
        "pyproject.toml",
        "[project]\nname = \"p\"\ndependencies = [\"requests[socks]>=2,<3; python_version > '3.8'\", \"rich\"]\n[project.optional-dependencies]\ndev = [\"pytest\"]\n\
         [project.scripts]\np = \"p.cli:main\"\n[tool.poetry.group.test.dependencies]\ncoverage = \"^7\"\n[build-system]\nrequires = [\"hatchling\"]\n",
    );
    assert_eq!(
        needs(&found),
        [
            "runtime requests >=2,<3; python_version > '3.8'",
            "runtime rich -",
            "optional pytest -",
            "build hatchling -",
            "dev coverage ^7"
        ]
    );
    assert_eq!(found.entry_points, ["p.cli:main"]);
    assert_eq!(found.programs["p"], "p.cli:main");
    let list = read(
        "requirements.txt",
        "# c\nflask==2.0 \\\n  --hash=sha256:x\n-r other.txt\nnumpy>=1 # why\npkg @ https://x/y.whl\nhttps://x/z.whl\n",
    );
    assert_eq!(needs(&list), ["runtime flask ==2.0", "runtime numpy >=1", "runtime pkg https://x/y.whl"]);
    let setup = read("setup.py", "setup(\n  name='s',\n  install_requires=['a>=1', \"b\"],\n)\n");
    assert_eq!(
        (setup.name.as_deref(), needs(&setup)),
        (Some("s"), vec!["runtime a >=1".to_owned(), "runtime b -".to_owned()])
    );
    let setup = read(
        "setup.py",
        "setup(\n  name='s',\n  extras_require={'x': ['a>=1', \"b\"], \"y\": [\n    'c',\n  ], 'z': computed},\n  zip_safe=['d'],\n)\n",
    );
    assert_eq!(needs(&setup), ["optional a >=1", "optional b -", "optional c -"]);
    // A command of the file has a description of its own, and the list may stand above the call.
    let setup = read(
        "setup.py",
        "class Publish(Command):\n    description = 'Publish it.'\n\n    def setup(self):\n        pass\n\nrequires = [\n  'a[y]>=1',  # it's c, d\n  'b',\n]\nsetup(\n  name='s',\n  description='SQL for all',\n  install_requires=requires,\n  extras_require={'x': ['a[x]', 'c']},\n)\n",
    );
    assert_eq!(setup.description.as_deref(), Some("SQL for all"));
    assert_eq!(needs(&setup), ["runtime a >=1", "runtime b -", "optional c -"]);
}

#[test]
fn npm_keeps_what_runs_and_what_develops_apart() {
    // CTX-15
    let found = read(
        "package.json",
        r#"{"name":"n","main":"./lib/a.js","bin":{"n":"bin/n.js"},"dependencies":{"react":"^18"},"devDependencies":{"jest":"29"},"peerDependencies":{"vue":"*"}}"#,
    );
    assert_eq!(needs(&found), ["runtime react ^18", "peer vue *", "dev jest 29"]);
    assert_eq!(found.entry_points, ["./lib/a.js", "bin/n.js"]);
    assert_eq!(found.programs["n"], "bin/n.js");
}

#[test]
fn everything_that_a_package_exports_is_a_beginning() {
    // CTX-58
    let found = read(
        "package.json",
        r#"{"main":"dist/a.cjs","types":"./dist/a.d.ts","browser":{"./dist/a.cjs":"./dist/b.js"},
        "exports":{".":{"import":{"types":"./dist/a.d.mts","default":"./dist/a.mjs"},"require":"./dist/a.cjs"},"./x":["./x.js"],"./y/*":"./y/*.js","./package.json":"./package.json"}}"#,
    );
    assert_eq!(
        found.entry_points,
        ["dist/a.cjs", "./dist/a.d.mts", "./dist/a.mjs", "./x.js", "./dist/a.d.ts"]
    );
    assert_eq!(
        read("package.json", r#"{"exports":"./a.js","browser":"b.js"}"#).entry_points,
        ["b.js", "./a.js"]
    );
}

#[test]
fn go_blocks_count_and_indirect_needs_do_not() {
    // CTX-15
    let found = read(
        "go.mod",
        "module ex.org/m // m\n\ngo 1.21\n\nrequire (\n\ta.b/c v1.2.3\n\td.e/f v0.1.0 // indirect\n)\nrequire g.h/i v2.0.0\nreplace a.b/c => ../c\n",
    );
    assert_eq!(
        (found.name.as_deref(), needs(&found)),
        (Some("ex.org/m"), vec!["runtime a.b/c v1.2.3".to_owned(), "runtime g.h/i v2.0.0".to_owned()])
    );
}

#[test]
fn maven_properties_and_managed_versions_are_filled_in() {
    // CTX-15
    let dependency = |group: &str, name: &str, rest: &str| {
        format!("<dependency><groupId>{group}</groupId><artifactId>{name}</artifactId>{rest}</dependency>")
    };
    let text = format!(
        "<?xml version=\"1.0\"?><project xmlns=\"http://maven.apache.org/POM/4.0.0\"><groupId>g</groupId><artifactId>app</artifactId><version>1</version>\
         <properties><v>${{w}}</v><w>5</w></properties><dependencyManagement><dependencies>{}</dependencies></dependencyManagement>\
         <dependencies><!-- c -->{}{}{}</dependencies></project>",
        dependency("m", "managed", "<version>7</version>"),
        dependency("m", "managed", ""),
        dependency("${project.groupId}", "own", "<version>${v}</version>"),
        dependency("junit", "junit", "<version>4</version><scope>test</scope>"),
    );
    let found = read("pom.xml", &text);
    assert_eq!(
        (found.name.as_deref(), needs(&found)),
        (
            Some("app"),
            vec!["runtime g:own 5".to_owned(), "runtime m:managed 7".into(), "dev junit:junit 4".into()]
        )
    );
    let bomb = "<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><project>&b;</project>";
    assert!(manifest("pom.xml", bomb).unwrap().problem.is_some());
}

#[test]
fn gradle_scripts_are_read_and_not_run() {
    // CTX-14, 15
    let found = read(
        "app/build.gradle.kts",
        "// implementation(\"no:no:1\")\nplugins { id(\"java\") }\nversion = \"3\"\napplication { mainClass = \"a.Main\" }\ndependencies {\n  implementation(\"g:a:1.0\") /* x */\n  \
         testImplementation(\"g:t:2\")\n  api(libs.guava.core)\n  implementation(project(\":core\"))\n  compileOnly(\"g:c\")\n  implementation(platform(\"g:bom:9\"))\n}\n",
    );
    assert_eq!(
        needs(&found),
        ["runtime g:a 1.0", "runtime g:bom 9", "runtime libs.guava.core -", "peer g:c -", "dev g:t 2"]
    );
    assert_eq!((found.version.as_deref(), found.entry_points), (Some("3"), vec!["a.Main".to_owned()]));
    let groovy = read(
        "build.gradle",
        "dependencies {\n    implementation 'g:a:1'\n    testImplementation group: 'j', name: 'u', version: '4'\n}\n",
    );
    assert_eq!(needs(&groovy), ["runtime g:a 1", "dev j:u 4"]);
    let variables = read(
        "build.gradle",
        "ext {\n    jettyVersion = \"12.1\"\n}\ndependencies {\n    implementation \"j:server:$jettyVersion\"\n    implementation \"j:client:${rootProject.ext.jettyVersion}\"\n    implementation \"j:other:$unknown\"\n}\n",
    );
    assert_eq!(needs(&variables), ["runtime j:client 12.1", "runtime j:other -", "runtime j:server 12.1"]);
    let catalogue = read(
        "gradle/libs.versions.toml",
        "[versions]\ng = \"31\"\n[libraries]\nguava = { module = \"c:guava\", version.ref = \"g\" }\nx = \"a:b:1\"\n",
    );
    assert_eq!(needs(&catalogue), ["runtime a:b 1", "runtime c:guava 31"]);
}

#[test]
fn a_repository_has_several_types_and_the_first_by_rank_leads() {
    // CTX-11, 14, 58; DOC: entry points exist
    let found = whole(&[
        ("Cargo.toml", "[package]\nname = \"tool\"\n[dependencies]\nserde = \"1\""),
        ("web/package.json", "{\"name\":\"web\",\"main\":\"index.js\",\"dependencies\":{\"react\":\"18\"}}"),
        ("web/index.js", ""),
        ("src/main.rs", ""),
        ("src/bin/two.rs", ""),
        ("tests/fixtures/main.py", ""),
        ("README.md", "# Tool"),
    ]);
    assert_eq!((found.name.as_str(), found.project_type), ("tool", ProjectType::Node));
    assert_eq!(found.project_types, [ProjectType::Node, ProjectType::Rust]);
    assert_eq!(found.entry_points, ["web/index.js", "src/main.rs", "src/bin/two.rs"]);
    assert_eq!(
        found.dependencies.into_iter().collect::<Vec<_>>(),
        [("react".into(), "18".into()), ("serde".into(), "1".into())]
    );
    assert_eq!(found.readme_content.as_deref(), Some("# Tool"));
    assert_eq!(found.key_files[..2], ["Cargo.toml", "web/package.json"]);
}

#[test]
fn a_manifest_with_an_error_is_named_and_an_empty_tree_has_no_type() {
    // CTX-66, 146; ENG-19
    let found = whole(&[("Cargo.toml", "[package\nname"), ("go.mod", "module m\n")]);
    assert!(found.manifests[0].problem.is_some());
    assert_eq!((found.project_type, found.name.as_str()), (ProjectType::Rust, "m"));
    let empty = whole(&[]);
    assert_eq!((empty.project_type, empty.readme_content.clone()), (ProjectType::Unknown, None));
    assert!(serde_json::to_value(&empty).unwrap()["readme_content"].is_null());
    for path in [
        "Cargo.toml",
        "package.json",
        "pyproject.toml",
        "go.mod",
        "pom.xml",
        "build.gradle",
        "libs.versions.toml",
        "setup.py",
        "requirements.txt",
    ] {
        for text in ["", "\u{0}", "{{{{", "[[[[", "\"", "dependencies {", "<a><b>", "install_requires=["] {
            assert!(manifest(path, text).is_some());
        }
    }
    let _ = Scope::Runtime;
}

#[test]
fn requirements_below_a_heading_for_developers_are_theirs() {
    let scopes = |text: &str| -> Vec<(Scope, String)> {
        let found = manifest("requirements.txt", text).unwrap();
        found.dependencies.into_iter().map(|it| (it.scope, it.name)).collect()
    };
    let text = "shop\n\n# Testing\npytest==8\n\n# Explained: it sells all things of the shop\ntill\n";
    let expected = [(Scope::Runtime, "shop"), (Scope::Runtime, "till"), (Scope::Dev, "pytest")]
        .map(|(scope, name)| (scope, name.to_owned()));
    assert_eq!(scopes(text), expected);
    assert_eq!(scopes("-e .[all]\nruff\n"), [(Scope::Dev, "ruff".to_owned())]);
}

#[test]
fn composer_dotnet_and_gems_have_manifests() {
    let php = manifest(
        "composer.json",
        r#"{ "name": "slim/slim", "description": "A framework", "require": { "php": "^8", "psr/log": "^3" }, "require-dev": { "phpunit/phpunit": "^9" }, "bin": ["bin/slim"] }"#,
    )
    .unwrap();
    let names: Vec<(Scope, &str)> = php.dependencies.iter().map(|it| (it.scope, it.name.as_str())).collect();
    assert_eq!(names, [(Scope::Runtime, "psr/log"), (Scope::Dev, "phpunit/phpunit")]);
    assert_eq!(php.programs["slim"], "bin/slim");

    let project = "\u{feff}<Project Sdk=\"Microsoft.NET.Sdk\"><PropertyGroup><Version>$(V)</Version><Description>Logs</Description><OutputType>Exe</OutputType></PropertyGroup><ItemGroup><PackageReference Include=\"A\" Version=\"1\"/><PackageReference Include=\"B\" PrivateAssets=\"All\"/></ItemGroup></Project>";
    let dotnet = manifest("src/Log.Core.csproj", project).unwrap();
    assert_eq!((dotnet.name.as_deref(), dotnet.version, dotnet.problem), (Some("Log.Core"), None, None));
    assert_eq!(dotnet.description.as_deref(), Some("Logs"));
    assert!(dotnet.programs.contains_key("Log.Core"));
    let scopes: Vec<Scope> = dotnet.dependencies.iter().map(|it| it.scope).collect();
    assert_eq!(scopes, [Scope::Runtime, Scope::Build]);
    assert!(manifest("a.csproj", "<Project>").unwrap().problem.is_some());

    let gem = "Gem::Specification.new do |s|\n  s.name = \"rack\"\n  s.version = Rack::VERSION\n  s.summary = 'An interface'\n  # s.name = 'no'\n  s.executables = [\"rackup\"]\n  s.add_development_dependency 'minitest', \"> 5\"\n  s.add_dependency(\"base64\")\nend\n";
    let ruby = manifest("rack.gemspec", gem).unwrap();
    assert_eq!(
        (ruby.name.as_deref(), ruby.version, ruby.description.as_deref()),
        (Some("rack"), None, Some("An interface"))
    );
    assert_eq!(ruby.programs["rackup"], "bin/rackup");
    let needed: Vec<(Scope, &str)> =
        ruby.dependencies.iter().map(|it| (it.scope, it.name.as_str())).collect();
    assert_eq!(needed, [(Scope::Runtime, "base64"), (Scope::Dev, "minitest")]);
}

/// Every row: a build file of C or C++, its name and version, its targets and its packages.
#[test]
fn build_files_of_c_name_projects_targets_and_packages() {
    let shown = |path: &str, text: &str| {
        let found = stategraph_repo::side_manifest(path, text).expect("a build file");
        let targets: Vec<String> = found
            .targets
            .iter()
            .map(|it| format!("{:?} {} {}", it.kind, it.name, it.path.as_deref().unwrap_or("-")))
            .collect();
        let needs: Vec<String> =
            found.dependencies.iter().map(|it| format!("{:?} {}", it.scope, it.name)).collect();
        let (name, version) = (found.name.unwrap_or_default(), found.version.unwrap_or_default());
        format!("{name} {version} | {} | {}", targets.join(", "), needs.join(", "))
    };
    for (path, text, expected) in [
        (
            "CMakeLists.txt",
            "# project(no)\nproject(shop VERSION 1.2 DESCRIPTION \"Sells\" LANGUAGES C)\nset(SRC a.c)\nadd_library(${PROJECT_NAME} STATIC a.c)\nadd_library(x ALIAS shop)\nadd_executable(shop-cli\n  main.c)\nadd_executable(${UNKNOWN} b.c)\nfind_package(ZLIB 1.2 REQUIRED)\nif(WITH_SSL)\nfind_package(OpenSSL REQUIRED)\nendif()\n",
            "shop 1.2 | Library shop a.c, Program shop-cli main.c | Runtime ZLIB, Optional OpenSSL",
        ),
        (
            "meson.build",
            "project('shop', 'c', version : '2.0')\n# library('no')\nz = dependency('zlib', required : false)\nl = shared_library('shop', ['a.c', 'b.c'])\nexecutable('cli', 'main.c', link_with : l)\n",
            "shop 2.0 | Library shop a.c, Program cli main.c | Optional zlib",
        ),
        (
            "configure.ac",
            "AC_INIT([shop], [3.1], [bugs@x.y])\nPKG_CHECK_MODULES([GLIB], [glib-2.0 >= 2.1 gio-2.0])\n",
            "shop 3.1 |  | Runtime gio-2.0, Runtime glib-2.0",
        ),
        ("configure.ac", "AC_INIT([shop],[computed_version])\n", "shop  |  | "),
        (
            "Makefile.am",
            "bin_PROGRAMS = shop\nshop_SOURCES = a.h \\\n  main.c\nlib_LTLIBRARIES = libshop.la\ncheck_PROGRAMS = t\nif X\nlib_LTLIBRARIES += extra.la\nendif\n",
            "  | Program shop main.c, Library libshop -, Test t - | ",
        ),
        ("CMakeLists.txt", "add_library((((\"", "  |  | "),
        ("meson.build", "project('", "  |  | "),
        ("configure.ac", "AC_INIT(", "  |  | "),
    ] {
        assert_eq!(shown(path, text), expected, "{path}: {text}");
    }
}

#[test]
fn lists_of_packages_know_who_needs_them() {
    let shown = |path: &str, text: &str| -> Vec<String> {
        let found = stategraph_repo::side_manifest(path, text).expect("a list");
        found.dependencies.iter().map(|it| format!("{:?} {}", it.scope, it.name)).collect()
    };
    let gemfile = "source 'https://rubygems.org'\ngem 'rails', '~> 7'\ngem \"rspec\", group: :test\ngroup :development do\n  gem 'pry'\nend\n# gem 'no'\n";
    assert_eq!(shown("Gemfile", gemfile), ["Runtime rails", "Dev pry", "Dev rspec"]);
    assert_eq!(shown("Gemfile", "gemspec\ngem 'rake'\n"), ["Dev rake"]);
    let of_one_version = "gem 'a'\nif RUBY_VERSION == \"2.0.0\"\n  gem 'json'\nend\ngem 'b'\n";
    assert_eq!(shown("Gemfile", of_one_version), ["Runtime a", "Runtime b"]);
    assert_eq!(shown("requirements-dev.txt", "pytest>=7\n"), ["Dev pytest"]);
}

#[test]
fn setup_cfg_has_metadata_requirements_and_scripts() {
    let text = "[metadata]\nname = shop\nversion = attr: shop.version\ndescription = Sells things\n\n[options]\ninstall_requires =\n    click>=8\n    # no\n    requests ; python_version < \"4\"\n\n[options.extras_require]\ndev =\n    pytest\n\n[options.entry_points]\nconsole_scripts =\n    shop = shop.cli:main\n";
    let found = read("setup.cfg", text);
    assert_eq!((found.name.as_deref(), found.version.as_deref()), (Some("shop"), None));
    assert_eq!(found.description.as_deref(), Some("Sells things"));
    let needs: Vec<String> =
        found.dependencies.iter().map(|it| format!("{:?} {}", it.scope, it.name)).collect();
    assert_eq!(needs, ["Runtime click", "Runtime requests", "Optional pytest"]);
    assert_eq!(found.programs["shop"], "shop.cli:main");
}
