#!/bin/sh
# The main job, end to end, on a scratch repository (or a clone of $1): every command is shown and
# run for real, every printed `run:` line is pasted back, and each outcome is checked. Called by
# ../demo.sh, which puts git-coord and coord-install on PATH.
set -u

case $#/${1-} in
0/ | 1/[!-]*) ;;
*) printf 'demo: not understood: %s; usage: demo.sh [REPOSITORY]\n' "$*" >&2 && exit 2 ;;
esac
if [ $# -gt 0 ] && ! git ls-remote -q "$1" >/dev/null 2>&1; then
	printf 'demo: no git repository: %s\n' "$1" >&2
	exit 2
fi

start=$PWD
scratch=$(mktemp -d) || exit 3
trap 'rm -rf "$scratch"' EXIT
HOME=$scratch/home
mkdir "$HOME"
export HOME GIT_CONFIG_NOSYSTEM=1 GIT_EDITOR=true LC_ALL=C
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE COORD_ACTOR
git config --global user.name 'Ada Human'
git config --global user.email ada@example.com
git config --global init.defaultBranch main
git config --global advice.detachedHead false

title() { printf '\n== %s\n' "$1"; }

# show COMMAND: print it as a prompt would, run it, keep what it said and its status.
show() {
	printf '%s$ %s\n' "$(basename "$PWD")" "$1"
	sh -c "$1" >"$scratch/said" 2>&1
	status=$?
	sed "s|$scratch|~|g; s|^|  |" "$scratch/said"
}

# paste: run the command of the `run:` line that was just printed.
paste() {
	command=$(sed -n 's/^  run: //p' "$scratch/said" | head -n 1)
	[ -n "$command" ] || fail "nothing to paste"
	show "$command"
	expect 0
}

expect() { [ "$status" -eq "$1" ] || fail "exit status $status, expected $1"; }

# said TEXT: the last command printed it.
said() { grep -q -- "$1" "$scratch/said" || fail "it did not say: $1"; }

fail() {
	printf '\nDEMO FAILED: %s\n' "$1" >&2
	exit 1
}

# Every path, mode and byte of the git dir, objects and history aside.
bytes() {
	(cd "$scratch/repo/.git" && find . \( -name objects -o -name logs -o -name refs -o -name index \
		-o -name ORIG_HEAD -o -name COMMIT_EDITMSG -o -name worktrees -o -name packed-refs \
		-o -name reftable \) -prune \
		-o -type f -exec cksum {} + -o -print | LC_ALL=C sort)
}

title 'a repository, and a remote to push to'
if [ $# -gt 0 ]; then
	case $1 in /*) origin=$1 ;; *) origin=$start/$1 ;; esac
	git clone -q "$origin" "$scratch/repo" || exit 3
	cd "$scratch/repo" || exit 3
	printf '%s commits, %s files\n' "$(git rev-list --count HEAD)" "$(git ls-files | wc -l)"
	git remote remove origin
else
	git init -q "$scratch/repo"
	cd "$scratch/repo" || exit 3
fi
git init -q --bare "$scratch/remote.git"
git remote add origin "$scratch/remote.git"
printf 'id\nname\n' >fields.txt
printf '2026-01-02T09:00:00Z\tada\tfirst release\n' >moves.tsv
cat >make-schema.sh <<'MAKE'
# The derived artifact: a pure function of fields.txt.
{ printf '{"fields": ['; paste -sd, - <fields.txt | sed 's/[a-z]*/"&"/g' | tr -d '\n'; printf ']}\n'; } >schema.json
MAKE
sh make-schema.sh
git add . && git commit -q -m 'Start with a schema and a log'
main=$(git symbolic-ref --short HEAD)
git push -q -u origin "$main"
bytes >"$scratch/before"

title 'install, and say what is guarded'
show 'coord-install'
expect 0
show "git coord track derived schema.json --regenerate 'sh make-schema.sh' --input fields.txt"
expect 0
show 'git coord track log moves.tsv'
expect 0
show 'git add -A && git commit -q -m "Guard the schema and the log"'
expect 0

title 'two workers, each pinned from the first moment'
show 'git worktree add -q -b feat/colour ../colour'
expect 0
show 'git -C ../colour coord whoami'
said pinned
show 'git coord worktree add -b feat/size ../size'
expect 0
said pinned

title 'a sign-off under a name that is only inferred is refused'
show 'git checkout -q -b feat/somebody-else'
printf 'note\n' >note.txt && git add note.txt
show 'git commit -q -s -m "Add a note"'
expect 1
said identity-inferred
paste
show 'git commit -q -s -m "Add a note" && git log -1 --format="%an, %(trailers:key=Signed-off-by,separator=%x2C)"'
expect 0

title 'both workers regenerate the schema and append to the log'
cd "$scratch/colour" || exit 3
echo colour >>fields.txt && sh make-schema.sh
printf '2026-01-03T10:00:00Z\tcolour\tadd colour\n' >>moves.tsv
show 'git commit -q -a -m "Add colour" && git log -1 --format="%an <%ae>"'
expect 0
cd "$scratch/size" || exit 3
echo size >>fields.txt && sh make-schema.sh
printf '2026-01-03T09:30:00Z\tsize\tadd size\n' >>moves.tsv

title 'a push of commits under a wrong author is warned about, and mended by pasting'
show 'GIT_AUTHOR_NAME=root GIT_AUTHOR_EMAIL=root@localhost git commit -q -a -m "Add size"'
expect 0
show 'git push -q origin feat/size'
expect 0
said author-mismatch
paste
show 'git push -q --force-with-lease origin feat/size && git log -1 --format="%an <%ae>"'
expect 0

title 'the merge: the log is joined, the schema is refused'
cd "$scratch/repo" || exit 3
git checkout -q "$main"
show 'git merge -q feat/colour'
expect 0
show 'git merge feat/size'
expect 1
said derived-two-sided
cp "$scratch/said" "$scratch/refusal"
show 'git merge --abort && git commit -q --allow-empty -m "Nothing is blocked after an abort"'
expect 0
show 'git merge -q feat/size'
expect 1
show 'cat moves.tsv'
printf 'id\nname\ncolour\nsize\n' >fields.txt && git add fields.txt

title 'a refusal swallowed by commit -a is stopped'
show 'git commit -q -a -m "Merge, taking whatever is there"'
expect 1
said refusal-pending
paste
show 'git commit -q && cat schema.json && git log -1 --format=%B'
expect 0
said size

title 'uninstall: every byte of the git dir is as it was'
show 'git worktree remove ../colour && git worktree remove ../size'
expect 0
show 'coord-install --uninstall'
expect 0
bytes >"$scratch/after"
cmp -s "$scratch/before" "$scratch/after" || {
	diff "$scratch/before" "$scratch/after"
	fail 'the git dir differs'
}
echo 'git dir before the install and after the uninstall: no difference'
