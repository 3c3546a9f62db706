//! Settings with their defaults and their help, by language and library.

mod kit;

use kit::check;

#[test]
fn variables_are_found_by_the_calls_that_read_them() {
    for (path, text, expected) in [
        (
            "a.rs",
            "const A: &str = \"ADDR\";\nfn f() { std::env::var(\"PORT\").unwrap_or_else(|_| \"80\".to_string()); env::var(A); env!(\"CARGO_PKG_NAME\"); }",
            &["variable PORT = 80", "variable ADDR"][..],
        ),
        (
            "a.py",
            "import os\nx = os.environ['A'] or 'z'\nos.getenv('B', '1')\nos.environ['SET'] = 'x'\nd['C']\nprint('os.getenv(D)')\n",
            &["variable A = z", "variable B = 1"],
        ),
        (
            "a.ts",
            "const { A, B = 'x' } = process.env;\nconst p = process.env.PORT ?? 3000;\nprocess.env.SET = '1';",
            &["variable A", "variable B = x", "variable PORT = 3000"],
        ),
        (
            "a.go",
            "package a\nimport \"os\"\nconst key = \"HOST\"\nfunc f() { os.Getenv(\"A\"); os.LookupEnv(key) }\ntype T struct { P int `env:\"PORT,required\" envDefault:\"80\"` }",
            &["variable A", "variable HOST", "variable PORT = 80"],
        ),
        (
            "A.java",
            "class A { void f() { System.getenv(\"A\"); System.getenv().getOrDefault(\"B\", \"x\"); m.get(\"C\"); } }",
            &["variable A", "variable B = x"],
        ),
        (
            "a.cs",
            "class A { void F() { var a = Environment.GetEnvironmentVariable(\"A\") ?? \"x\"; } }",
            &["variable A = x"],
        ),
        ("a.c", "int f(void) { return getenv(\"A\") != 0; }", &["variable A"]),
        (
            "b.go",
            "package a\nfunc f() { envOr(\"SHOP_PORT\", \"80\"); getEnvInt(\"SHOP_MAX\", n); setEnv(\"SHOP_SET\", \"1\"); envelope(\"SHOP_NO\") }",
            &["variable SHOP_PORT = 80", "variable SHOP_MAX"],
        ),
        (
            "b.rs",
            "fn f() { command.env(\"SHOP_SET\", value()); cx.get_env(\"SHOP_GOT\"); }",
            &["variable SHOP_GOT"],
        ),
        ("vendor/a.c", "int f(void) { return getenv(\"A\") != 0; }", &[]),
        (
            "b.ts",
            "const a = process.env.basePath; const b = process.env.http_proxy;",
            &["variable http_proxy"],
        ),
        ("b.php", "<?php\n$a = getenv('SCRIPT_NAME');\n$b = getenv('SHOP_NAME');\n", &["variable SHOP_NAME"]),
        (
            "b.py",
            "x = get_environment_value('SHOP_HOME')\nmonkey.setenv('SHOP_SET', '1')\n",
            &["variable SHOP_HOME"],
        ),
        (
            "a.rb",
            "ENV['A'] || 'x'\nENV.fetch('B', 'y')\nENV['SET'] = '1'\n",
            &["variable A = x", "variable B = y"],
        ),
        (
            "a.php",
            "<?php getenv('A') ?: 'x'; $_ENV['B']; env('C', false);",
            &["variable A = x", "variable B", "variable C = false"],
        ),
        (
            "a.sh",
            "#!/bin/sh\nOUT=x\necho \"${OUT:-y}\" \"${PORT:-80}\"\nLEVEL=${LEVEL:-1}\nf() {\n  local MORE\n  echo ${MORE:-x} ${RANDOM:-1}\n}\n",
            &["variable PORT = 80", "variable LEVEL = 1"],
        ),
    ] {
        check(path, text, expected);
    }
}

