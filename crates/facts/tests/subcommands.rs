//! Subcommands of programs with their help texts.

use std::sync::Arc;

use stategraph_facts::{Fact, FactKind, FactValue, Facts};
use stategraph_repo::{CodeBase, MemoryFiles};

fn shown(fact: &Fact) -> Option<String> {
    let FactValue::Subcommand { name, text } = &fact.value else { return None };
    Some(text.as_ref().map_or_else(|| name.clone(), |text| format!("{name}: {text}")))
}

fn check(path: &str, text: &str, expected: &[&str]) {
    let facts = Facts::collect(&CodeBase::new(Arc::new(MemoryFiles::new([(path, text)]))));
    let found: Vec<String> = facts.of_kind(FactKind::Subcommand).filter_map(shown).collect();
    assert_eq!(found, expected, "{path}\n{text}");
}

#[test]
fn each_library_names_its_subcommands() {
    for (path, text, expected) in [
        (
            "a.rs",
            "use clap::Subcommand;\n#[derive(Subcommand)]\nenum Command {\n  /// Starts the server.\n  RunAll { a: u8 },\n  #[command(name = \"ls\", about = \"Lists all files\")]\n  List,\n  #[command(flatten)]\n  More(More),\n}\n",
            &["run-all: Starts the server.", "ls: Lists all files"][..],
        ),
        (
            "b.rs",
            "use clap::Command;\nfn f() { Command::new(\"app\").subcommand(Command::new(\"add\").about(\"Adds one file\").arg(x())); }",
            &["add: Adds one file"],
        ),
        (
            "a.py",
            "import argparse\ns = p.add_subparsers()\ns.add_parser('add', help='Adds one file')\n",
            &["add: Adds one file"],
        ),
        (
            "b.py",
            "import click\n@click.group()\ndef cli(): pass\n@cli.command()\ndef run_all():\n  'Starts all servers.'\n@cli.command('ls')\ndef x(): pass\n",
            &["run-all: Starts all servers.", "ls"],
        ),
        (
            "a.go",
            "package a\nimport \"github.com/spf13/cobra\"\nvar rootCmd = &cobra.Command{Use: \"app\", Short: \"The whole program\"}\nvar add = &cobra.Command{Use: \"add [file]\", Short: \"Adds one file\"}",
            &["add: Adds one file"],
        ),
        (
            "a.js",
            "const { program } = require('commander');\nprogram.command('add <file>').description('Adds one file').action(f);",
            &["add: Adds one file"],
        ),
        (
            "A.java",
            "import picocli.CommandLine.Command;\n@Command(name = \"add\", description = \"Adds one file\")\nclass A {}",
            &["add: Adds one file"],
        ),
        (
            "A.php",
            "<?php\nuse Symfony\\Component\\Console\\Attribute\\AsCommand;\n#[AsCommand(name: 'app:add', description: 'Adds one file')]\nclass A {}",
            &["app:add: Adds one file"],
        ),
        (
            "B.php",
            "<?php\nuse Illuminate\\Console\\Command;\nclass A extends Command {\n  protected $signature = 'mail:send {user}';\n  protected $description = 'Sends one mail';\n}",
            &["mail:send: Sends one mail"],
        ),
        (
            "a.rb",
            "class A < Thor\n  desc 'add FILE', 'Adds one file'\n  def add(f); end\nend\n",
            &["add: Adds one file"],
        ),
        (
            "a.cs",
            "using System.CommandLine;\nvar c = new Command(\"add\", \"Adds one file\");",
            &["add: Adds one file"],
        ),
        ("c.py", "@bot.command()\ndef ping(): pass\n", &[]),
        (
            "b.ts",
            "import { Command } from 'commander'\nconst program = new Command()\nconst remote = program.command('remote').alias('r')\nremote\n  .command('add <file>')\n  .description('Adds one file')\n  .action(run)\nprogram.command('list').description('Lists all files')\n",
            &["remote", "remote add: Adds one file", "list: Lists all files"],
        ),
        (
            "b.go",
            "package a\nimport \"github.com/urfave/cli/v2\"\nvar (\n\tcmdDB = cli.Command{\n\t\tName: \"db\",\n\t\tSubcommands: []*cli.Command{&cmdInit},\n\t}\n\tcmdInit cli.Command = cli.Command{Name: \"init\", Usage: \"Makes the tables\"}\n)\n",
            &["db", "db init: Makes the tables"],
        ),
    ] {
        check(path, text, expected);
    }
}

#[test]
fn subcommands_without_a_library_are_compared_with_the_first_argument() {
    for (path, text, expected) in [
        (
            "a.sh",
            "#!/bin/bash\nadd() { :; }\ncase \"$1\" in\n  add|insert) shift; add \"$@\" ;;\n  help|--help) shift; usage ;;\n  -v) shift ;;\n  *) exit 1 ;;\nesac\n",
            &["add", "help"][..],
        ),
        // Values of an argument, arguments of a function, and those of no program.
        ("b.sh", "#!/bin/bash\ncase \"$1\" in\n  linux) os=1 ;;\n  macos) os=2 ;;\nesac\n", &[]),
        ("c.sh", "#!/bin/bash\nf() { case $1 in\n  add) shift ;;\n  del) shift ;;\nesac; }\n", &[]),
        ("d.sh", "case $1 in\n  add) shift ;;\n  del) shift ;;\nesac\n", &[]),
        ("debian/a.postinst", "#!/bin/sh\ncase $1 in\n  add) shift ;;\n  del) shift ;;\nesac\n", &[]),
        (
            "a.cc",
            "#include <string>\nint main(int argc, char** argv) {\n  std::string command = argv[1];\n  if (command == \"dump\") return 1;\n  // command == \"old\"\n}\n",
            &["dump"],
        ),
        (
            "a.c",
            "int main(int argc, char** argv) {\n  if (strcmp(argv[1], \"get\") == 0) {} else if (!strcmp(argv[1], \"put\")) {}\n  if (strcmp(argv[2], \"fast\") == 0) {}\n}\n",
            &["get", "put"],
        ),
        ("b.c", "int main(int argc, char** argv) {\n  return strcmp(argv[1], \"fast\") == 0;\n}\n", &[]),
    ] {
        check(path, text, expected);
    }
}

