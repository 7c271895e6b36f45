"""A chat server on loopback that answers as it is told, and keeps what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "sk-test-7d1c0ffee"

Answer = Callable[["Turn"], None]
"""Answers one request."""


@dataclass
class Turn:
    """One request that is being answered."""

    handler: BaseHTTPRequestHandler
    body: dict[str, Any]
    released: threading.Event

    def send(self, status: int, text: str, kind: str = "application/json", **headers: str) -> None:
        data = text.encode("utf-8", "surrogatepass")
        self.handler.send_response(status)
        self.handler.send_header("Content-Type", kind)
        self.handler.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            self.handler.send_header(name.replace("_", "-"), value)
        self.handler.end_headers()
        self.handler.wfile.write(data)


def chat(message: Mapping[str, Any], usage: object = (100, 10)) -> Answer:
    """Answer with a message."""

    def answer(turn: Turn) -> None:
        body: dict[str, Any] = {"choices": [{"message": dict(message)}]}
        if isinstance(usage, tuple):
            body["usage"] = {"prompt_tokens": usage[0], "completion_tokens": usage[1]}
        turn.send(200, json.dumps(body))

    return answer


def says(text: str | None, usage: object = (100, 10)) -> Answer:
    """Answer with a text."""
    return chat({"role": "assistant", "content": text}, usage)


def calls(name: str, arguments: object) -> Answer:
    """Answer with a tool call."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    call = {"id": "1", "type": "function", "function": {"name": name, "arguments": text}}
    return chat({"role": "assistant", "content": None, "tool_calls": [call]})


def status(code: int, **headers: str) -> Answer:
    """Answer with a status and a body that echoes the key."""
    return lambda turn: turn.send(code, json.dumps({"error": f"bad key {KEY}"}), **headers)


def html(turn: Turn) -> None:
    turn.send(200, f"<html><body>Sign in, {KEY}</body></html>", "text/html")


def hangs(turn: Turn) -> None:
    """Send nothing until the test is over."""
    turn.released.wait(30)


def trickles(turn: Turn) -> None:
    """Send a byte now and then."""
    turn.handler.send_response(200)
    turn.handler.send_header("Content-Length", "100000")
    turn.handler.end_headers()
    while not turn.released.wait(0.05):
        try:
            turn.handler.wfile.write(b" ")
        except OSError:
            return


def hangs_up(turn: Turn) -> None:
    turn.handler.close_connection = True


@dataclass
class Server:
    """The server, and what it was asked.

    Attributes:
        answers: Given one after another; the last one again and again.
    """

    url: str
    answers: list[Answer]
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)

    @property
    def environment(self) -> dict[str, str]:
        return {"OPENAI_BASE_URL": self.url, "OPENAI_API_KEY": KEY}


@contextmanager
def serving(*answers: Answer) -> Iterator[Server]:
    """Run a server that gives these answers."""
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            body = json.loads(self.rfile.read(length))
            with lock:
                number = len(server.asked)
                server.asked.append(body)
                server.headers.append(dict(self.headers))
            answer = server.answers[min(number, len(server.answers) - 1)]
            answer(Turn(self, body, server.released))

        def log_message(self, *_args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        http.daemon_threads = True
        server = Server(f"http://127.0.0.1:{http.server_port}/v1", list(answers))
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.released.set()
            http.shutdown()
            thread.join()


def action(verb: str, target: str | None = None, **args: object) -> dict[str, Any]:
    """An action as a model writes it."""
    return {"action_type": verb, "target": target, "args": args}


def turn(verb: str, target: str | None = None, reason: str = "since", **args: object) -> str:
    """What a model writes when it is held to the schema."""
    return json.dumps({"reason": reason, "action": action(verb, target, **args)})


def answers_of(server: Server) -> Sequence[str]:
    """The last message of each request."""
    return [body["messages"][-1]["content"] for body in server.asked]