#[test]
fn the_value_of_a_secret_is_no_default() {
    check(
        "a.py",
        "import os\nos.getenv('API_KEY', 'abc')\nos.getenv('DB', 'postgres://me:hidden@host/x')\n",
        &["variable API_KEY", "variable DB"],
    );
    check(
        ".env.example",
        "# Port to listen on\nPORT=80\nJWT_SECRET=abc\n",
        &["variable PORT = 80: Port to listen on", "variable JWT_SECRET"],
    );
}

#[test]
fn flags_have_their_defaults_and_help_texts() {
    for (path, text, expected) in [
        (
            "a.rs",
            "use clap::{Arg, Parser};\n#[derive(Parser)]\nstruct Cli {\n  /// Port to listen on.\n  #[arg(long, short, env = \"PORT\", default_value_t = 80)]\n  port: u16,\n  \
             #[arg(short)]\n  verbose: bool,\n  #[arg(short('i'), long(\"include\"))]\n  include_mode: bool,\n  #[arg(help = \"the file\")]\n  file: String,\n}\n\
             fn f() { Arg::new(\"x\").long(\"max-size\").help(\"Largest size of all\").default_value(\"1\"); }",
            &[
                "flag --port = 80: Port to listen on.",
                "variable PORT = 80: Port to listen on.",
                "flag -v",
                "flag --include",
                "flag --max-size = 1: Largest size of all",
            ][..],
        ),
        (
            "a.py",
            "import argparse\np = argparse.ArgumentParser()\np.add_argument('-p', '--port', type=int, default=80, help='Port to '\n  'listen on')\np.add_argument('file')\n",
            &["flag --port = 80: Port to listen on"],
        ),
        (
            "b.py",
            "import click\n@click.option('--count', '-c', default=1, envvar='COUNT', help='How many times.')\ndef f(count): pass\n",
            &["flag --count = 1: How many times.", "variable COUNT = 1: How many times."],
        ),
        (
            "c.py",
            "import typer\ndef f(max_size: int = typer.Option(3, help='Largest size.')): pass\n",
            &["flag --max-size = 3: Largest size."],
        ),
        (
            "a.go",
            "package a\nimport \"flag\"\nvar p = flag.Int(\"port\", 80, \"port to use\")\nfunc f() { log.String(\"a\", \"b\") }",
            &["flag -port = 80: port to use"],
        ),
        (
            "b.go",
            "package a\nimport \"github.com/spf13/cobra\"\nfunc f() { cmd.Flags().StringVarP(&v, \"name\", \"n\", \"x\", \"name of it\") }",
            &["flag --name = x: name of it"],
        ),
        (
            "c.go",
            "package a\nimport \"github.com/urfave/cli/v2\"\nvar f = &cli.StringFlag{Name: \"port\", Value: \"80\", Usage: \"port to use\", EnvVars: []string{\"PORT\"}}",
            &["flag --port = 80: port to use", "variable PORT = 80: port to use"],
        ),
        (
            "a.js",
            "const { program } = require('commander');\nprogram.option('-p, --port <n>', 'port to use', 80);",
            &["flag --port = 80: port to use"],
        ),
        (
            "b.js",
            "import yargs from 'yargs';\nyargs.option('port', { default: 80, describe: 'port to use' });",
            &["flag --port = 80: port to use"],
        ),
        (
            "A.java",
            "import picocli.CommandLine.Option;\nclass A { @Option(names = {\"-p\", \"--port\"}, description = \"port to use\", defaultValue = \"80\") int port; }",
            &["flag --port = 80: port to use"],
        ),
        (
            "a.cs",
            "using System.CommandLine;\nclass A { void F() { new Option<int>(\"--port\", \"port to use\"); } }",
            &["flag --port: port to use"],
        ),
        (
            "a.c",
            "static const struct option o[] = { {\"port\", required_argument, NULL, 'p'}, {0, 0, 0, 0} };",
            &["flag --port"],
        ),
        (
            "a.rb",
            "require 'optparse'\nOptionParser.new do |opts|\n  opts.on('-p', '--port PORT', Integer, 'port to use') { |x| x }\nend\n",
            &["flag --port: port to use"],
        ),
        (
            "a.php",
            "<?php\nuse Symfony\\Component\\Console\\Command\\Command;\nclass A extends Command { function configure() { $this->addOption('port', 'p', InputOption::VALUE_REQUIRED, 'port to use', 80); } }",
            &["flag --port = 80: port to use"],
        ),
        ("a.sh", "#!/bin/bash\ncase $1 in\n  -p|--port) p=$2;;\n  *) exit 1;;\nesac\n", &["flag --port"]),
        ("d.sh", "draw() {\n  case $1 in\n    -w|--width) w=$2;;\n  esac\n}\n", &[]),
        ("b.sh", "case $1 in\n  --port) COMPREPLY=();;\nesac\n", &[]),
        // Without the library the same words mean something else.
        ("d.py", "@app.option('--count')\ndef f(): pass\n", &[]),
        ("c.js", "menu.option('-p, --port', 'port to use');", &[]),
    ] {
        check(path, text, expected);
    }
}

