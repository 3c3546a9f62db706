"""Reads hostile documents with docutils: their structure must be that of harmless ones, and they must show what was said.

Usage: documents.py FOLDER   (as the ignored test `hostile_documents_are_laid_out_for_real_readers` writes it)
"""

import pathlib
import re
import sys

import docutils.core
from docutils import nodes

SETTINGS = {"report_level": 2, "halt_level": 5, "warning_stream": False, "raw_enabled": True}


def read(text: str) -> nodes.document:
    return docutils.core.publish_doctree(text, settings_overrides=SETTINGS)


def skeleton(tree: nodes.document) -> list[str]:
    """The kinds of all nodes but text, code, and links that the reader makes of addresses in a text."""
    kinds = []
    for node in tree.findall():
        own = isinstance(node, nodes.reference) and node.get("refuri", "").endswith((".rst", ".mmd"))
        inside = isinstance(node.parent, nodes.system_message)
        if isinstance(node, nodes.system_message) and node["level"] >= SETTINGS["report_level"]:
            kinds.append(f"message: {node.astext()}")
        elif isinstance(node, (nodes.Text, nodes.literal, nodes.system_message, nodes.target)) or inside:
            continue
        elif own or not isinstance(node, nodes.reference):
            kinds.append(node.tagname)
    return kinds


def one_line(text: str) -> str:
    return " ".join(re.split(r"[\s\x00-\x1f\x7f-\x9f]+", text)).strip()


def main(folder: pathlib.Path) -> None:
    wrong, seen = [], 0
    for case in sorted(folder.iterdir()):
        said = one_line((case / "text").read_text())
        pages, harmless = case / "hostile/rst", case / "harmless/rst"
        for page in sorted(pages.rglob("*.rst")):
            seen += 1
            tree = read(page.read_text())
            if skeleton(tree) != skeleton(read((harmless / page.relative_to(pages)).read_text())):
                wrong.append(f"{page} of {said!r} has another structure")
            if page.name == "a.rst":
                title = next(tree.findall(nodes.title)).astext()
                if title != said or one_line(tree.astext()).count(said) < 10:
                    wrong.append(f"{page} does not show {said!r}")
    # The check must be able to fail.
    assert skeleton(read("word\n\nx")) != skeleton(read("word\n\n- x")), "a list is a structure"
    assert any("message" in kind for kind in skeleton(read("`x"))), "what is wrong is told"
    if wrong or not seen:
        sys.exit("\n".join(wrong[:20]) or "there are no documents")
    print(f"{seen} documents are read by docutils as they were meant")


main(pathlib.Path(sys.argv[1]))
