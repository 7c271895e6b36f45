"""Sends a chat to a server and returns the answer, or says in a line why there is none.

No error quotes what a server sent: it may echo the key.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from chaosops.adapters.llm.settings import API_KEY, BASE_URL, ModelServer
from chaosops.errors import ChaosOpsError
from chaosops.version import __version__

if TYPE_CHECKING:
    import httpx

ATTEMPTS: Final = 4
"""The most times that one request is sent."""

MOST_WAIT: Final = 60.0
"""The longest pause that a server can ask for, in seconds."""

_SLOW_ATTEMPTS: Final = 2
_RETRIED: Final = frozenset({408, 409, 429})
_CONNECT: Final = 10.0
_LARGEST: Final = 8 * 2**20


class ChatError(ChaosOpsError):
    """A server gave no answer.

    Attributes:
        is_final: Whether another request would fail as well.
    """

    def __init__(self, message: str, *, is_final: bool = False) -> None:
        super().__init__(message)
        self.is_final = is_final


class ToolCall(NamedTuple):
    """A tool that a model calls, with its arguments as JSON text."""

    name: str
    arguments: str


class ChatReply(NamedTuple):
    """An answer.

    Attributes:
        text: What the model wrote.
        calls: The tools that it calls.
        prompt_tokens: As the server counts them; None if it doesn't.
        completion_tokens: As the server counts them; None if it doesn't.
    """

    text: str
    calls: tuple[ToolCall, ...] = ()
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Failure(NamedTuple):
    """Why a request failed that may be sent again, and how long the server asks to wait."""

    words: str
    wait: float | None = None
    is_slow: bool = False


class ChatClient:
    """Sends chats to one server. It can be used by several threads at once."""

    def __init__(
        self,
        server: ModelServer,
        *,
        timeout: float,
        pause: Callable[[threading.Event, float], bool] = threading.Event.wait,
    ) -> None:
        """Create a client; nothing is sent or imported yet.

        Args:
            timeout: Seconds that one answer may take, however it trickles in.
            pause: Waits between two requests; returns whether the event was set meanwhile.
        """
        self._server, self._timeout, self._pause = server, timeout, pause
        self._lock = threading.Lock()
        self._http: httpx.Client | None = None

    def hide(self, text: str) -> str:
        """Return a text in which the key is blotted out."""
        return self._server.key.hide_in(text)

    def ask(
        self, body: dict[str, Any], stop: threading.Event, sent: Callable[[], None]
    ) -> ChatReply:
        """Send a chat, again where that may help.

        Args:
            stop: Once it is set, nothing more is sent.
            sent: Called before each request.

        Raises:
            ChatError: There is no answer.
        """
        slow = 0
        for attempt in range(1, ATTEMPTS + 1):
            if stop.is_set():
                break
            sent()
            outcome = self._send(body)
            if isinstance(outcome, ChatReply):
                return outcome
            slow += outcome.is_slow
            if attempt == ATTEMPTS or slow == _SLOW_ATTEMPTS:
                raise ChatError(outcome.words)
            wait = 0.5 * 2.0**attempt if outcome.wait is None else outcome.wait
            if wait > MOST_WAIT:
                raise ChatError(f"{outcome.words}, and asks to wait for {wait:.0f} s")
            if self._pause(stop, wait):
                break
        raise ChatError("was not waited for")

    def _send(self, body: dict[str, Any]) -> ChatReply | _Failure:
        """Send a request once.

        Raises:
            ChatError: It makes no sense to send it again.
        """
        import httpx

        until = time.monotonic() + self._timeout
        content = json.dumps(body).encode()
        limits = httpx.Timeout(self._timeout, connect=min(_CONNECT, self._timeout))
        try:
            with self._client().stream(
                "POST", self._server.url, content=content, headers=self._headers(), timeout=limits
            ) as response:
                if response.is_success:
                    return self._reply(b"".join(_in_time(response.iter_bytes(), until)))
                status, wait = response.status_code, _wait_of(response.headers.get("retry-after"))
        except (httpx.TimeoutException, TimeoutError):
            return _Failure(f"did not answer within {self._timeout:g} s", 0.0, is_slow=True)
        except httpx.HTTPError as error:
            return _Failure(f"could not be reached ({type(error).__name__}): check {BASE_URL}")
        except httpx.InvalidURL:
            raise ChatError(f"has no valid address: check {BASE_URL}", is_final=True) from None
        if status in _RETRIED or status >= 500:
            return _Failure(f"answered with status {status}", wait)
        raise _refusal(status)

    def _client(self) -> httpx.Client:
        with self._lock:
            if self._http is None:
                import httpx

                self._http = httpx.Client(follow_redirects=False)
            return self._http

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "User-Agent": f"chaosops/{__version__}"}
        key = self._server.key
        return {**headers, "Authorization": f"Bearer {key.reveal()}"} if key else headers

    def _reply(self, data: bytes) -> ChatReply:
        try:
            body = json.loads(data)
            message = body["choices"][0]["message"]
            text, calls = _text(message.get("content")), tuple(_calls(message))
            usage = body.get("usage")
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            raise ChatError(f"answered, but not as a chat API does: check {BASE_URL}") from None
        counted = usage if isinstance(usage, dict) else {}
        hidden = self.hide
        return ChatReply(
            hidden(text),
            tuple(ToolCall(hidden(call.name), hidden(call.arguments)) for call in calls),
            _count(counted.get("prompt_tokens")),
            _count(counted.get("completion_tokens")),
        )


def _in_time(chunks: Iterator[bytes], until: float) -> Iterator[bytes]:
    """Yield the parts of an answer, unless it comes too slowly or is too large."""
    size = 0
    for chunk in chunks:
        if time.monotonic() > until:
            raise TimeoutError
        size += len(chunk)
        if size > _LARGEST:
            raise ChatError(f"answered with more than {_LARGEST // 2**20} MiB")
        yield chunk


def _refusal(status: int) -> ChatError:
    """Return the error of a status that stays, with what to do about it."""
    if status in (401, 403):
        return ChatError(f"refused the key (status {status}): check {API_KEY}", is_final=True)
    if status == 404:
        words = f"knows no such model or address (status 404): check the name and {BASE_URL}"
        return ChatError(words, is_final=True)
    if 300 <= status < 400:
        return ChatError(f"is somewhere else (status {status}): check {BASE_URL}", is_final=True)
    if status in (400, 422):
        return ChatError(
            f"refused the request (status {status}): it may not know this --llm-mode, try text"
        )
    return ChatError(f"refused the request (status {status})")


def _wait_of(header: str | None) -> float | None:
    """Return the seconds of a `Retry-After`, which may be a date; None if there is none."""
    if header is None:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            then = parsedate_to_datetime(header)
        except ValueError:
            return None
        if then.tzinfo is None:
            then = then.replace(tzinfo=UTC)
        seconds = (then - datetime.now(UTC)).total_seconds()
    return max(0.0, seconds) if seconds == seconds else None


def _text(content: Any) -> str:
    """Return the text of a message, which may come in parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(part["text"] for part in content if isinstance(part.get("text"), str))
    if content is None:
        return ""
    raise TypeError("a message is a text")


def _calls(message: dict[str, Any]) -> Iterator[ToolCall]:
    for call in message.get("tool_calls") or ():
        function = call["function"]
        arguments = function.get("arguments")
        text = arguments if isinstance(arguments, str) else json.dumps(arguments or {})
        yield ToolCall(str(function["name"]), text)


def _count(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value < 10**9 else None