#[test]
fn variables_that_a_test_makes_up_are_no_settings() {
    for (path, text, expected) in [
        ("shop_test.go", "package a\n\ntype config struct {\n\tPort int `env:\"PORT\"`\n}\n", &[][..]),
        ("shop_test.go", "package a\n\nfunc f() { os.Getenv(\"SLOW\") }\n", &["variable SLOW"]),
        (
            "test/shop_test.rb",
            "before = ENV[\"TZ\"]\nENV[\"TZ\"] = \"UTC\"\nENV[\"SLOW\"] == \"1\"\n",
            &["variable SLOW"],
        ),
        ("tests/test_a.py", "import os\nold = os.environ.get('TZ')\nos.environ['TZ'] = 'UTC'\n", &[]),
        ("a.test.js", "const a = process.env.TZ;\nprocess.env.TZ = 'UTC';\n", &[]),
        (
            "tests/test_b.py",
            "import os\ndef test(monkeypatch):\n  monkeypatch.setenv('TZ', 'UTC')\n  os.getenv('TZ')\n",
            &[],
        ),
    ] {
        check(path, text, expected);
    }
}

#[test]
fn features_and_keys_come_from_their_files() {
    check(
        "Cargo.toml",
        "[package]\nname = \"a\"\n\n[features]\ndefault = [\"tls\"]\n# Encrypts all that is sent.\ntls = [\"dep:rustls\"]\nmore = [\n  \"b\",\n]\n\n[profile.dev]\nx = 1\n",
        &[
            "feature default: [\"tls\"]",
            "feature tls = on: Encrypts all that is sent.",
            "feature more: [ \"b\", ]",
        ],
    );
    check(
        "pyproject.toml",
        "[project]\nname = \"a\"\n[project.optional-dependencies]\nhttp2 = [\n  \"h2\",\n]\n",
        &["feature http2"],
    );
    check(
        "CMakeLists.txt",
        "option(BUILD_TESTS \"Builds the tests\" ON)\n# option(OLD \"x y\" ON)\n",
        &["feature BUILD_TESTS = ON: Builds the tests"],
    );
    check(
        "configure.ac",
        "AC_ARG_ENABLE([docs], AS_HELP_STRING([--enable-docs], [Builds the docs]))\nSHOP_ARG_ENABLE(gift_wrap,\n  [Enable the wrapping of gifts],\n  yes)\n",
        &[
            "feature --enable-docs: Builds the docs",
            "feature --enable-gift-wrap = yes: Enable the wrapping of gifts",
        ],
    );
    check(
        "meson_options.txt",
        "option('docs', type : 'boolean', value : false, description : 'Builds the docs')\n",
        &["feature docs = false: Builds the docs"],
    );
    check(
        "src/main/resources/application.properties",
        "# x\nserver.port=80\nspring.datasource.password=abc\n",
        &["key server.port = 80", "key spring.datasource.password"],
    );
    check(
        "src/main/resources/application.yml",
        "server:\n  port: 80 # the port\n  list:\n    - a: 1\nname: x\n",
        &["key server.port = 80", "key name = x"],
    );
    check(
        "appsettings.json",
        "{\n  \"Logging\": {\n    \"Level\": \"Info\"\n  },\n  \"Hosts\": [\n    { \"A\": 1 }\n  ]\n}\n",
        &["key Logging:Level = Info"],
    );
    check(
        "a.py",
        "from pydantic_settings import BaseSettings\nclass Settings(BaseSettings):\n    port: int = 80\n    name: str\n",
        &["variable PORT = 80", "variable NAME"],
    );
    check(
        "A.java",
        "import org.springframework.beans.factory.annotation.Value;\nclass A { @Value(\"${shop.size:5}\") int size; }",
        &["key shop.size = 5"],
    );
    check(
        "a.go",
        "package a\nimport \"github.com/spf13/viper\"\nfunc f() { viper.SetDefault(\"port\", 80) }",
        &["key port = 80"],
    );
}

