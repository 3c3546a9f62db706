//! Settings that tables, structures and usages of the code name.

mod kit;

use std::sync::Arc;

use kit::{check, shown};
use stategraph_facts::{FactKind, Facts};
use stategraph_repo::{CodeBase, MemoryFiles};

#[test]
fn tables_and_constants_of_the_code_name_keys() {
    check(
        "app.py",
        "S = (\n  Setting('page_size', 100, 'Rows on a page'),\n  Setting('rows', 1000, 'Most rows of all'),\n  Setting('trace', False, 'Show the time'),\n)\n",
        &[
            "key page_size = 100: Rows on a page",
            "key rows = 1000: Most rows of all",
            "key trace = False: Show the time",
        ],
    );
    check("two.py", "S = (Setting('a', 1, 'One of all'), Setting('b', 2, 'Two of all'))\n", &[]);
    check(
        "web.py",
        "from flask import current_app\nx = current_app.config.get('PAGE_SIZE', 10)\ny = current_app.config['HOST']\n",
        &["key PAGE_SIZE = 10", "key HOST"],
    );
    check(
        "config.rb",
        "class Configuration\n  DEFAULTS = {\n    workers: 2,\n    log: {\n      level: 'info'\n    },\n    host: HOST\n  }\n  # Port to listen on.\n  attr_accessor :port\n  attr_accessor :a, :b\nend\n",
        &["key workers = 2", "key log", "key host", "key port: Port to listen on.", "key a", "key b"],
    );
    check(
        "dsl.rb",
        "class DSL\n  # Sets the port to listen on.\n  def port(number)\n  end\n\n  def _load\n  end\nend\n",
        &["key port: Sets the port to listen on."],
    );
}

fn check_tree(files: &[(&str, &str)], expected: &[&str]) {
    let facts = Facts::collect(&CodeBase::new(Arc::new(MemoryFiles::new(files.iter().copied()))));
    let mut found: Vec<String> = facts.of_kind(FactKind::Setting).filter_map(shown).collect();
    found.sort();
    let mut expected = expected.to_vec();
    expected.sort_unstable();
    assert_eq!(found, expected);
}

#[test]
fn structures_that_a_configuration_is_read_into_name_its_keys() {
    check_tree(
        &[
            (
                "src/config.rs",
                "#[derive(Deserialize)]\n#[serde(rename_all = \"kebab-case\")]\npub struct Config {\n    /// Port to listen on.\n    pub listen_port: u16,\n    #[serde(rename = \"log\")]\n    pub logging: Option<log::Settings>,\n    pub rules: Vec<RuleConfig>,\n    #[serde(skip)]\n    pub path: String,\n}\n#[derive(Deserialize)]\npub struct RuleConfig { pub when: String }\nfn read(text: &str) { toml::from_str(text) }\n",
            ),
            ("src/log.rs", "#[derive(Deserialize)]\npub struct Settings { pub level: String }\n"),
        ],
        &["key listen-port: Port to listen on.", "key log.level", "key rules"],
    );
    check_tree(
        &[(
            "main.go",
            "package main\ntype Config struct {\n\t// Port to listen on.\n\tPort int `yaml:\"port\" default:\"80\"`\n\tLog struct {\n\t\tLevel string `yaml:\"level\"`\n\t} `yaml:\"log\"`\n\tDB Database `yaml:\"db\"`\n\tskip string `yaml:\"-\"`\n}\ntype Database struct {\n\tHost string `yaml:\"host\"`\n}\n",
        )],
        &["key port = 80: Port to listen on.", "key log.level", "key db.host"],
    );
    // The program fills this one from the other.
    check_tree(
        &[(
            "main.go",
            "package main\ntype Config struct {\n\tPort int\n}\ntype fileConfig struct {\n\tPort int `toml:\"port\"`\n}\nfunc LoadConfig() {}\n",
        )],
        &["key port"],
    );
    // The word before these keys stands in the call.
    check_tree(
        &[(
            "a.go",
            "package a\ntype Config struct {\n\tName string `koanf:\"name\"`\n}\nfunc f() { ko.Unmarshal(\"app\", &c) }\n",
        )],
        &[],
    );
    // What a server sends is no configuration, and nothing reads it from a file.
    check_tree(
        &[("api.go", "package api\ntype ClientConfig struct {\n\tName string `json:\"name\"`\n}\n")],
        &[],
    );
}

#[test]
fn kong_reads_the_fields_of_structures_in_other_packages() {
    check_tree(
        &[
            ("go.mod", "module shop\n"),
            (
                "main.go",
                "package main\n\nimport (\n\t\"github.com/alecthomas/kong\"\n\t\"shop/sell\"\n)\n\nfunc main() {\n\tkong.Parse(&Shop{})\n}\n\ntype Shop struct {\n\tSell sell.Options `cmd:\"\" help:\"Sells goods\"`\n\tQuiet bool `help:\"Print nothing\" short:\"q\"`\n}\n",
            ),
            (
                "sell/options.go",
                "package sell\n\ntype Options struct {\n\tMaxItems int `help:\"Most items\" default:\"3\" env:\"SHOP_MAX\"`\n\tFiles []string `arg:\"\"`\n\tLabel Style `embed:\"\" prefix:\"label.\" envprefix:\"LABEL_\"`\n}\n\ntype Style struct {\n\tColor string `help:\"Its color\" default:\"${color}\" env:\"COLOR\"`\n}\n",
            ),
        ],
        &[
            "flag --label.color: Its color",
            "flag --max-items = 3: Most items",
            "flag --quiet: Print nothing",
            "variable LABEL_COLOR: Its color",
            "variable SHOP_MAX = 3: Most items",
        ],
    );
}

#[test]
fn options_of_go_have_the_help_of_the_own_usage() {
    check(
        "a.go",
        "package main\nimport \"flag\"\nvar n = flag.Int(\"n\", 200, \"\")\nvar c = flag.Int(\"c\", 50, \"\")\nvar x = flag.Int(\"x\", 1, \"Its own\")\nvar usage = `Usage:\n  -n  Number of runs.\n  -c  Number of workers, which\n      share the runs.\n  -x  Another one.\n`\n",
        &[
            "flag -c = 50: Number of workers, which share the runs.",
            "flag -n = 200: Number of runs.",
            "flag -x = 1: Its own",
        ],
    );
}
