# git's own completion calls this for `git coord`; `words`, `cword` and `cur` are its variables.
_git_coord() {
	local at=1 asked=() word found colon=
	while [ "$at" -lt "$cword" ] && [ "${words[at]}" != coord ]; do at=$((at + 1)); done
	for word in "${words[@]:at+1:cword-at}"; do asked+=("--of=$word"); done
	found=$(git "${words[@]:1:at}" completion bash "${asked[@]}" 2>/dev/null)
	# readline replaces only what follows the last colon, where that ends a word
	[[ $COMP_WORDBREAKS != *:* ]] || colon=${cur%"${cur##*:}"}
	found=${found//$'\n'"$colon"/$'\n'}
	__gitcomp_nl "${found#"$colon"}" "" "${cur#"$colon"}"
}