#[test]
fn programs_that_compare_their_own_arguments_have_options_with_the_help_of_their_usage() {
    check(
        "a.c",
        "#include <string.h>\nvoid usage(void) {\n  printf(\"  --smart   Use smart punctuation\\n\");\n}\nint main(int argc, char **argv) {\n  return strcmp(argv[1], \"--smart\") == 0;\n}\n",
        &["flag --smart: Use smart punctuation"],
    );
    // The function gets the arguments of the script; `draw` has its own.
    check(
        "tool.sh",
        "#!/bin/bash\nadd() {\n  case $1 in\n    -f|--force) f=1 ;;\n  esac\n}\ndraw() {\n  case $1 in\n    --width) w=1 ;;\n  esac\n}\nadd \"$@\"\ndraw 1\n",
        &["flag --force"],
    );
}

#[test]
fn php_has_lists_of_options() {
    check("a.php", "<?php\n$o = getopt('hv', ['port:', 'quiet']);\n", &["flag --port", "flag --quiet"]);
    check(
        "b.php",
        "<?php\nuse SebastianBergmann\\CliParser\\Parser as CliParser;\n$o = (new CliParser)->parse(\n  $argv,\n  'hv',\n  [\n    'suffix=',\n    'count-tests',\n  ]\n);\n",
        &["flag --suffix", "flag --count-tests"],
    );
    check("c.php", "<?php\n$o = $reader->parse($a, 'x', ['b=']);\n", &[]);
}

#[test]
fn the_default_of_an_option_is_the_value_of_its_field() {
    check(
        "A.java",
        "import org.kohsuke.args4j.Option;\nclass A {\n  @Option(name = \"-mode\", usage = \"output format\")\n  private Mode mode = Mode.HTML;\n  @Option(name = \"-o\")\n  private File out = new File(\".\");\n  @Option(name = \"-n\")\n  private int n = 5; // for tests\n}\n",
        &["flag -mode = HTML: output format", "flag -o", "flag -n = 5"],
    );
}

#[test]
fn a_script_reads_what_it_never_sets_if_it_is_named_like_the_others() {
    check(
        "a.sh",
        "#!/bin/sh\necho \"${APP_DIR:-$HOME/.app}\" \"${APP_OUT:-$OTHER/x}\" \"${APP_SET:-[:alnum:]}\"\n[ -n \"$APP_HOST\" ] && echo $APP_LATER $OTHER_NAME\nread APP_LATER\n",
        &[
            "variable APP_DIR = $HOME/.app",
            "variable APP_OUT",
            "variable APP_SET = [:alnum:]",
            "variable APP_HOST",
        ],
    );
}

#[test]
fn the_last_word_of_a_name_tells_that_it_is_no_secret() {
    check(
        "a.py",
        "import os\nos.getenv('PASSWORD_STORE_DIR', 'x')\nos.getenv('TOKEN_LIFETIME', '60')\nos.getenv('DIR_TOKEN', 'x')\n",
        &["variable PASSWORD_STORE_DIR = x", "variable TOKEN_LIFETIME = 60", "variable DIR_TOKEN"],
    );
}

