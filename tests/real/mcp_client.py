"""Our server under the client of PyPI's `mcp`: lists tools, calls them, runs a graph with progress, cancels one."""
import asyncio, sys, time

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

IDEA = "A shared shopping list for families. Members add items and tick them off. The list syncs between phones and warns about duplicates."


def text(result):
    return "\n".join(block.text for block in result.content)


def is_error(result):
    return getattr(result, "isError", None) or getattr(result, "is_error", None)


async def main(graph, repo):
    with open(f"{repo}/../wait.yaml", "w") as file:
        file.write(
            "name: wait\nstate: { n: { type: integer, default: 0 } }\nnodes:\n  a: { set: { n: state.n + 1 } }\n  b: { sleep: 1h }\n"
            "edges:\n  - { from: START, to: a }\n  - { from: a, to: b }\n  - { from: b, to: END }\n"
        )
    arguments = ["mcp", "--root", repo, "--allow-graph", "ard", "--allow-graph", f"{repo}/../wait.yaml"]
    parameters = StdioServerParameters(command=graph, args=arguments)
    async with stdio_client(parameters) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        names = [tool.name for tool in (await session.list_tools()).tools]
        assert {"read_file", "grep_in_files", "run_ard", "run_wait"} <= set(names), names
        read_file = await session.call_tool("read_file", {"path": "src/lib.rs"})
        assert "Says hello" in text(read_file), text(read_file)
        symbol = await session.call_tool("read_symbol", {"path": "src/lib.rs", "name": "greeting"})
        assert "hello" in text(symbol) or is_error(symbol), text(symbol)
        outside = await session.call_tool("read_file", {"path": "../wait.yaml"})
        assert is_error(outside), text(outside)

        told = []

        async def progress(done, total, message):
            told.append(message)

        debate = await session.call_tool("run_ard", {"idea": IDEA}, progress_callback=progress)
        assert not is_error(debate) and "# " in text(debate), text(debate)
        assert len(told) > 1, told

        waiting = asyncio.create_task(session.call_tool("run_wait", {}, progress_callback=progress))
        before = len(told)
        while not any(": b" in (line or "") for line in told[before:]):
            await asyncio.sleep(0.05)
        waiting.cancel()
        try:
            await waiting
        except asyncio.CancelledError:
            pass
        started = time.monotonic()
        again = await session.call_tool("list_directory", {"path": "."})
        assert not is_error(again) and time.monotonic() - started < 10
    print(f"mcp_client.py: {len(names)} tools, {len(told)} lines of progress")


asyncio.run(main(*sys.argv[1:]))
