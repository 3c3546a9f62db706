//! The map of a context file: bodies, values, names that are passed on, functions that only call others.

use super::content::full;

/// Asserts that the context file of a repository has all of these texts and none of the `others`.
fn assert_told(files: &[(&str, &str)], expected: &[&str], others: &[&str]) {
    let text = full(files);
    for part in expected {
        assert!(text.contains(part), "{part:?} is missing in\n{text}");
    }
    for part in others {
        assert!(!text.contains(part), "{part:?} stands in\n{text}");
    }
}

#[test]
fn functions_that_only_pass_their_arguments_on_share_a_line() {
    let code = "package shop\n\n// Log writes a line to the book of the shop.\nfunc Log(level int, line string) {\n\tbook(level, line)\n\tif level > 40 {\n\t\tclose(line)\n\t}\n}\n\nfunc book(level int, line string) { println(level, line) }\n\n// Debug logs.\nfunc Debug(line string) {\n\tLog(10, line)\n}\n\n// Info logs.\nfunc Info(line string) {\n\tLog(20, line)\n}\n\n// Warn logs.\nfunc Warn(line string) {\n\tLog(30, line)\n}\n\n// Error logs.\nfunc Error(line string) {\n\tLog(40, line)\n}\n";
    let files = [("go.mod", "module example.com/shop\n\ngo 1.22\n"), ("shop.go", code)];
    assert_told(&files, &["`Debug` L14, `Info` L19, `Warn` L24, `Error` L29 → `Log`"], &["`Debug` L14 →"]);
}

#[test]
fn the_entry_of_a_library_tells_the_names_that_it_passes_on() {
    let files = [
        ("package.json", "{\"name\": \"shop\", \"version\": \"1.0.0\", \"main\": \"./src/index.ts\"}"),
        ("src/index.ts", "export { take } from \"./stock\"\nexport * from \"./till\"\n"),
        ("src/stock.ts", "export function take(name: string) {\n  return find(name) ?? order(name)\n}\n"),
        ("src/till.ts", "export function pay(sum: number) {\n  return sum > 0 ? sum : refuse(sum)\n}\n"),
    ];
    assert_told(
        &files,
        &["`src/index.ts` passes on L1-2: `export { take } from \"./stock\"; export * from \"./till\"`"],
        &[],
    );
}

#[test]
fn values_of_a_file_are_told_with_limits_first_and_without_those_of_one_branch() {
    let python = "import re\n\nSHELVES = 12\nMAX_BOOKS = 300\n\ntry:\n    import fast\nexcept ImportError:\n    fast = None\n\n\nclass Shop:\n    \"\"\"A shop.\"\"\"\n\n\nshop = Shop()\n";
    let files =
        [("pyproject.toml", "[project]\nname = \"shop\"\nversion = \"1\"\n"), ("shop/stock.py", python)];
    assert_told(
        &files,
        &["`SHELVES = 12` L3, `MAX_BOOKS = 300` L4", "`shop = Shop()` L16"],
        &["fast = None"],
    );
    let c = "/* Syntax of the shelves. */\n#define SHELVES 12\n#define NAME \"shop\"\n#define GUARD\n\nint take(int size) {\n    if (size > SHELVES) return -1;\n    return size;\n}\n";
    assert_told(&[("stock.c", c)], &["`NAME \"shop\"` L3"], &["GUARD"]);
}

#[test]
fn code_outside_of_functions_is_told_in_scripts() {
    let ruby = "require_relative \"shop/stock\"\n\nmodule Shop\n  self.enabled = false unless STDOUT.tty?\n\n  def self.open(name)\n    raise ArgumentError, \"no name\" if name.empty?\n    Stock.new(name)\n  end\nend\n";
    let files = [
        (
            "shop.gemspec",
            "Gem::Specification.new do |spec|\n  spec.name = \"shop\"\n  spec.version = \"1.0\"\nend\n",
        ),
        ("lib/shop.rb", ruby),
        (
            "lib/shop/stock.rb",
            "module Shop\n  class Stock\n    def initialize(name)\n      @name = name\n    end\n  end\nend\n",
        ),
    ];
    assert_told(&files, &["Outside of functions: `… self.enabled = false unless STDOUT.tty?; …` L4"], &[]);
}

#[test]
fn fields_of_options_are_told_with_their_comments() {
    let code = "package shop\n\n// Options of a shop.\ntype Options struct {\n\t// Shelves is the number of shelves that are open at night.\n\tShelves int\n\t// Name is the name.\n\tName string\n}\n\n// Open opens a shop.\nfunc Open(options Options) error {\n\tif options.Shelves > 12 {\n\t\treturn errTooMany\n\t}\n\treturn nil\n}\n";
    let files = [("go.mod", "module example.com/shop\n\ngo 1.22\n"), ("shop.go", code)];
    assert_told(
        &files,
        &["`Shelves` L6: the number of shelves that are open at night"],
        &["`Name` L8: the name"],
    );
}

#[test]
fn methods_stand_below_the_class_with_their_lines_where_two_have_one_name() {
    let code = "namespace Shop;\n\n/// <summary>A stock of books.</summary>\npublic abstract class Stock<T> : Stock<T, int>\n{\n    protected Stock(string name) : base(name) { }\n}\n\n/// <summary>A stock with keys.</summary>\npublic abstract class Stock<T, K>\n{\n    /// <summary>Finds a book by its name.</summary>\n    public static T Find(string name)\n    {\n        if (name.Length > 12) { throw new ShopException(name); }\n        return Known[name];\n    }\n}\n";
    let text =
        full(&[("Shop.csproj", "<Project Sdk=\"Microsoft.NET.Sdk\"></Project>\n"), ("Stock.cs", code)]);
    let place = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part:?} is missing in\n{text}"));
    assert!(place("class Stock<T, K>") < place("Find(string name)"), "{text}");
}

#[test]
fn a_long_central_function_is_quoted_whole_with_its_closures() {
    let code = "/// Finds the program for a kind of file.\npub fn find(kind: &Kind) -> Result<Program, Missing> {\n    of_user(kind)\n        .or_else(|_| {\n            let any = kind.any();\n            of_user(&any)\n        })\n        .or_else(|_| of_system(kind))\n}\n";
    let files = [("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\n"), ("src/lib.rs", code)];
    assert_told(
        &files,
        &[
            "`of_user(kind) .or_else(|_| { let any = kind.any(); of_user(&any) }) .or_else(|_| of_system(kind))`",
        ],
        &[],
    );
}
