"""Tours a server with the client of the Python SDK, letting it choose the era, and prints what it saw.

Usage: sdk.py [--legacy] http URL | sse URL | stdio COMMAND [ARGUMENT...]
"""

import asyncio
import json
import os
import sys
import warnings

import mcp_types as types
from mcp import Client, StdioServerParameters
from mcp.client.sse import sse_client
from mcp.client.subscriptions import ToolsListChanged

MODERN = "2026-07-28"


def target(kind, rest):
    if kind == "http":
        return rest[0]
    if kind == "sse":
        return sse_client(rest[0])
    return StdioServerParameters(command=rest[0], args=rest[1:], env=dict(os.environ))


async def answer(_context, params):
    return types.ElicitResult(action="accept", content={"username": "ada", "email": params.message})


async def announced(client, changed):
    """Has the server announce that its tools changed, and waits for that; what changed."""
    if client.protocol_version < MODERN:
        await client.call_tool("test_trigger_tool_change", {})
        return await changed.get()
    async with client.listen(tools_list_changed=True) as subscription:
        await client.call_tool("test_trigger_tool_change", {})
        async for event in subscription:
            return "tools" if isinstance(event, ToolsListChanged) else repr(event)


async def tour(mode, kind, rest):
    changed, progress = asyncio.Queue(), []

    async def message(message):
        if isinstance(message, types.ToolListChangedNotification):
            await changed.put("tools")

    async def advance(done, total, _message):
        progress.append([done, total])

    server = target(kind, rest)
    async with Client(server, mode=mode, elicitation_callback=answer, message_handler=message) as client:
        tools = (await client.list_tools()).tools
        text = await client.call_tool("test_simple_text", {})
        failing = await client.call_tool("test_error_handling", {})
        slow = await client.call_tool("test_tool_with_progress", {}, progress_callback=advance)
        asked = await client.call_tool("test_elicitation", {"message": "ada@example.com"})
        resource = await client.read_resource("test://static-text")
        prompt = await client.get_prompt("test_prompt_with_arguments", {"arg1": "one", "arg2": "two"})
        return {
            "version": client.protocol_version,
            "tools": [tool.name for tool in tools],
            "text": text.content[0].text,
            "failing": [failing.is_error, failing.content[0].text],
            "slow": slow.content[0].text,
            "progress": progress,
            "asked": asked.content[0].text,
            "resource": resource.contents[0].text,
            "prompt": prompt.messages[0].content.text,
            "announced": await announced(client, changed),
        }


warnings.simplefilter("ignore")
arguments = sys.argv[1:]
mode = "auto"
if arguments[0] == "--legacy":
    mode = arguments.pop(0).removeprefix("--")
print(json.dumps(asyncio.run(asyncio.wait_for(tour(mode, arguments[0], arguments[1:]), 50))))
