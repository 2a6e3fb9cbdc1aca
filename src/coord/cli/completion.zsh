# zsh's own completion of git calls this for `git coord`; words[1] is `coord`.
_git-coord() {
	local -a found
	found=(${(f)"$(git coord completion zsh "--of=${(@Q)^words[2,CURRENT]}" 2>/dev/null)"})
	compadd -a found
}
zstyle ':completion:*:*:git:*' user-commands coord:'coordinate many workers in one repository'
