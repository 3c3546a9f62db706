//! Paragraphs with the purposes that they state.

use super::*;

#[test]
fn markup_is_gone_and_what_states_nothing_is_no_purpose() {
    for (written, expected) in [
        ("Reads [all files](x.md) of a [`Tree`].", Some("Reads all files of a `Tree`.")),
        ("\\brief Holds one \\c value.", Some("Holds one value.")),
        ("@brief Keeps orders.", Some("Keeps orders.")),
        ("Wraps the `WSGI <https://x.y>`_ server.", Some("Wraps the WSGI server.")),
        ("Sorts lists. It has these options:", Some("Sorts lists.")),
        ("The options are:", None),
        ("See the documentation.", None),
        ("Does *not* copy a char *x.", Some("Does not copy a char *x.")),
        ("Shows [config::Style] of [Color].", Some("Shows config::Style of Color.")),
        ("This folder contains files such as", None),
        (
            "Flattens as {@link Parser#flatten(Options, String[], boolean) flatten} of {@link A#b(C, D)} does.",
            Some("Flattens as flatten of A.b(C, D) does."),
        ),
        ("Limits a value. See `ranges`.", Some("Limits a value.")),
        ("Sells things. More info here.", Some("Sells things.")),
        ("Sells things. It is simpler to use `Shop`.", Some("Sells things.")),
        ("Sells things. It was written by Somebody.", Some("Sells things.")),
        ("Sells things. It has a till.", Some("Sells things. It has a till.")),
        ("You can redistribute it and/or modify it under the same terms as Shop.", None),
        (
            "Shop is a small, fast seller of things released under the GNU licence. It is useful.",
            Some("Shop is a small, fast seller of things released under the GNU licence. It is useful."),
        ),
        (
            "Fields of :class:`Schemas <shop.Schema>` in `the guide <guide.html>`_.",
            Some("Fields of `Schemas` in the guide."),
        ),
        ("Wraps {Rack}[rdoc-ref:Rack] and <tt>a</tt>.", Some("Wraps Rack and a.")),
        ("Sets {@link a.b.Shop#sell(Class, Thing)}.", Some("Sets Shop.sell(Class, Thing).")),
        ("Reads `Token <token>` of all.", Some("Reads `Token <token>` of all.")),
        ("Sells things. In future it may buy some.", Some("Sells things.")),
        ("[API of the shop](https://a.b/c)", None),
        ("Sells things. [A post that explains how it sells.][post]", Some("Sells things.")),
        ("[Shop](https://a.b) sells things.", Some("Shop sells things.")),
        ("Description: Finds all things of a shop", Some("Finds all things of a shop")),
        ("A till is a script that is called if:", None),
        ("Sets {Shop::Till#open=} of a {Shop::Till}.", Some("Sets Shop::Till#open= of a Shop::Till.")),
        ("Class \\Shop\\Till.", None),
        ("shop_open() : opens the shop of a name", Some("opens the shop of a name")),
        ("enum shop_kind - Kinds of a shop", Some("Kinds of a shop")),
        ("ShopKind - kinds of a shop", Some("kinds of a shop")),
        ("Load - opens a shop", Some("Load - opens a shop")),
        ("Internal package.", None),
        ("Default setting : open = 1;", None),
        ("This class builds a query as documented here:.", None),
        ("Expose `Till`.", None),
        ("Theme created by Somebody", None),
        ("These goods are adapted from the Market.", None),
        ("To sell a thing, you can use the till.", None),
        ("This test uses the till because the shop is closed.", None),
        ("Old friend? Delete this file.", None),
        ("This class is going to have a lot of queries.", None),
        ("12 files in it.", None),
        ("Copyright 2020 Somebody and others.", None),
        ("a == b", None),
        ("SHOP_ARGS=\"-n -t\" SHOP_TO=\"x\"", None),
        ("return pages.render(\"index.html\", {\"a\": 1})", None),
        ("Thread-safe (it has a lock)", None),
        ("For POSIX systems we use sockets.", None),
        (
            "Raised by `.url(name, **args)` and **once** only.",
            Some("Raised by `.url(name, **args)` and once only."),
        ),
        ("Logs to the {common format}[https://a.b/#c] of +app+.", Some("Logs to the common format of app.")),
        ("Replaces the references in ${name}", Some("Replaces the references in ${name}")),
        ("--- *** ---", None),
        ("TODO write more here.", None),
        ("shop.c (C) 2004 Somebody Released as it is", None),
        ("Module dependencies.", None),
        ("Prettier is a formatter of code.", Some("Prettier is a formatter of code.")),
        ("prettier-ignore of the next line", None),
        ("<reference types=\"shop\" />", None),
        ("This is used as an example in the README for the till.", None),
    ] {
        assert_eq!(purpose_of(written).as_deref(), expected, "{written}");
    }
}

#[test]
fn an_introduction_may_speak_of_its_authors() {
    let told = introduction_of("We wanted a till for small shops (with a drawer). For this, few exist.");
    assert_eq!(told.as_deref(), Some("We wanted a till for small shops (with a drawer)."));
    assert_eq!(introduction_of("We are many people."), None);
    assert_eq!(introduction_of("Shop sells things.").as_deref(), Some("Shop sells things."));
}

#[test]
fn a_definition_names_its_subject() {
    assert!(is_definition("jq is a lightweight and flexible command-line processor."));
    assert!(!is_definition("Shop sells things over HTTP."));
}