#[test]
fn shifts_are_defaults_as_written() {
    check(
        "a.go",
        "package a\nimport \"flag\"\nvar m = flag.Int64(\"mem\", 1<<20, \"most bytes\")\n",
        &["flag -mem = 1<<20: most bytes"],
    );
}

#[test]
fn configure_has_options() {
    check(
        "configure.ac",
        "AC_ARG_ENABLE(tests, AC_HELP_STRING([--enable-tests], [Enable NUnit tests]),\n  x=y)\nAC_ARG_WITH([ssl],\n  [AS_HELP_STRING([--with-ssl=DIR],\n    [use the library in DIR])])\nAC_ARG_ENABLE([$name], [])\n",
        &["feature --enable-tests: Enable NUnit tests", "feature --with-ssl: use the library in DIR"],
    );
}

#[test]
fn options_without_a_library_have_the_help_of_the_usage() {
    for (path, text, expected) in [
        (
            "main.go",
            "package main\nimport \"os\"\nconst usage = `\n    -p, --port=N     Port to listen on\n`\nfunc main() {\n\tfor _, a := range os.Args {\n\t\tswitch a {\n\t\tcase \"-p\", \"--port\":\n\t\t\tf()\n\t\t}\n\t}\n}\n",
            &["flag --port: Port to listen on"][..],
        ),
        (
            "src/main.rs",
            "fn main() {\n    for a in std::env::args() {\n        match a.as_str() {\n            \"--all\" => {}\n            \"-q\" | \"--quiet\" => {}\n            \"--to\" => {}\n            _ => {}\n        }\n    }\n}\n",
            &["flag --all", "flag --quiet", "flag --to"],
        ),
        // Three names in a file that reads no arguments of its own are those of another file.
        (
            "src/lock.rs",
            "fn shown() {\n    for arg in std::env::args() {\n        if arg == \"--all\" {}\n        if arg == \"--to\" {}\n        if arg == \"--quiet\" {}\n    }\n}\n",
            &[],
        ),
        (
            "a.c",
            "#include <unistd.h>\nvoid usage(void) {\n  printf(\"  -c FILE   Read this file\\n\");\n}\nint main(int n, char **v) { return getopt(n, v, \"c:v\"); }\n",
            &["flag -c: Read this file", "flag -v"],
        ),
        ("a.sh", "#!/bin/sh\nwhile getopts \"c:v\" o; do\n  :\ndone\n", &["flag -c", "flag -v"]),
        (
            "a.py",
            "import getopt, sys\no = getopt.getopt(sys.argv[1:], 'hp:', ['help', 'port='])\n",
            &["flag --help", "flag --port"],
        ),
        (
            "b.py",
            "import click\ndef more(f):\n    f = click.option('size', '--max-size', envvar='SIZE', help='Largest size of all')(f)\n    return f\n",
            &["flag --max-size: Largest size of all", "variable SIZE: Largest size of all"],
        ),
        (
            "b.rs",
            "use clap::{arg, Command};\nfn f() { Command::new(\"a\").arg(arg!(-p --port <PORT> \"Port to use\").default_value(\"80\")).arg(arg!([name] \"A name\")); }\n",
            &["flag --port = 80: Port to use"],
        ),
        (
            "c.rs",
            "use getopts::Options;\nfn f() { opts.optopt(\"o\", \"output\", \"file to write\", \"FILE\"); opts.optflag(\"q\", \"\", \"say nothing at all\"); }\n",
            &["flag --output: file to write", "flag -q: say nothing at all"],
        ),
        (
            "a.rb",
            "require 'optparse'\nOptionParser.new do |o|\n  o.on '-p', '--port PORT', \"port to use (default: #{PORT})\"\nend\n",
            &["flag --port: port to use"],
        ),
    ] {
        check(path, text, expected);
    }
}

#[test]
fn the_names_of_the_environment_are_collected_once_for_a_file() {
    // A search of the file at every call reads 2 GB here.
    let text = format!("import os\nE = os.environ\nx = E['SHOP_PORT']\n{}", "f(1)\n".repeat(19_000));
    check("a.py", &text, &["variable SHOP_PORT"]);
}
