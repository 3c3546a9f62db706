"""The ``canal`` command.

Every subcommand loads the state file, does its work, and saves the state
again if it changed anything. Two commands must not run at the same time on
one state file; the HTTP server counts as a command that runs for long.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
from typing import Sequence

from canal import __version__
from canal.api import Autosaver, CanalService, build_service
from canal.api.server import CanalServer
from canal.errors import CanalError
from canal.model import Direction, Priority, Vessel
from canal.settings import Settings, load_settings


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="canal", description=__doc__.splitlines()[0])
    parser.add_argument("--config", help="configuration file (default: $CANAL_CONFIG)")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True)

    submit = commands.add_parser("submit", help="queue a vessel")
    submit.add_argument("id")
    submit.add_argument("direction", choices=[d.value for d in Direction])
    submit.add_argument("--length", type=int, required=True, metavar="CM")
    submit.add_argument("--beam", type=int, required=True, metavar="CM")
    submit.add_argument("--draught", type=int, required=True, metavar="CM")
    submit.add_argument("--priority", default="leisure")

    run = commands.add_parser("run", help="work until no vessel waits")
    run.add_argument("--workers", type=int, default=2, help="locks that move at a time")

    reset = commands.add_parser("reset", help="put a faulted lock back into service")
    reset.add_argument("lock")

    commands.add_parser("status", help="print locks, queues and water")
    commands.add_parser("report", help="print passages")
    commands.add_parser("serve", help="answer HTTP requests until interrupted")
    return parser


def _print(value: object) -> None:
    print(json.dumps(value, indent=2, sort_keys=True))


def _execute(args: argparse.Namespace, settings: Settings, service: CanalService) -> None:
    if args.command == "submit":
        vessel = Vessel(
            id=args.id,
            length_cm=args.length,
            beam_cm=args.beam,
            draught_cm=args.draught,
            direction=Direction(args.direction),
            priority=Priority.parse(args.priority),
        )
        print(f"{vessel.id} waits at {service.submit(vessel)}")
        service.save()
    elif args.command == "reset":
        service.reset(args.lock)
        service.save()
    elif args.command == "run":
        with Autosaver(service, settings.autosave_seconds):
            print(f"{service.run_until_idle(args.workers)} lockages")
    elif args.command == "status":
        _print(service.status())
    elif args.command == "report":
        _print(service.report())
    elif args.command == "serve":
        address = ("127.0.0.1", settings.http_port)
        with Autosaver(service, settings.autosave_seconds):
            with CanalServer(address, service) as server:
                try:
                    server.serve_forever()
                except KeyboardInterrupt:
                    pass


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code of the process."""
    level = os.environ.get("CANAL_LOG_LEVEL", "WARNING").upper()
    logging.basicConfig(
        level=getattr(logging, level, logging.WARNING),
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
    )
    args = _parser().parse_args(argv)
    try:
        settings = load_settings(args.config)
        _execute(args, settings, build_service(settings))
    except CanalError as exc:
        print(f"canal: {exc}", file=sys.stderr)
        return exc.exit_code
    return 0


def entry() -> None:
    sys.exit(main())


if __name__ == "__main__":
    entry()