fn check_tree(files: &[(&str, &str)], expected: &[&str]) {
    let facts = Facts::collect(&CodeBase::new(Arc::new(MemoryFiles::new(files.iter().copied()))));
    let found: Vec<String> = facts.of_kind(FactKind::Subcommand).filter_map(shown).collect();
    assert_eq!(found, expected);
}

#[test]
fn subcommands_have_the_words_before_them_and_the_help_of_their_types() {
    check_tree(
        &[
            (
                "src/cli.rs",
                "use clap::{Parser, Subcommand};\n#[derive(Subcommand)]\nenum Cmd {\n  Add(Add),\n  Remote(crate::remote::Remote),\n}\n/// Adds one file.\n#[derive(Parser)]\nstruct Add { path: String }\n",
            ),
            (
                "src/remote.rs",
                "use clap::{Args, Subcommand};\n/// Works with other copies.\n#[derive(Args)]\npub struct Remote {\n  #[command(subcommand)]\n  command: Option<RemoteCommand>,\n}\n#[derive(Subcommand)]\nenum RemoteCommand {\n  /// Lists all copies.\n  List,\n}\n",
            ),
        ],
        &["add: Adds one file.", "remote: Works with other copies.", "remote list: Lists all copies."],
    );
    check_tree(
        &[
            (
                "cli.py",
                "import click\n@click.group()\ndef cli(): pass\n@cli.group()\ndef publish(): pass\n@cli.command()\ndef serve(): pass\n",
            ),
            ("more.py", "import click\ndef hook(publish):\n  @publish.command()\n  def cloud(): pass\n"),
        ],
        &["publish", "serve", "publish cloud"],
    );
    check_tree(
        &[
            (
                "cmd/key.go",
                "package cmd\nimport \"github.com/spf13/cobra\"\nvar keyCmd = &cobra.Command{Use: \"key\", Short: \"Work with keys\"}\nfunc init() {\n\trootCmd.AddCommand(keyCmd)\n\tkeyCmd.AddCommand(\n\t\tnewAdd(),\n\t)\n}\n",
            ),
            (
                "cmd/key_add.go",
                "package cmd\nimport \"github.com/spf13/cobra\"\nfunc newAdd() *cobra.Command {\n\treturn &cobra.Command{Use: \"add\", Short: \"Add a key\"}\n}\n",
            ),
        ],
        &["key: Work with keys", "key add: Add a key"],
    );
    check_tree(
        &[(
            "a.py",
            "import argparse\ns = p.add_subparsers()\nr = s.add_parser('remote')\nt = r.add_subparsers()\nt.add_parser('add')\ns.add_parser('list')\n",
        )],
        &["remote", "remote add", "list"],
    );
    // Two functions may use one name for their parsers.
    check_tree(
        &[(
            "a.py",
            "import argparse\ndef cache(s):\n    p = s.add_parser('cache')\n    s = p.add_subparsers()\n    s.add_parser('dir')\ndef main():\n    s = parser.add_subparsers()\n    s.add_parser('help')\n",
        )],
        &["cache", "cache dir", "help"],
    );
}

#[test]
fn fields_of_kong_are_subcommands() {
    check_tree(
        &[
            ("go.mod", "module shop\n"),
            (
                "main.go",
                "package main\n\nimport \"github.com/alecthomas/kong\"\n\ntype Shop struct {\n\tSellAll Sell `cmd:\"\" help:\"Sells goods\"`\n\tStock struct {\n\t\tAdd Sell `cmd:\"\" name:\"put\"`\n\t} `cmd:\"\" help:\"Its stock\"`\n}\n\ntype Sell struct {\n\tQuiet bool `help:\"Print nothing\"`\n}\n",
            ),
        ],
        &["sell-all: Sells goods", "stock: Its stock", "stock put"],
    );
}

#[test]
fn commands_of_typer_have_the_words_of_the_group_that_another_file_adds() {
    check_tree(
        &[
            (
                "shop/main.py",
                "import typer\nfrom .db import moves as moves_app\napp = typer.Typer()\ndev = typer.Typer()\napp.add_typer(dev, name=\"dev\")\ndev.add_typer(moves_app, name=\"db\")\n",
            ),
            (
                "shop/db.py",
                "import typer\nmoves = typer.Typer()\n@moves.command(\"up\")\ndef up():\n    \"\"\"Moves all things up.\"\"\"\n",
            ),
        ],
        &["dev db up: Moves all things up."],
    );
}

#[test]
fn the_command_that_a_program_executes_is_the_program() {
    check_tree(
        &[
            ("go.mod", "module shop\n"),
            (
                "cmd/shop.go",
                "package cmd\nimport \"github.com/spf13/cobra\"\nvar shopCmd = &cobra.Command{\n\tUse: \"shop\",\n\tShort: \"Sells things\",\n}\nfunc Run() { shopCmd.Execute() }\n",
            ),
            (
                "cmd/add.go",
                "package cmd\nimport \"github.com/spf13/cobra\"\nfunc init() {\n\tshopCmd.AddCommand(addCmd)\n}\nvar addCmd = &cobra.Command{\n\tUse: \"add\",\n\tShort: \"Adds one thing\",\n}\n",
            ),
        ],
        &["add: Adds one thing"],
    );
}
