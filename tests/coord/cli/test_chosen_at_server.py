"""A board is chosen on each kind of git server; where none is, what makes one is said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness import gitservers
from harness.repo import Repo

if TYPE_CHECKING:
    from pathlib import Path


def test_by_ssh_the_printed_command_makes_the_repository_there(
    installed: Repo, tmp_path: Path
) -> None:
    """With git's own choice of ssh, keys and all; then the board is used as any other."""
    with gitservers.sshd(tmp_path / "sshd") as (port, config):
        env = {**installed.env, "GIT_SSH_COMMAND": f"ssh -F {config}"}
        ann = Repo(installed.path, env)
        url = f"git+ssh://{gitservers.HOST}:{port}{tmp_path}/a%20board.git"

        refused = ann.coord("store", "use", url).refusal
        assert refused.rule == "store-absent"
        assert refused.run == f"git coord store use --create {url}"
        made = ann.paste(refused.run)

        assert made.code == 0, made.err
        assert "is made" in made.err
        assert (tmp_path / "a board.git" / "objects").is_dir()
        assert ann.coord("claim", "task:1").out == "task:1 is yours, generation 1\n"


def test_where_nobody_can_make_one_the_host_is_named(installed: Repo, tmp_path: Path) -> None:
    """By git daemon and by http, in the words of each; one that is there is chosen."""
    board = tmp_path / "served" / "board.git"
    installed.git("init", "-q", "--bare", str(board))
    installed.git("--git-dir", str(board), "config", "http.receivepack", "true")
    with gitservers.daemon(board.parent) as port, gitservers.smart(board.parent) as web:
        for base in (
            f"git://{gitservers.HOST}:{port}",
            f"http://{gitservers.HOST}:{web.server_port}",
        ):
            refused = installed.coord("store", "use", f"git+{base}/none.git").refusal
            assert refused.rule == "store-absent"
            assert f"{base.partition('//')[2]} alone can make it" in refused.why
            assert refused.run == f"git ls-remote {base}/none.git"

            done = installed.coord("store", "use", f"git+{base}/board.git")
            assert (done.code, done.err) == (0, "")
            assert "task:1 is yours" in installed.coord("claim", "task:1").out
            assert installed.coord("release", "task:1").code == 0
