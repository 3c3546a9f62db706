//! Sites of one piece of code in each language.

use super::{Site, SiteKind};
use crate::outline::{Language, outline_with};

fn sites(language: Language, source: &str) -> Vec<Site> {
    let read = |tree: Option<&tree_sitter::Tree>, parsed: &str| {
        super::file_sites(language, tree.expect("a tree"), parsed)
    };
    outline_with(language, "a", source, read).1
}

/// Shows a site: `holder = within|name(arguments) or fallback @target +inside`.
fn show(site: &Site) -> String {
    let argument = |argument: &super::SiteArgument| {
        let name = argument.name.as_deref().map(|name| format!("{name}=")).unwrap_or_default();
        if argument.is_literal {
            format!("{name}{:?}", argument.text)
        } else {
            format!("{name}{}", argument.text)
        }
    };
    let mark = match site.kind {
        SiteKind::Call => "",
        SiteKind::Macro => "!",
        SiteKind::Attribute => "#",
        SiteKind::Keyword => "=",
    };
    let arguments: Vec<String> = site.arguments.iter().map(argument).collect();
    let mut line = format!("{mark}{}({})", site.name, arguments.join(", "));
    if !site.holder.is_empty() {
        line = format!("{} = {line}", site.holder);
    }
    if let Some(fallback) = &site.fallback {
        line = format!("{line} or {}", argument(fallback));
    }
    if !site.target.is_empty() {
        line = format!("{line} @{}", site.target);
    }
    if !site.within.is_empty() {
        line = format!("{line} in {}", site.within);
    }
    if site.is_test { format!("{line} test") } else { line }
}

fn check(language: Language, source: &str, expected: &[&str]) {
    let found: Vec<String> = sites(language, source).iter().map(show).collect();
    assert_eq!(found, expected, "{source}");
}

#[test]
fn languages_have_their_calls_attributes_and_keywords() {
    check(
        Language::Rust,
        "#[arg(long, env = \"PORT\")]\nstruct A;\n#[cfg(test)]\nmod tests { fn f() { g(r#\"x\"#); } }\n\
         impl A<T> { async fn go() { let v = env!(\"X\"); a().b(1)?.c(); log!(x::y(2)); } }",
        &[
            "#arg(long, env=\"PORT\") @A",
            "#cfg(test) @tests",
            "g(\"x\") in tests.f test",
            "=async() in A",
            "v = !env(\"X\") in A.go",
            ".c() in A.go",
            ".b(1) in A.go",
            "a() in A.go",
            "!log(x::y(2)) in A.go",
            "x::y(2) in A.go",
        ],
    );
    check(
        Language::Python,
        "@app.get('/x', methods=['GET'])\ndef h(port: int = Option(80, help='a' 'b')):\n  x = os.environ['A'] or 'z'\n  os.environ['B'] = '1'\n  \
         try:\n    raise E('x')\n  except (A, B) as e: pass\n",
        &[
            "#app.get(\"/x\", methods=['GET']) @h",
            "port = Option(80, help=\"ab\") in h",
            "x = os.environ(\"A\") or \"z\" in h",
            "=try() in h",
            "=raise(E) in h",
            "E(\"x\") in h",
            "=except((A, B)) in h",
        ],
    );
    check(
        Language::TypeScript,
        "@Controller('x') export class C { @Get(':id') async find() { throw new E(`x`); } }\nconst { A, B = '1' } = process.env;\n\
         const p = process.env.PORT || 3000;\nprocess.env.Q = '1';\nexport const h = () => { r?.get({ a: 'b' }) };",
        &[
            "#Controller(\"x\") @C",
            "#Get(\":id\") @find in C",
            "=async() in C",
            "=throw(E) in C.find",
            "E(\"x\") in C.find",
            "process.env(\"A\")",
            "process.env(\"B\", \"1\")",
            "p = process.env(\"PORT\") or 3000",
            "r.get({ a: 'b' }, a=\"b\") in h",
        ],
    );
    check(
        Language::Go,
        "package a\ntype T struct { Port int `env:\"PORT\"` }\nfunc (t *T) Run() { go f(); c := &cobra.Command{Use: \"x\"} }\nvar ErrX = errors.New(\"x\")",
        &[
            "#tag(env=\"PORT\") @Port in T",
            "=go() in T.Run",
            "f() in T.Run",
            "c = cobra.Command(Use=\"x\") in T.Run",
            "ErrX = errors.New(\"x\")",
        ],
    );
}

