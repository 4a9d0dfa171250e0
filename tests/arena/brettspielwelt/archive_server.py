"""The server of the logs, on loopback: what it lists can be had, unless a test says how it fails."""

import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType

Answer = Callable[["Handler", bytes], None]


class ArchiveServer:
    """
    :ivar pages: by path; :meth:`put` fills them.
    :ivar faults: by path, how it answers the next requests instead.
    :ivar asked: how often which path was asked for; ``times`` of all requests.
    :ivar agents: what programs called themselves.
    """

    def __init__(self) -> None:
        self.pages: dict[str, bytes] = {}
        self.faults: defaultdict[str, list[Answer]] = defaultdict(list)
        self.asked: Counter[str] = Counter()
        self.times: list[float] = []
        self.agents: set[str] = set()
        self.closing = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (Handler,), {"archive": self}))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def put(self, month: str, games: dict[int, bytes]) -> None:
        """A month as the real index lists it.

        :param month: such as 200701.
        """
        lines = (
            f'<a href="/{number}.tch">{month[:4]}-{month[4:]}-09 19:03 Anna B\xe4r_77 (c) D-d</a><br>'.encode("latin-1")
            for number in games
        )
        self.pages[f"/{month}"] = b"<html><body>\n" + b"\n".join(lines) + b"\n</body></html>\n"
        self.pages |= {f"/{number}.tch": log for number, log in games.items()}

    def __enter__(self) -> "ArchiveServer":
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class Handler(BaseHTTPRequestHandler):
    archive: ArchiveServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        archive = self.archive
        archive.asked[self.path] += 1
        archive.times.append(time.monotonic())
        archive.agents.add(self.headers["User-Agent"])
        page = archive.pages.get(self.path)
        if faults := archive.faults[self.path]:
            faults.pop(0)(self, page or b"")
        elif page is None:
            status(500 if self.path.endswith(".tch") else 404)(self, b"")  # as the real one does beyond its newest
        else:
            self.answer(page)

    def answer(self, body: bytes, code: int = 200, length: int | None = None, **headers: str) -> None:
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


def status(code: int, **headers: str) -> Answer:
    return lambda handler, page: handler.answer(b"<h1>No</h1>", code, **headers)


def stall(handler: Handler, page: bytes) -> None:
    """Sends half of it, and then nothing any more."""
    handler.answer(page[: len(page) // 2], length=len(page))
    handler.archive.closing.wait(20)
    handler.close_connection = True


def silence(handler: Handler, page: bytes) -> None:
    """Takes the request and says nothing."""
    handler.archive.closing.wait(20)
    handler.close_connection = True


def cut(handler: Handler, page: bytes) -> None:
    """Sends half of it, and hangs up."""
    handler.answer(page[: len(page) // 2], length=len(page))
    handler.close_connection = True


def hang_up(handler: Handler, page: bytes) -> None:
    handler.close_connection = True


def too_long(handler: Handler, page: bytes) -> None:
    """Promises more than there is."""
    handler.answer(page, length=len(page) + 100)
    handler.close_connection = True


def too_short(handler: Handler, page: bytes) -> None:
    """Promises less than it sends."""
    handler.answer(page, length=len(page) - 10)


def babble(handler: Handler, page: bytes) -> None:
    handler.wfile.write(b"\x00no HTTP at all\r\n\r\n")
    handler.close_connection = True


def refuse_in_colours(handler: Handler, page: bytes) -> None:
    """With commands to a terminal."""
    handler.wfile.write(b"HTTP/1.1 404 \x1b[31mNo\x9b[0m\r\nContent-Length: 0\r\n\r\n")


def drip(handler: Handler, page: bytes) -> None:
    """Sends a byte now and then."""
    handler.answer(b"", length=len(page))
    _drip(handler, page)


def drip_headers(handler: Handler, page: bytes) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Header: ")
    _drip(handler, b"x" * 60_000)


def _drip(handler: Handler, data: bytes) -> None:
    handler.close_connection = True
    with suppress(OSError):  # the other side has hung up
        for byte in data:
            handler.wfile.write(bytes([byte]))
            if handler.archive.closing.wait(0.05):
                return
