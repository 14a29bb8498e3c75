"""A server of files for tests: HTTP on this machine, with ranges, and a list of what was asked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock, Thread
from typing import Any


class Server(ThreadingHTTPServer):
    """Serves the files below a folder; `asked` has (method, path, range) of every request.

    `most` is the greatest number of requests that were answered at the same time.
    """

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.folder, self.asked, self.busy, self.most, self.lock = folder, [], 0, 0, Lock()
        self.has_ranges, self.has_size, self.accepts = True, True, ""
        self.fails: Any = lambda path, first: False
        self.url = f"http://127.0.0.1:{self.server_port}"

    asked: list[tuple[str, str, tuple[int, int] | None]]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print nothing where a client has left."""

    def sent(self) -> int:
        """The bytes of all ranges that were asked."""
        return sum(r[1] - r[0] for _, _, r in self.asked if r)


class Handler(BaseHTTPRequestHandler):
    """Answers HEAD and GET, with ranges; each connection is closed behind its answer."""

    server: Server

    def log_message(self, *args: Any) -> None:
        """Print nothing."""

    def do_HEAD(self) -> None:
        self.answer(with_body=False)

    def do_GET(self) -> None:
        self.answer(with_body=True)

    def answer(self, with_body: bool) -> None:
        with self.server.lock:
            self.server.busy += 1
            self.server.most = max(self.server.most, self.server.busy)
        try:
            self.answer_one(with_body)
        finally:
            with self.server.lock:
                self.server.busy -= 1

    def answer_one(self, with_body: bool) -> None:
        file = self.server.folder / self.path.lstrip("/").partition("?")[0]
        found = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", "")) if self.server.has_ranges else None
        wanted = (int(found[1]), int(found[2]) + 1) if found else None
        self.server.asked.append((self.command, self.path, wanted))
        if not file.is_file() or (with_body and self.server.fails(self.path, wanted)):
            self.respond(500 if file.is_file() else 404, b"", {}, with_body)
            return
        status = file.stat()
        data = file.read_bytes() if wanted is None else b""
        headers = {"ETag": f'"{status.st_mtime_ns}-{status.st_size}"', "Content-Type": "application/octet-stream"}
        if self.server.accepts:
            headers["Accept-Ranges"] = self.server.accepts
        if wanted:
            headers["Content-Range"] = f"bytes {wanted[0]}-{wanted[1] - 1}/{status.st_size}"
            with file.open("rb") as opened:
                opened.seek(wanted[0])
                data = opened.read(wanted[1] - wanted[0])
        self.respond(206 if wanted else 200, data, headers, with_body)

    def respond(self, status: int, data: bytes, headers: dict[str, str], with_body: bool) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if self.server.has_size:
            self.send_header("Content-Length", str(len(data)))
        else:
            self.send_header("Connection", "close")
        self.end_headers()
        if with_body:
            self.wfile.write(data)


@contextmanager
def serving(folder: Path) -> Iterator[Server]:
    """Serve a folder inside the block."""
    server = Server(folder)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
