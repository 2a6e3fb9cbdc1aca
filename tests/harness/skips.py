"""Skips in CI: one that ``tests/skips.toml`` does not list is a failure.

A machine that lacks a tool or a right would otherwise judge less and less of the product, and stay
green.
"""

from __future__ import annotations

import os
import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator

LIST = Path(__file__).parent.parent / "skips.toml"


@cache
def listed() -> dict[str, str]:
    """Return reason → why the run may do without."""
    return {reason: str(why) for reason, why in tomllib.loads(LIST.read_text()).items()}


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn a skip that is not listed into a failure, in CI."""
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get("CI") == "true":
        reason = str(report.longrepr[2]) if isinstance(report.longrepr, tuple) else ""
        reason = reason.removeprefix("Skipped: ")
        if reason not in listed():
            report.outcome = "failed"
            report.longrepr = f"skipped in CI, and not listed in {LIST.name}: {reason}"
    return report
