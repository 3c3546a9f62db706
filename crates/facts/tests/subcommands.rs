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
    ] {
        check(path, text, expected);
    }
}
