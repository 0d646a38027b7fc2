"""A server on the Python SDK, of both eras, for the client's tour.

Usage: server.py stdio | streamable-http | sse; over HTTP it listens on the port that PORT names.
"""

import os
import sys
from typing import Annotated

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.resolve import Elicit, Resolve
from pydantic import BaseModel, Field

server = MCPServer("python-tour")


class Person(BaseModel):
    name: str


def who() -> Elicit[Person]:
    return Elicit("Who are you?", Person)


@server.tool()
def greet(person: Annotated[Person, Resolve(who)]) -> str:
    """Asks for a name."""
    return f"Hello, {person.name}!"


@server.tool()
async def count(to: int, context: Context) -> str:
    """Makes progress."""
    for step in range(1, to + 1):
        await context.report_progress(step, to)
    return f"Counted to {to}"


@server.tool()
def travel(region: Annotated[str, Field(json_schema_extra={"x-mcp-header": "Region"})]) -> str:
    """Takes an argument that has to travel in a header, too."""
    return f"Went to {region}"


@server.tool()
async def change(context: Context) -> str:
    """Announces that the tools changed."""
    await context.notify_tools_changed()
    return "Announced"


@server.resource("tour://text")
def text() -> str:
    return "Words in a resource"


transport = sys.argv[1]
server.run(transport, **({} if transport == "stdio" else {"port": int(os.environ["PORT"])}))
