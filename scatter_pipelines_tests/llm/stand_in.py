"""An OpenAI-compatible endpoint that does what a script says, in a process of its own.

`python -m scatter_pipelines_tests.llm.stand_in FOLDER` prints its port. It reads FOLDER/script.json before each call
and writes FOLDER/calls.jsonl: a line when a call begins and one when it ends, so a caller that was killed is there too.

Without a rule it is a model that reads: for each field of the request's schema it looks for the script's pattern in the
prompt, and quotes the line it found it in.
"""

import asyncio
import hashlib
import json
import re
import socket
import struct
import sys
import time
from pathlib import Path
from typing import Any

HEAD_END = b"\r\n\r\n"


class StandIn:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.calls = self.in_flight = 0
        self._log = (folder / "calls.jsonl").open("a", encoding="utf-8")

    def script(self) -> dict[str, Any]:
        return dict(json.loads((self.folder / "script.json").read_text("utf-8")))

    def log(self, **said: Any) -> None:
        print(json.dumps(said | {"at": time.monotonic(), "in_flight": self.in_flight}), file=self._log, flush=True)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(HEAD_END)).decode("latin-1")
        method, _ = head.split(" ", 1)
        headers = {
            name.strip().lower(): value.strip()
            for name, _, value in (line.partition(":") for line in head.split("\r\n")[1:])
        }
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        if method == "GET":
            known = not self.script().get("hides_models")
            listed = {"object": "list", "data": [{"id": "stand-in", "object": "model"}]}
            await send(writer, 200 if known else 404, listed if known else {"error": {"message": "no such page"}})
            return True
        return await self._call(json.loads(body), body, headers, writer)

    async def _call(
        self, request: dict[str, Any], body: bytes, headers: dict[str, str], writer: asyncio.StreamWriter
    ) -> bool:
        self.calls += 1
        self.in_flight += 1
        number = self.calls
        script = self.script()
        act = next((rule["do"] for rule in script.get("rules", []) if applies(rule, number, body.decode())), {})
        digest = hashlib.sha256(body).hexdigest()
        key = headers.get("authorization", "")
        self.log(event="begin", number=number, digest=digest, authorization=key, body=request, act=act)
        try:
            return await self._act(act, request, script, writer)
        finally:
            self.in_flight -= 1
            self.log(event="end", number=number)

    async def _act(
        self, act: dict[str, Any], request: dict[str, Any], script: dict[str, Any], writer: asyncio.StreamWriter
    ) -> bool:
        await asyncio.sleep(act.get("delay", script.get("delay", 0)))
        if "reset" in act:
            if act["reset"] == "middle":
                writer.write(b'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"choices":')
                await writer.drain()
            reset(writer)
            return False
        if "status" in act:
            error = {
                "message": act.get("message", "scripted"),
                "type": act.get("type"),
                "code": act.get("code"),
                "param": act.get("param"),
            }
            await send(writer, act["status"], {"error": error}, act.get("headers", {}))
            return True
        answer = completion(act, request, script)
        if "raw" in act:
            answer = act["raw"] if act["raw"] != "huge" else "x" * 20_000_000
        await send(writer, 200, answer, {}, act.get("drip", 0))
        return True


def applies(rule: dict[str, Any], number: int, body: str) -> bool:
    return (
        number <= rule.get("first", number)
        and number > rule.get("after", 0)
        and number % rule.get("every", 1) == 0
        and rule.get("contains", "") in body
        and rule.get("without", "\0") not in body
    )


def completion(act: dict[str, Any], request: dict[str, Any], script: dict[str, Any]) -> dict[str, Any]:
    text = act["text"] if "text" in act else json.dumps(answer(act, request, script), ensure_ascii=False)
    text = act.get("before", "") + text + act.get("behind", "")
    finish = act.get("finish", "stop")
    if finish == "length":
        text = text[: len(text) // 2]
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if "refusal" in act:
        message = {"role": "assistant", "content": None, "refusal": act["refusal"]}
    told = {"id": "x", "object": "chat.completion", "created": 1, "model": request["model"]}
    choices = [] if act.get("empty") else [{"index": 0, "message": message, "finish_reason": finish}]
    asked = sum(len(one["content"]) for one in request["messages"])
    usage = {
        "prompt_tokens": act.get("prompt_tokens", asked // 4),
        "completion_tokens": act.get("completion_tokens", len(text) // 4),
    }
    return told | {"choices": choices} | ({} if act.get("no_usage") else {"usage": usage})


def answer(act: dict[str, Any], request: dict[str, Any], script: dict[str, Any]) -> dict[str, Any]:
    """One value for each field of the schema that was sent, in the request or in the prompt."""
    form = request.get("response_format", {})
    system, user = request["messages"][0]["content"], request["messages"][1]["content"]
    if form.get("type") == "json_schema":
        schema = form["json_schema"]["schema"]
    else:
        schema = json.loads(system[system.index('{"type": "object"') :])
    made = {}
    for name, about in schema["properties"].items():
        found = [item for item in items(script.get("patterns", {}).get(name), user, about, act)]
        made[name] = found if about.get("type") == "array" else found[0] if found else None
    return made


def items(pattern: str | None, text: str, about: dict[str, Any], act: dict[str, Any]) -> list[dict[str, Any]]:
    kind = (about.get("items") or about["anyOf"][0])["properties"]["value"]["type"]
    found = []
    for match in re.finditer(pattern, text) if pattern else ():
        start, end = text.rfind("\n", 0, match.start()) + 1, text.find("\n", match.end())
        quote = act.get("quote", text[start : end if end >= 0 else len(text)])
        value: Any = act.get("value", match[1])
        if kind in ("integer", "number") and "value" not in act:
            value = float(value) if kind == "number" else int(value)
        found.append({"quote": quote, "value": value})
    return found


async def send(
    writer: asyncio.StreamWriter, status: int, data: Any, headers: dict[str, str] | None = None, drip: float = 0
) -> None:
    content = data.encode() if isinstance(data, str) else json.dumps(data).encode()
    lines = [f"HTTP/1.1 {status} scripted", "Content-Type: application/json", f"Content-Length: {len(content)}"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    writer.write("\r\n".join(lines).encode() + HEAD_END)
    for start in range(0, len(content), 1) if drip else ():
        writer.write(content[start : start + 1])
        await writer.drain()
        await asyncio.sleep(drip)
    if not drip:
        writer.write(content)
    await writer.drain()


def reset(writer: asyncio.StreamWriter) -> None:
    """Closes the connection so that the other side sees it broken (RST)."""
    raw = writer.get_extra_info("socket")
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def main(folder: Path) -> None:
    server = await asyncio.start_server(StandIn(folder).serve, "127.0.0.1", 0, limit=2**26, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
