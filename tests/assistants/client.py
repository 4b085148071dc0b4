"""Asks `tlparse mcp` as an assistant does, with the official client (`pip install mcp`): client.py TLPARSE LOG OTHER_LOG."""

import asyncio
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main(program, log, other):
    server = StdioServerParameters(command=program, args=["mcp"])
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()

        async def ask(tool, **arguments):
            result = await session.call_tool(tool, arguments)
            failed = getattr(result, "is_error", None) or getattr(result, "isError", None)
            text = "".join(part.text for part in result.content)
            return bool(failed), text

        tools = (await session.list_tools()).tools
        print("tools", *sorted(tool.name for tool in tools))
        for tool, arguments, expected in [
            ("open", {"path": log}, "2 failures, 7 distinct graph breaks"),
            ("findings", {}, '"hint"'),
            ("list", {"what": "breaks"}, "gb0059"),
            ("compile", {"id": "1/0"}, "dynamo_output_graph"),
            ("artifact", {"compile": "1/0", "name": "dynamo_output_graph", "lines": 5}, "[lines 1 to 5 of"),
            ("search", {"text": "ATEN.ADD"}, "aot_inference_graph"),
            ("diff", {"a": log, "b": other}, "**Verdict:**"),
            ("check", {"report": log, "budget": "graph_breaks = 0"}, "The budget is exceeded."),
        ]:
            failed, text = await ask(tool, **arguments)
            assert not failed and expected in text, (tool, text)
        failed, text = await ask("open", path="/nowhere")
        assert failed and "no such file or folder" in text, text


asyncio.run(main(*sys.argv[1:]))
