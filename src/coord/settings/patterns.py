"""Which texts are no pattern of guarded files: git would take none of them as it is meant."""

from __future__ import annotations

_DECLARING = (".gitattributes", ".coord.toml")


def fault(pattern: str) -> str:
    """Return why no file of a repository could be meant, empty where one could.

    What declares the guards is no guarded file: it has to merge as text for them to hold.
    """
    parts = pattern.lower().split("/")
    faults = (
        (not pattern or not _is_text(pattern), "a pattern is one line of UTF-8 text"),
        (pattern.startswith("!"), "git takes no negative pattern here"),
        (pattern.startswith("[attr]"), "[attr] defines a macro in an attributes file"),
        (pattern.endswith("/"), "it matches no file: DIR/** matches what is in DIR"),
        (bool({".", ".."} & set(parts)), "git matches no . or .. in a pattern"),
        (".git" in parts, "git tracks nothing in .git"),
        (pattern.lstrip("/") in _DECLARING, "it declares what is guarded, and merges as text"),
    )
    return next((why for is_so, why in faults if is_so), "")


def _is_text(pattern: str) -> bool:
    """Tell whether `pattern` has no control character and no byte that is not UTF-8."""
    if pattern.isascii():  # as nearly all, and in no need of an import
        return pattern.isprintable()
    import unicodedata  # noqa: PLC0415  # of a hot path

    return not {"Cc", "Cs"} & {unicodedata.category(char) for char in pattern}
