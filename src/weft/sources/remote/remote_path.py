"""URLs as paths: the fsspec file system of a URL, and the name of the file in it.

The one idea: the path of a remote file is text like any other path, with its file system as an attribute, so formats
handle it like a local path.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from posixpath import splitext
from typing import Any
from urllib.parse import urlsplit

from weft.errors import FileFormatError, MissingFileError, WeftError
from weft.runtime.fork_safety import importing

PROTOCOL = r"[A-Za-z][A-Za-z0-9+.-]*"
URL = re.compile(rf"({PROTOCOL}::)*{PROTOCOL}://")
REQUESTS = 16  # requests at a time
COPYING = ("simplecache", "filecache")  # file systems that fetch a file as a whole into a local one


class RemotePath(str):
    """A URL with its file system of fsspec (`system`) and the name of the file in it (`inside`).

    `ending` is the ending of the file's name, without a query.  `pages` caches the latest bytes read around the headers
    of the file, whose identity is `identity`.
    """

    system: Any
    inside: str
    ending: str
    pages: dict[int, bytes]
    identity: tuple[int, ...] | None

    def below(self, name: str) -> RemotePath:
        """Return the path of a file in this folder."""
        return made(f"{self.rstrip('/')}/{name}", self.system, f"{self.inside.rstrip('/')}/{name}")

    @property
    def requests(self) -> int:
        """Return the maximum number of reading threads: 1 if the file system does not support several."""
        return REQUESTS if getattr(self.system, "async_impl", False) else 1


def made(url: str, system: Any, inside: str) -> RemotePath:
    """Return the RemotePath of a URL, with its file system and the path `inside` that; opens nothing."""
    path = RemotePath(url)
    path.system, path.inside, path.pages, path.identity = system, inside, {}, None
    path.ending = splitext((urlsplit(url).path if "::" not in url else inside).rstrip("/") or inside)[1].lower()
    return path


def is_url(path: str) -> bool:
    """True if a path is a URL, or a chain of them.

    >>> is_url("s3://bucket/a.npy"), is_url("simplecache::https://host/a.npy"), is_url("a::b"), is_url("C:/a.npy")
    (True, True, False, False)
    """
    return URL.match(path) is not None


def file_name(url: str) -> str:
    """Return the path in the last URL of a chain, without a query.

    >>> file_name("simplecache::https://host/folder/a.npy?token=1"), file_name("memory://a.npy")
    ('/folder/a.npy', 'a.npy')
    """
    parts = urlsplit(url.rpartition("::")[2])
    return parts.path or parts.netloc


def split_url(path: str) -> tuple[str, str | None]:
    """Return the URL and the name of an array after it, as in "https://host/a.h5::group/x"; None without a name.

    >>> split_url("memory://a.h5::x"), split_url("simplecache::https://host/a.npy")
    (('memory://a.h5', 'x'), ('simplecache::https://host/a.npy', None))
    """
    url, mark, name = path.rpartition("::")
    return (url, name) if mark and is_url(url) and "://" not in name else (path, None)


def resolved(op: str, url: str, storage_options: Mapping[str, Any] | None) -> str:
    """Return a local path if a URL's file is local or fetched as a whole, else a RemotePath.

    Raises FileFormatError if no file system reads such a URL, or if the storage options are refused.
    """
    fsspec = _fsspec(op, url)
    options = _checked_options(op, url, storage_options)
    with translated_errors(op, url):
        if url.startswith(tuple(f"{name}::" for name in COPYING)):
            return str(fsspec.open_local(url, **options))
        system, inside = fsspec.core.url_to_fs(url, **options)
        local = getattr(system, "local_file", False) or "file" in _protocols(system)
    return str(inside) if local else made(url, system, str(inside))


def matching(op: str, pattern: str, storage_options: Mapping[str, Any] | None) -> list[str]:
    """Return the URLs of the files that match a pattern; [] if none does.

    `op` is named in errors, `storage_options` are fsspec's. Raises FileFormatError if no file system reads such a URL,
    or it cannot be listed.
    """
    fsspec = _fsspec(op, pattern)
    with translated_errors(op, pattern):
        system, inside = fsspec.core.url_to_fs(pattern, **_checked_options(op, pattern, storage_options))
        return [str(system.unstrip_protocol(name)) for name in system.glob(inside)]


def has_pattern(url: str) -> bool:
    """True if a URL is a pattern: it has * or [, or a ? that does not begin an http query."""
    return any(c in url for c in "*[") or ("?" in url and not re.search(r"https?://", url))


def _protocols(system: Any) -> tuple[str, ...]:
    named = getattr(system, "protocol", ())
    return (named,) if isinstance(named, str) else tuple(named)


def _checked_options(op: str, url: str, options: Mapping[str, Any] | None) -> dict[str, Any]:
    if options is not None and not isinstance(options, Mapping):
        fact = f"{op}: {url}: storage_options is a {type(options).__name__}"
        raise FileFormatError(f"{fact}; they are named values for fsspec; give a dict")
    return dict(options or {})


def _fsspec(op: str, url: str) -> Any:
    """Return the module fsspec; raises FileFormatError if it is not installed."""
    try:
        with importing():
            import fsspec
    except ImportError as e:
        fact = f"{op}: {url}: fsspec reads URLs and is not installed"
        raise FileFormatError(f"{fact}; pip install 'weft[remote]'") from e
    return fsspec


@contextmanager
def translated_errors(op: str, url: str) -> Iterator[None]:
    """Convert errors of fsspec within the block to FileFormatError with the URL and advice.

    A missing file becomes MissingFileError. `op` names the operation in messages.
    """
    try:
        yield
    except WeftError:
        raise
    except FileNotFoundError as e:
        if _is_missing(e.__cause__):
            raise MissingFileError(f"{op}: {url}: cannot be opened: nothing is there; check the URL", str(url)) from e
        raise _unread(op, url, e.__cause__) from e
    except ImportError as e:
        fact = f"{op}: {url}: the package that reads such URLs is missing: {e!s:.200}"
        raise FileFormatError(f"{fact}; install it") from e
    except Exception as e:  # file systems raise the errors of their libraries
        if isinstance(e, ValueError) and "not known" in str(e).lower():
            raise FileFormatError(f"{op}: {url}: {e!s:.200}; fsspec has no such file system; check the URL") from e
        raise _unread(op, url, e) from e


def _is_missing(cause: BaseException | None) -> bool:
    """True if a FileNotFoundError with that cause means that the file does not exist.

    Over HTTP, failed connections and other answers than 404 raise the same error.
    """
    status = getattr(cause, "status", None)
    if status is not None or isinstance(cause, FileNotFoundError):
        return status in (None, 404)
    return not isinstance(cause, OSError) and not type(cause).__module__.startswith("aiohttp")


def _unread(op: str, url: str, cause: BaseException | None) -> FileFormatError:
    """Return the FileFormatError for a file that its file system cannot read, with the reason in `cause`."""
    fact = f"{op}: {url}: cannot be read: {type(cause).__name__}: {cause!s:.200}"
    return FileFormatError(f"{fact}; check the URL, storage_options= and the connection")


def joined(folder: str, name: str) -> str:
    """Return the path of a file in a folder, local or remote."""
    return folder.below(name) if isinstance(folder, RemotePath) else os.path.join(folder, name)
