"""Names at the edge: what an actor may be called, and how foreign text is shown and quoted.

Pure functions on the hot path: no import at all (``re`` alone would cost 5 ms a hook).
"""

from __future__ import annotations

ACTOR_LIMIT = 100
_BLANKS = frozenset(map(chr, (0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000)))  # Zs
_ACTOR_FIRST = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")
_ACTOR_REST = _ACTOR_FIRST | frozenset("._-")
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_")
_CONTROLS = frozenset(map(chr, (*range(0x20), *range(0x7F, 0xA0))))
# Bytes that were no UTF-8, as os.fsdecode hands them over.
_BYTES = frozenset(map(chr, range(0xDC80, 0xDD00)))
# Default_Ignorable_Code_Point of Unicode 16 among what Python calls printable: nothing is drawn,
# and a reader that is no person takes a text from it. All else of it is Cf or unassigned.
_UNSEEN = frozenset(
    map(chr, (0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), 0x3164, 0xFFA0))
) | frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))


def is_actor(name: str) -> bool:
    """Tell whether git gives `name` back unchanged as an author, and it fits a file name.

    Git strips ``, ; :`` and the like from both ends of a name, before 2.56 a final dot as well.
    """
    return (
        0 < len(name) <= ACTOR_LIMIT
        and name[0] in _ACTOR_FIRST
        and all(char in _ACTOR_REST for char in name)
        and name[-1] != "."
    )


def slug(text: str) -> str:
    """Return `text` as the handle of an actor, or ``""`` when nothing of it can be kept."""
    kept = "".join(char if char in _ACTOR_REST else "-" for char in text.lower())
    while "--" in kept:
        kept = kept.replace("--", "-")
    return kept.strip("._-")[: ACTOR_LIMIT - 5].rstrip("._-")


def answers_to(actor: str, asked: str) -> bool:
    """Tell whether a pinned `actor` is the one `asked` for: equal, or the handle plus 4 hex."""
    if actor == asked:
        return True
    tail = actor[len(asked) :] if actor.startswith(asked + "-") else ""
    return len(tail) == len("-a71f") and all(char in "0123456789abcdef" for char in tail[1:])


def shown(text: str) -> str:
    """Return foreign text fit for a terminal, with all escaped that acts or hides there.

    Controls and undecodable bytes; format characters, which reorder (CVE-2021-42574) or hide;
    what is unassigned, private, half of a pair, or never drawn. Blanks stay.
    """
    if text.isprintable() and (text.isascii() or _UNSEEN.isdisjoint(text)):
        return text
    return "".join(_shown_char(char) for char in text)


def _shown_char(char: str) -> str:
    code = ord(char)
    if char in _BYTES:
        return f"\\x{code - 0xDC00:02x}"
    if char in _CONTROLS:
        return f"\\x{code:02x}"
    if char in _UNSEEN or not (char.isprintable() or char in _BLANKS):
        return f"\\U{code:08x}" if code >> 16 else f"\\u{code:04x}"
    return char


def operand(path: str) -> str:
    """Return `path` as one word of a shell that no option parser takes for its own."""
    return quote(f"./{path}" if path.startswith("-") else path)


def quote(word: str) -> str:
    """Return `word` as one word of a POSIX shell, on one line, whatever bytes it holds.

    Control bytes go through ``printf``: a raw newline would break the three-line refusal, and
    dash has no ``$'…'``.
    """
    if word and all(char in _PLAIN for char in word):
        return word
    if shown(word) == word:
        return "'" + word.replace("'", "'\\''") + "'"
    raw = word.encode("utf-8", "surrogateescape")
    body = raw.rstrip(b"\n")
    # A leading dash would be an option of printf's.
    octal = "".join(chr(b) if chr(b) in _PLAIN and b not in b"%-" else f"\\{b:03o}" for b in body)
    # A substitution strips final newlines; for the path that bears one, `?` finds it again.
    return f"\"$(printf '{octal}')\"" + "?" * (len(raw) - len(body))
