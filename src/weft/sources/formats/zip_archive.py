"""Zip archives: the offsets of members' bytes, checked against their own headers and neighbours.

The one idea: an uncompressed member is a run of bytes at an offset, which is read without the archive.
"""

from __future__ import annotations

import zipfile
from collections import Counter
from dataclasses import dataclass

from weft.sources.formats.cell_run import Identity, failure, opened

LOCAL_HEADER = 30  # bytes before the name in a member's own header
DAMAGED = "the archive is damaged; take it from a copy, or open it with mmap=True, which checks no sums"
ENCRYPTED = 1  # bit of a member's flags
Member = zipfile.ZipInfo


@dataclass(frozen=True, slots=True)
class ZipDirectory:
    """The directory of an archive: members by name, and the offsets of members and directory."""

    form: str
    path: str
    identity: Identity
    members: dict[str, Member]
    starts: tuple[int, ...]

    def place(self, member: Member, name: str) -> int:
        """Return the offset of the bytes of a member, called `name` in errors.

        Raises FileFormatError if they overlap the next member, are encrypted, or the headers contradict each other.
        """
        if member.flag_bits & ENCRYPTED:
            raise failure(self.form, self.path, f"member {name!r} is encrypted", "decrypt the archive first")
        at = self._behind_header(member)
        end = min((s for s in self.starts if s > member.header_offset), default=self.identity[2])
        if at + member.compress_size > end:
            fact = f"member {name!r} claims {member.compress_size} bytes at {at}, {max(end - at, 0)} are there"
            raise failure(self.form, self.path, fact, "the archive is truncated or damaged")
        if member.compress_type == zipfile.ZIP_STORED and member.compress_size != member.file_size:
            fact = f"member {name!r} is stored as it is, in {member.compress_size} bytes, but claims {member.file_size}"
            raise failure(self.form, self.path, fact, "the archive is damaged")
        return at

    def _behind_header(self, member: Member) -> int:
        """Return the offset after the member's own header, with its names and extra fields.

        Raises FileFormatError if the header is damaged.
        """
        with opened(self.path, self.form, self.identity) as (fd, _):
            head = fd.some(LOCAL_HEADER, member.header_offset) if member.header_offset >= 0 else b""
        if len(head) < LOCAL_HEADER or head[:4] != b"PK\x03\x04":
            fact = f"member {member.filename!r} has no header at {member.header_offset}"
            raise failure(self.form, self.path, fact, "the archive is truncated or damaged")
        name, extra = int.from_bytes(head[26:28], "little"), int.from_bytes(head[28:30], "little")
        return member.header_offset + LOCAL_HEADER + name + extra


def zip_directory(form: str, path: str, identity: Identity, ending: str = "") -> ZipDirectory:
    """Return the directory of an archive, with the members whose names end with `ending`.

    `form` names the format in errors. Raises FileFormatError if the file is no zip archive, its identity differs from
    `identity`, or a name occurs twice.
    """
    with opened(path, form, identity) as (fd, _):
        try:
            with fd.file() as file, zipfile.ZipFile(file) as archive:
                members, directory = archive.infolist(), archive.start_dir
        except Exception as e:  # zipfile raises errors of many kinds for damaged archives
            raise failure(form, path, f"is no zip archive: {e!s:.100}", f"it is truncated, damaged or no {form}") from e
    named = [m for m in members if m.filename.endswith(ending)]
    for name, count in Counter(m.filename for m in named).most_common(1):
        if count > 1:
            raise failure(form, path, f"has {count} members named {name!r}", "the archive is damaged; write it again")
    starts = (*(m.header_offset for m in members), directory)
    return ZipDirectory(form, path, identity, {m.filename: m for m in named}, starts)