#[test]
fn compiled_languages_have_theirs() {
    check(
        Language::Java,
        "@RequestMapping(\"/x\") class A { @Option(names = {\"-p\"}, description = \"a\" + \"b\") int port; @Get void m() { synchronized (a) {} \
         try { new T(1); } catch (A | B e) {} } }",
        &[
            "#RequestMapping(\"/x\") @A",
            "#Option(names={\"-p\"}, description=\"ab\") @port in A",
            "#Get() @m in A",
            "=synchronized((a)) in A.m",
            "=try() in A.m",
            "T(1) in A.m",
            "=catch(A | B) in A.m",
        ],
    );
    check(
        Language::C,
        "struct option o[] = { {\"port\", 1, 0, 'p'}, {0} };\nint f(void) { return p->g(\"a\" \"b\"); }",
        &["option(\"port\", 1, 0, 'p')", "p.g(\"ab\") in f"],
    );
    check(
        Language::Cpp,
        "namespace n { struct A { void m() { std::mutex m; throw std::runtime_error(\"x\"); } }; }",
        &[
            "std::mutex() in n.A.m",
            "=throw(std::runtime_error) in n.A.m",
            "std::runtime_error(\"x\") in n.A.m",
        ],
    );
    check(
        Language::CSharp,
        "class A { [HttpGet(\"{id}\", Name = \"x\")] public async Task M() { lock (x) {} var g = E.Get(\"X\") ?? \"d\"; c.F<T>(@\"a\\b\", n: 1); } }",
        &[
            "=async() in A",
            "#HttpGet(\"{id}\", Name=\"x\") @M in A",
            "=lock(x) in A.M",
            "g = E.Get(\"X\") or \"d\" in A.M",
            "c.F(\"a\\\\b\", n=1) in A.M",
        ],
    );
}

#[test]
fn languages_of_scripts_have_theirs() {
    check(
        Language::Ruby,
        "class A\n  get '/x', to: 'a#b' do\n    ENV['X'] || 'y'\n    begin; raise Foo; rescue B => e; end\n  end\nend",
        &["get(\"/x\", to=\"a#b\") in A", "ENV(\"X\") or \"y\" in A", "raise(Foo) in A", "=rescue(B) in A"],
    );
    check(
        Language::Php,
        "<?php\nclass B { #[Route('/x')] function m() { $this->a('p', null); R::get('/x'); getenv('X') ?: 'd'; throw new E('x'); } }",
        &[
            "#Route(\"/x\") @m in B",
            "$this.a(\"p\", null) in B.m",
            "R::get(\"/x\") in B.m",
            "getenv(\"X\") or \"d\" in B.m",
            "=throw(E) in B.m",
            "E(\"x\") in B.m",
        ],
    );
    check(
        Language::Bash,
        "f() { echo \"${X:-def}\"; case $1 in -p|--port) p=1;; esac; }\nfoo 'a b' \"$APP_HOST\" &\n",
        &[
            "echo(\"${X:-def}\") in f",
            "$(\"X\", \"def\") in f",
            "=case(\"-p\", \"--port\", of=$1) in f",
            "foo(\"a b\", \"$APP_HOST\")",
            "$APP_HOST()",
            "=&()",
        ],
    );
}

#[test]
fn a_site_knows_how_many_sites_are_inside_it() {
    let found =
        sites(Language::Go, "package a\nfunc f() { r.Route(\"/a\", func(r R) { r.Get(\"/b\", h()) }); g() }");
    let inside: Vec<(&str, usize)> = found.iter().map(|site| (site.name.as_str(), site.inside)).collect();
    assert_eq!(inside, [("r.Route", 2), ("r.Get", 1), ("h", 0), ("g", 0)]);
}

#[test]
fn hostile_code_costs_bounded_time() {
    for (language, source) in [
        (Language::JavaScript, format!("x{};", ".a()".repeat(20_000))),
        (Language::JavaScript, format!("f({});", "\"a\"+".repeat(20_000))),
        (Language::Rust, format!("fn f() {{ m!{} }}", "(a".repeat(5_000))),
        (Language::Java, format!("class A {{ {} }}", "@B int c;".repeat(20_000))),
        (Language::Go, "package a\ntype T struct { A int `a:\"b` }\n".to_owned()),
        (Language::Php, "<?php #[".to_owned()),
        (Language::Bash, "case x in -a) ${A:-".to_owned()),
    ] {
        assert!(sites(language, &source).len() <= super::SITES + 100);
    }
}
