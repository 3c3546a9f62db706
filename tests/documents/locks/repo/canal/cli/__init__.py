"""Command line; run it as ``python3 -m canal.cli.main``."""
