//! Paragraphs of comments that state a purpose.

use super::*;

#[test]
fn a_definition_is_told_by_its_first_sentence_and_not_by_sections_or_code() {
    for (text, style, expected) in [
        (
            "\"\"\"\n    Run the tests of the shop.\n\n    To run all of them at once, run\n\n      $ tox -p\n    \"\"\"",
            CommentStyle::Docstring,
            Some("Run the tests of the shop."),
        ),
        (
            "\"\"\"\n    See the guide.\n\n    The tests of all shops at once need\n\n      $ tox -p\n    \"\"\"",
            CommentStyle::Docstring,
            None,
        ),
        (
            "/// Sells things of one shop\n///\n///     sell()\n",
            CommentStyle::Comment,
            Some("Sells things of one shop"),
        ),
        (
            "\"\"\"\n    Parameters:\n      url: Address of the shop to open.\n    \"\"\"",
            CommentStyle::Docstring,
            None,
        ),
        ("\"\"\"Args: url: Address of the shop to open.\"\"\"", CommentStyle::Docstring, None),
        ("/**\n * @param url the address\n *\n * The shop that is opened.\n */", CommentStyle::Comment, None),
        ("/// Returns the name of a shop.", CommentStyle::Comment, Some("Returns the name of a shop.")),
    ] {
        let lines: Vec<&str> = text.lines().collect();
        let told = first_of_definition(&lines, style);
        assert_eq!(told.as_ref().map(|it| it.text.as_str()), expected, "{text}");
    }
}

#[test]
fn the_first_paragraph_of_prose_is_told_with_its_lines() {
    for (text, style, expected) in [
        (
            "/// # Title\n///\n/// Keeps the orders\n/// of one day.\n///\n/// More.",
            CommentStyle::Comment,
            Some(("Keeps the orders of one day.", 2, 3)),
        ),
        (
            "/**\n * Adds numbers.\n * - a list\n * @param a one\n */",
            CommentStyle::Comment,
            Some(("Adds numbers.", 1, 1)),
        ),
        (
            "/**\n * See the guide.\n *\n * This is used where streams do not close.\n */",
            CommentStyle::Comment,
            None,
        ),
        (
            "/// <summary>\n/// Writes events.\n/// </summary>\n/// <remarks>Never this.</remarks>",
            CommentStyle::Comment,
            Some(("<summary> Writes events. </summary>", 0, 2)),
        ),
        (
            "\"\"\"\nshop.app\n~~~~~~~~\n\nThe application of the shop.\n\"\"\"",
            CommentStyle::Docstring,
            Some(("The application of the shop.", 4, 4)),
        ),
        (
            "\"\"\"\nCorner Shop Example\n\nThis shows how a shop sells.\n\"\"\"",
            CommentStyle::Docstring,
            Some(("This shows how a shop sells.", 3, 3)),
        ),
        ("\"\"\"\nCorner Shop Tills\n\"\"\"", CommentStyle::Docstring, Some(("Corner Shop Tills", 1, 1))),
        ("/* $Id$ */", CommentStyle::Comment, None),
        (
            "=====\nThe Simple Shop\nby Somebody\n=====\n\nSells all things.",
            CommentStyle::Docstring,
            Some(("Sells all things.", 5, 5)),
        ),
        (
            "# ```\n# code here is this\n# ```\n# Counts all words.",
            CommentStyle::Comment,
            Some(("Counts all words.", 3, 3)),
        ),
        (
            "// The shop keeps these things in its store:\n// 1. bread\n//\n// More is told about all of them.",
            CommentStyle::Comment,
            None,
        ),
        (
            "# Prevented attack::   theft\n# Supported shops:: all\n#\n# Locks the doors of a shop.",
            CommentStyle::Comment,
            Some(("Locks the doors of a shop.", 3, 3)),
        ),
        (
            "# A worker of the shop with fast hands for all the goods\n# Options are set by the variables that the shop has in its environment\n",
            CommentStyle::Comment,
            Some(("A worker of the shop with fast hands for all the goods", 0, 0)),
        ),
        (
            "# Sells the things of a shop\n# usage: sell THING",
            CommentStyle::Comment,
            Some(("Sells the things of a shop", 0, 0)),
        ),
        ("/*\n ## Usage\n\n The shop sells things.\n*/", CommentStyle::Comment, None),
        (
            "// Sells things of one shop (used by tills)\n// See https://a.b/c",
            CommentStyle::Comment,
            Some(("Sells things of one shop (used by tills)", 0, 0)),
        ),
        (
            "/**\n * Tools for shops, the most used shops include:\n * Corner: the near one.\n * Market: the far one.\n */",
            CommentStyle::Comment,
            None,
        ),
        ("/** @deprecated Use other words. */", CommentStyle::Comment, None),
        (
            "/// [`Shop`]: https://a.b/shop.html\n///\n/// Sells [things] of one [shop].\n///\n/// [shop]: https://a.b",
            CommentStyle::Comment,
            Some(("Sells [things] of one [shop].", 2, 2)),
        ),
        (
            "\"\"\"\nIf in doubt, sell nothing.\n\n.. warning::\n\n   The till is loud in the night.\n\n   It is heavy, too.\n\nSells things.\n\"\"\"",
            CommentStyle::Docstring,
            Some(("Sells things.", 9, 9)),
        ),
        (
            "\"\"\"*New in shop 18.3.0*\n\nSells things.\n\"\"\"",
            CommentStyle::Docstring,
            Some(("Sells things.", 2, 2)),
        ),
        ("/* \\brief Reads one file. */", CommentStyle::Comment, Some(("\\brief Reads one file.", 0, 0))),
    ] {
        let lines: Vec<&str> = text.lines().collect();
        let told = first_told(&lines, style);
        assert_eq!(told.as_ref().map(|it| (it.text.as_str(), it.start, it.end)), expected, "{text}");
    }
}
