//! One shop in four languages.

/// A library with two programs.
pub(super) const RUST: &[(&str, &str)] = &[
    (
        "Cargo.toml",
        "[package]\nname = \"shop\"\ndescription = \"Takes orders and keeps them\"\n[dependencies]\nserde = \"1\"\n[dev-dependencies]\nproptest = \"1\"\n",
    ),
    ("README.md", "# Shop\n\n[![badge](x)](y)\n\nSells tea.\n"),
    (
        "src/lib.rs",
        "//! A shop.\n\npub mod config;\npub mod model;\npub mod store;\n\npub use store::Store;\n",
    ),
    ("src/main.rs", "use shop::store::open;\n\nfn main() {\n    drop(open(\"orders\"));\n}\n"),
    ("src/bin/export.rs", "use shop::config::Config;\nuse shop::store;\n\nfn main() {}\n"),
    (
        "src/config.rs",
        "/// What the user sets.\npub struct Config {\n    pub path: String,\n}\n\nimpl Config {\n    pub fn read() -> Self {\n        Self { path: std::env::var(\"SHOP\").unwrap_or_default() }\n    }\n}\n",
    ),
    (
        "src/model/mod.rs",
        "//! What is ordered.\n\nmod lines;\n\n/// An order.\npub struct Order {\n    /// Its number.\n    pub id: u64,\n    pub lines: Vec<Line>,\n    pub(crate) state: State,\n}\n\n\
         pub struct Line {\n    pub name: String,\n}\n\npub enum State {\n    Open,\n    Paid { by: String },\n    Sent(u32),\n}\n\npub trait Priced {\n    fn price(&self) -> u64;\n}\n\n\
         impl Priced for Order {\n    fn price(&self) -> u64 {\n        1\n    }\n}\n\npub struct OrderBuilder(Order);\n\nimpl OrderBuilder {\n    pub fn build(self) -> Order {\n        self.0\n    }\n}\n",
    ),
    (
        "src/model/lines.rs",
        "use super::{Line, Order};\n\npub struct Lines<'a>(&'a Order);\n\nimpl<'a> Iterator for Lines<'a> {\n    type Item = &'a Line;\n    fn next(&mut self) -> Option<&'a Line> {\n        None\n    }\n}\n",
    ),
    (
        "src/store.rs",
        "//! Keeps orders.\n\nmod journal;\n\nuse crate::model::Order;\n\n/// Orders on disk.\npub struct Store {\n    orders: Vec<Order>,\n}\n\n#[derive(Debug)]\npub enum StoreError {\n    Missing,\n}\n\n\
         impl std::error::Error for StoreError {}\n\n/// Opens a store. Makes it if it is not there.\npub fn open(path: &str) -> Result<Store, StoreError> {\n    todo(path)\n}\n\n\
         impl Store {\n    pub fn add(&mut self, order: Order) {}\n    fn sync(&self) {}\n}\n\nfn sync() {}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn works() {}\n}\n",
    ),
    ("src/store/journal.rs", "//! Appends.\n\nuse crate::config::Config;\n\nfn append() {}\n"),
    ("tests/all.rs", "use shop::model::Order;\n\n#[test]\nfn an_order() {}\n"),
];

/// A package below `src`, with a command.
pub(super) const PYTHON: &[(&str, &str)] = &[
    (
        "pyproject.toml",
        "[project]\nname = \"shop\"\ndescription = \"A shop.\"\ndependencies = [\"flask>=2\"]\n[project.scripts]\nshop = \"shop.cli:main\"\n",
    ),
    ("setup.py", "from setuptools import setup\nsetup()\n"),
    ("src/shop/__init__.py", "\"\"\"A shop.\"\"\"\n"),
    ("src/shop/__main__.py", "from .cli import main\n\nmain()\n"),
    (
        "src/shop/cli.py",
        "from shop.web import app\n\ndef main():\n    \"\"\"Runs the shop.\"\"\"\n    app.run()\n",
    ),
    (
        "src/shop/orders/__init__.py",
        "\"\"\"\nshop.orders\n~~~~~~~~~~~\n\nWhat customers order.\n\"\"\"\nfrom .models import Order\n",
    ),
    (
        "src/shop/orders/models.py",
        "import dataclasses\n\nclass Base:\n    pass\n\nclass Line:\n    name: str\n\n@dataclasses.dataclass\nclass Order(Base):\n    \"\"\"An order.\"\"\"\n    number: int = 0\n    lines: list[Line] = None\n\n\
         def total(order: Order) -> int:\n    return 0\n\ndef _hidden():\n    pass\n",
    ),
    ("src/shop/web/__init__.py", ""),
    (
        "src/shop/web/app.py",
        "import os\nfrom ..orders.models import Order\n\ndef run():\n    return os.environ[\"PORT\"]\n",
    ),
    ("tests/test_orders.py", "import pytest\n\ndef test_total():\n    pass\n"),
];

/// A package with a command.
pub(super) const TYPESCRIPT: &[(&str, &str)] = &[
    (
        "package.json",
        "{\"name\": \"shop\", \"description\": \"A shop\", \"main\": \"./src/index.ts\", \"bin\": {\"shop\": \"bin/shop.js\"}, \"dependencies\": {\"express\": \"^4\"}}",
    ),
    ("bin/shop.js", "#!/usr/bin/env node\nconst shop = require('../src/index');\nshop.start();\n"),
    ("src/index.ts", "export { serve } from './api';\nexport function start(): void {}\n"),
    (
        "src/api/index.ts",
        "import { Client } from '../db/client';\n\n/** Serves orders. */\nexport function serve(client: Client): void {}\n",
    ),
    (
        "src/db/client.ts",
        "export interface Row {\n  id: number;\n  tags?: string[];\n}\n\n/** Talks to the database. */\nexport class Client {\n  private rows: Row[] = [];\n  find_resumable(id: number): Row { return this.rows[0]; }\n}\n",
    ),
    ("src/db/client.test.ts", "describe('client', () => {});\n"),
];

/// A module with a command and two internal packages.
pub(super) const GO: &[(&str, &str)] = &[
    ("go.mod", "module example.org/team/shop\n\ngo 1.22\n"),
    (
        "cmd/server/main.go",
        "package main\n\nimport \"example.org/team/shop/internal/store\"\n\nfunc main() {\n\tstore.Open()\n}\n",
    ),
    (
        "internal/model/model.go",
        "// Package model is what is ordered.\npackage model\n\n// Order is one.\ntype Order struct {\n\tID    int `json:\"id\"`\n\tLines []Line\n}\n\ntype Line struct {\n\tName string\n}\n",
    ),
    (
        "internal/store/store.go",
        "// Package store keeps orders.\npackage store\n\nimport (\n\t\"errors\"\n\n\t\"example.org/team/shop/internal/model\"\n)\n\ntype Store struct {\n\torders []model.Order\n}\n\nfunc Open() (*Store, error) {\n\treturn nil, errors.New(\"no\")\n}\n",
    ),
    ("internal/store/store_test.go", "package store\n\nfunc TestOpen(t *testing.T) {}\n"),
];
