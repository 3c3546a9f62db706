//! Variables whose names are constants, and those of samples.

mod kit;

use std::sync::Arc;

use kit::shown;
use stategraph_facts::{FactKind, Facts};
use stategraph_repo::{CodeBase, MemoryFiles};

#[test]
fn constants_name_variables_beside_a_function_that_reads_given_names() {
    let files = [
        (
            "config/keys.go",
            "package config\n\nconst (\n\tEnvServerPort = \"SHOP_SERVER_PORT\"\n\tEnvPrefix = \"SHOP_\"\n)\n",
        ),
        (
            "config/parse.go",
            "package config\n\nimport \"os\"\n\nfunc get(env string) string { return os.Getenv(env) }\n",
        ),
        ("other/keys.go", "package other\n\nconst EnvOther = \"SHOP_OTHER\"\n"),
        ("shop.env.example", "# Port of the shop.\nSHOP_PORT=80\n"),
        ("example.env", "SHOP_KIND=small\n"),
    ];
    let facts = Facts::collect(&CodeBase::new(Arc::new(MemoryFiles::new(files))));
    let mut found: Vec<String> = facts.of_kind(FactKind::Setting).filter_map(shown).collect();
    found.sort();
    assert_eq!(
        found,
        [
            "variable SHOP_KIND = small",
            "variable SHOP_PORT = 80: Port of the shop.",
            "variable SHOP_SERVER_PORT",
        ]
    );
}
