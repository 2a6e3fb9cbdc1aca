#!/bin/sh
# The main job, end to end, on a scratch repository (or a clone of $1, with its own changelog and the
# files that change most): every command is shown and run for real, every printed `run:` line is
# pasted back, and each outcome is checked. Called by ../demo.sh, which puts git-coord and
# coord-install on PATH.
set -u

case $#/${1-} in
0/ | 1/[!-]*) ;;
*) printf 'demo: not understood: %s; usage: demo.sh [REPOSITORY]\n' "$*" >&2 && exit 2 ;;
esac
if [ $# -gt 0 ] && ! git ls-remote -q "$1" >/dev/null 2>&1; then
	printf 'demo: no git repository: %s\n' "$1" >&2
	exit 2
fi

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

# entry TEXT: make it the first item of the changelog that is on stdin.
entry() { awk -v text="$1" '!done && /^ *[-*] / { match($0, /^ *[-*] /); print substr($0, 1, RLENGTH) text; done = 1 } 1'; }

# joined FILE: true for a changelog to which both workers' entries would be joined.
joined() {
	entry 'Add colour' <"$1" >"$scratch/ours"
	entry 'Add size' <"$1" >"$scratch/theirs"
	git-coord log-merge "$1" "$scratch/ours" "$scratch/theirs" --kind changelog >"$scratch/joined" 2>/dev/null &&
		grep -q 'Add colour' "$scratch/joined" && grep -q 'Add size' "$scratch/joined"
}

# Print the clone's own changelog.
changelog() {
	for name in $(git ls-files | grep -iE '^(changelog|changes|history|news)(\.(md|rst|txt))?$'); do
		joined "$name" && printf '%s\n' "$name" && return
	done
}

# Print the clone's file that changes most, of those that are there, are no changelog and need no quoting.
hottest() {
	git log -n 300 --no-merges --diff-filter=M --name-only --format= | grep -xE '[A-Za-z0-9_./-]+' |
		grep -vxF "${changes:-/}" | sort | uniq -c | sort -rn | while read -r _ name; do
		[ -f "$name" ] && printf '%s\n' "$name" && break
	done
}

# Every path, mode and byte of the git dir, objects and history aside.
bytes() {
	(cd "$scratch/repo/.git" && find . \( -name objects -o -name logs -o -name refs -o -name index \
		-o -name ORIG_HEAD -o -name COMMIT_EDITMSG -o -name worktrees -o -name packed-refs \
		-o -name reftable \) -prune \
		-o -type f -exec cksum {} + -o -print | LC_ALL=C sort)
}

title 'a repository, and a remote to push to'
changes=
d=
if [ $# -gt 0 ]; then
	echo "cloning $1"
	git clone -q "$1" "$scratch/repo" || exit 3
	cd "$scratch/repo" || exit 3
	git remote remove origin
	changes=$(changelog)
	hot=$(hottest)
	d=coord-demo/
	mkdir -p $d
	printf '%s commits, %s files\n' "$(git rev-list --count HEAD)" "$(git ls-files | wc -l)"
	printf 'its changelog, which both workers will add to: %s\n' "${changes:-none that they could}"
else
	echo 'making one with a schema, what it is made from, and a log'
	git init -q "$scratch/repo"
	cd "$scratch/repo" || exit 3
fi
hot=${hot:-${d}fields.txt}
echo "the file that both mean to touch: $hot"
git init -q --bare "$scratch/remote.git"
git remote add origin "$scratch/remote.git"
printf 'id\nname\nprice\nstock\n' >${d}fields.txt
printf '2026-01-02T09:00:00Z\tada\tfirst release\n' >${d}moves.tsv
cat >${d}make-schema.sh <<'MAKE'
# The derived artifact: a pure function of fields.txt.
cd "$(dirname "$0")" && { printf '{"fields": ['; paste -sd, - <fields.txt | sed 's/[a-z]*/"&"/g' | tr -d '\n'; printf ']}\n'; } >schema.json
MAKE
sh ${d}make-schema.sh
git add -f ${d}fields.txt ${d}moves.tsv ${d}make-schema.sh ${d}schema.json && git commit -q -m 'Start with a schema and a log'
main=$(git symbolic-ref --short HEAD)
git push -q -u origin "$main"
bytes >"$scratch/before"

title 'install, and say what is guarded'
show 'coord-install'
expect 0
show "git coord track derived ${d}schema.json --regenerate 'sh ${d}make-schema.sh' --input ${d}fields.txt"
expect 0
show "git coord track log ${d}moves.tsv"
expect 0
if [ -n "$changes" ]; then
	show "git coord track changelog '$changes'"
	expect 0
fi
show 'git add .gitattributes .coord.toml && git commit -q -m "Guard them"'
expect 0

title 'two workers, each pinned from the first moment'
show 'git worktree add -q -b feat/colour ../colour'
expect 0
show 'git worktree add -q -b feat/size ../size'
expect 0
show 'git -C ../colour coord whoami'
said pinned

title 'a sign-off under a name that is only inferred is refused'
show 'git checkout -q -b feat/somebody-else'
printf 'note\n' >${d}note.txt && git add -f ${d}note.txt
show 'git commit -q -s -m "Add a note"'
expect 1
said identity-inferred
paste
show 'git commit -q -s -m "Add a note" && git log -1 --format="%an, %(trailers:key=Signed-off-by,separator=%x2C)"'
expect 0

title 'both claim what their branches will change'
cd "$scratch/colour" || exit 3
show "git coord claim artifact:${d}schema.json --intent 'a colour for each' --path '$hot'"
expect 0
cd "$scratch/size" || exit 3
show "git coord claim artifact:${d}schema.json --path '$hot'"
expect 0
said 'number 2'
said 'means to touch the same'
show 'git coord board'
expect 0
said contested

title 'both workers regenerate the schema and append to the log'
cd "$scratch/colour" || exit 3
printf 'id\ncolour\nname\nprice\nstock\n' >${d}fields.txt && sh ${d}make-schema.sh
printf '2026-01-03T10:00:00Z\tcolour\tadd colour\n' >>${d}moves.tsv
[ -z "$changes" ] || { entry 'Add colour' <"$changes" >"$scratch/new" && cat "$scratch/new" >"$changes"; }
show 'git commit -q -a -m "Add colour" && git log -1 --format="%an <%ae>"'
expect 0
cd "$scratch/size" || exit 3
echo size >>${d}fields.txt && sh ${d}make-schema.sh
printf '2026-01-03T09:30:00Z\tsize\tadd size\n' >>${d}moves.tsv
[ -z "$changes" ] || { entry 'Add size' <"$changes" >"$scratch/new" && cat "$scratch/new" >"$changes"; }

title 'a push of commits under a wrong author is warned about, and mended by pasting'
show 'GIT_AUTHOR_NAME=root GIT_AUTHOR_EMAIL=root@localhost git commit -q -a -m "Add size"'
expect 0
show 'git push -q origin feat/size'
expect 0
said author-mismatch
paste
show 'git push -q --force-with-lease origin feat/size && git log -1 --format="%an <%ae>"'
expect 0

title 'both are done: the merge order, and what it will meet'
show 'git coord finish && git -C ../colour coord finish'
expect 0
cd "$scratch/repo" || exit 3
git checkout -q "$main"
show 'git coord merge-order --rehearse'
expect 1
said '2  feat/size    refused'

title 'the merge: the log is joined, the schema is refused'
show 'git merge -q feat/colour'
expect 0
show 'git merge feat/size'
expect 1
said derived-two-sided
show 'git merge --abort && git commit -q --allow-empty -m "Nothing is blocked after an abort"'
expect 0
show 'git merge -q feat/size >/dev/null 2>&1'
expect 1
show "cat ${d}moves.tsv"
if [ -n "$changes" ]; then
	show "git diff HEAD~2 --unified=0 -- '$changes'"
	said 'Add colour'
	said 'Add size'
fi

title 'a refusal swallowed by commit -a is stopped'
show 'git commit -q -a -m "Merge, taking whatever is there"'
expect 1
said refusal-pending
paste
show "git commit -q && cat ${d}schema.json && git log -1 --format=%B"
expect 0
said size

title 'landed: the claims of what is merged are settled'
show 'git coord release --landed'
expect 0
show 'git coord board'
expect 0
said '0 claims'

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
