"""What the tests share: a real git repository in a cleared environment, and the printed refusal."""

from harness.refusal import Refusal, refusals
from harness.repo import QUIET, Done, Repo, clean_environment, system_path

__all__ = ["QUIET", "Done", "Refusal", "Repo", "clean_environment", "refusals", "system_path"]
