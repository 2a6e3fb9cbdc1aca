# Offered beside what fish itself completes for git.
function __git_coord_words
    set -l typed (commandline -opc)
    set -l at (contains -i -- coord $typed)
    set -l words $typed[(math $at + 1)..] (commandline -ct)
    git coord completion fish --of=$words 2>/dev/null
end
complete -c git -f -n '__fish_git_using_command coord' -a '(__git_coord_words)'
