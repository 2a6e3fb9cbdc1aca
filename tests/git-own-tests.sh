#!/bin/sh
# Git's own tests with our hooks in its template, compared with the same run without them.
#   sh tests/git-own-tests.sh TREE [SCRIPT…]      SCRIPT: t3400-rebase.sh, or t34; by default t2 to t7
# TREE is a source tree of git in which git has been built with its test helpers, and `coord-install`
# is on PATH. A hook that a test puts where ours stands is kept beside it, as an install keeps it.
# Assertions that fail with our hooks only are printed with their titles; exit 1 where one is not in
# tests/git-own-tests.txt, which says why. JOBS scripts run at once (as many as there are processors).
set -eu

[ $# -gt 0 ] || { sed -n '2,7s/^# \{0,1\}//p' "$0" >&2 && exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
tree=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- t2 t3 t4 t5 t6 t7
[ -x "$tree/t/helper/test-tool" ] || { echo "git-own-tests: git is not built in $tree" >&2 && exit 3; }
command -v coord-install >/dev/null || { echo 'git-own-tests: no coord-install on PATH' >&2 && exit 3; }
scratch=$(mktemp -d)
template=$tree/templates/blt
words=$tree/t/test-lib-functions.sh
cp -R "$template/hooks" "$scratch.hooks"
cp "$words" "$scratch.words"
# shellcheck disable=SC2329 # the trap calls it
restore() {
	rm -rf "$template/hooks" && mv "$scratch.hooks" "$template/hooks"
	cat "$scratch.words" >"$words"
	rm -rf "$scratch" "$scratch.words"
}
trap restore EXIT
trap 'exit 130' INT TERM

# The hooks of an installed repository: all that git runs of ours without our config.
(
	HOME=$scratch/home
	export HOME GIT_CONFIG_NOSYSTEM=1
	mkdir "$HOME"
	git init -q "$scratch/installed"
	cd "$scratch/installed"
	coord-install >/dev/null 2>&1
)

# results NAME: run every script and keep a line for each assertion, "SCRIPT ok|not ok TITLE".
results() {
	mkdir -p "$scratch/$1"
	cd "$tree/t"
	# shellcheck disable=SC2016 # for the shell of each script
	printf '%s\n' "$scripts" | sort -u | xargs -P "${JOBS:-$(getconf _NPROCESSORS_ONLN)}" -I '{}' sh -c \
		'timeout 600 sh "$2" --root="$1" >"$1/$2.out" 2>&1 </dev/null' sh "$scratch/$1" '{}' || :
	cd "$scratch/$1"
	for said in *.out; do
		sed -n "s/^\(not ok\|ok\) [0-9]* - \(.*\)/${said%.out} \1 \2/p" "$said"
	done | sort >"../$1.all"
}

# One script by its name, or all whose names begin so; `ls` says which there is none of.
scripts=$(
	cd "$tree/t"
	for name; do
		case $name in *.sh) ls "$name" ;; *) ls "$name"*.sh ;; esac || exit 2
	done
)
results without
cp -R "$scratch/installed/.git/hooks/." "$template/hooks"
# `test_hook` refuses to write over a hook, and one test takes the bit to execute from it.
awk '{ print } $0 == "\thook_file=\"$hook_dir/$1\" &&" {
	print "\tif grep -q \"^# git-coord hook,\" \"$hook_file\" 2>/dev/null"
	print "\tthen"
	print "\t\tchmod +x \"$hook_file\" && hook_file=$hook_file.coord-prior"
	print "\tfi &&"
}' "$scratch.words" >"$words"
! cmp -s "$scratch.words" "$words" || { echo "git-own-tests: no such test_hook in $words" >&2 && exit 3; }
# A tree that was copied after its build calls the programs and templates of the first place.
"$tree/bin-wrappers/git" init -q "$scratch/seen"
[ -e "$scratch/seen/.git/hooks/coord/launch" ] || {
	echo "git-own-tests: the git of $tree takes its template from elsewhere" >&2
	exit 3
}
results with
printf '%s scripts, %s assertions\n' "$(find "$scratch/with" -name '*.out' | wc -l)" "$(wc -l <"$scratch/with.all")"
# Only what went well without is ours to answer for.
comm -23 "$scratch/without.all" "$scratch/with.all" | grep '^[^ ]* ok ' >"$scratch/differs" || :
found=0
while read -r script _ title; do
	if grep -qxF "$script $title" "$here/git-own-tests.txt"; then
		echo "expected: $script: $title"
	else
		echo "DIFFERS: $script: $title"
		found=1
	fi
done <"$scratch/differs"
exit "$found"
