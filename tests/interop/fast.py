"""Tours a server with the client of FastMCP and prints what it saw.

Usage: fast.py http|sse URL
"""

import asyncio
import json
import sys
import warnings

from fastmcp import Client
from fastmcp.client.transports import SSETransport, StreamableHttpTransport

TRANSPORTS = {"http": StreamableHttpTransport, "sse": SSETransport}


async def answer(message, _response_type, _params, _context):
    return {"username": "ada", "email": message}


async def tour(kind, url):
    progress = []

    async def advance(done, total, _message):
        progress.append([done, total])

    transport = TRANSPORTS[kind](url)
    async with Client(transport, elicitation_handler=answer, progress_handler=advance) as client:
        tools = await client.list_tools()
        text = await client.call_tool("test_simple_text", {})
        failing = await client.call_tool("test_error_handling", {}, raise_on_error=False)
        slow = await client.call_tool("test_tool_with_progress", {})
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
            "resource": resource[0].text,
            "prompt": prompt.messages[0].content.text,
        }


warnings.simplefilter("ignore")
print(json.dumps(asyncio.run(asyncio.wait_for(tour(sys.argv[1], sys.argv[2]), 50))))
