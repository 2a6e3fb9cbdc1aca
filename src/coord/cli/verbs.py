"""The verbs by what one is about to do: name → (module below ``coord.cli``, its line of help).

A verb's module is imported only when it is called: click alone costs 29 ms, and every further
import is felt at each prompt.
"""

from __future__ import annotations

GROUPS = {
    "Begin and end": {
        "wake": ("wake", "Begin: who is here, what is taken, and one suggestion."),
        "whoami": ("who", "Show who acts here, and how that is known."),
        "session": ("session", "Run an agent so that others can tell when it has ended."),
        "sign-off": ("leave", "End a session cleanly."),
    },
    "Take up work, and pass it on": {
        "claim": ("claims", "Claim scopes: hold them, or wait in line."),
        "wait": ("waits", "Wait until you could hold a scope."),
        "run": ("waits", "Run a command while holding a scope."),
        "finish": ("finish", "Say that this branch is done; its claims stay until it lands."),
        "release": ("claims", "Give up claims; the next in line becomes holder."),
        "handoff": ("offers", "Offer what you hold to another."),
        "ack": ("offers", "Take up an offered scope, or tell a sender that you read."),
        "take-over": ("takeover", "Take a scope from its holder, on the record."),
    },
    "See what others do": {
        "board": ("board", "Show who is here, and who works on what."),
        "show": ("about", "Show all that is known of a scope, a branch or a worker."),
        "log": ("board", "Show what happened to a scope."),
        "list": ("about", "Show what has been announced."),
        "overlap": ("announce", "Show where branches touch the same files."),
    },
    "Tell them": {
        "announce": ("announce", "Say what you mean to do on this branch, and to which files."),
        "send": ("talk", "Send a message."),
        "inbox": ("talk", "Show what others have sent you."),
        "pause": ("pauses", "Tell your peers that you pause; nothing is released."),
        "resume": ("pauses", "Take the mark of the pause away."),
    },
    "Bring branches together": {
        "merge-order": (
            "merge_order",
            "Show in which order the branches are to be merged.",
        ),
        "regenerate": ("resolve", "Run the producers of refused derived files."),
        "resolve": ("resolve", "Settle a refused file by hand, with a reason."),
        "check": ("check", "Judge commits that may have met no hook and no driver."),
    },
    "Set up, and put right": {
        "doctor": ("doctor", "Prove what is in force in every worktree, and name what is not."),
        "worktree": ("worktrees", "Add a worktree that is pinned from its first moment."),
        "pin": ("who", "Pin an identity to this worktree."),
        "reauthor": ("reauthor", "Give your own unpublished commits their right author."),
        "clone-id": ("cloneid", "Show which clone this is; settle what a copied one is to be."),
        "store": ("store", "Show where the board is kept, or keep it where many hosts share it."),
        "agents": ("agents", "Print a paragraph for AGENTS.md."),
        "completion": ("completion", "Print what makes your shell complete all this."),
    },
    "The rules of a project": {
        "track": ("track", "Guard a path: derived, log, changelog or once."),
        "untrack": ("track", "Stop guarding a path."),
        "id": ("ids", "Number things so that no two of them are one."),
        "log-merge": ("logmerge", "Join three files as the drivers of logs do, in any folder."),
    },
    "The habits of a fleet": {
        "ship": ("ledgers", "Record what you shipped."),
        "put-down": ("ledgers", "Record what you considered and left, and why; or list it."),
        "mirror": ("habits", "Show what was shipped lately, and what goes cold."),
        "lanes": ("habits", "Show which lanes nobody has tended for too long."),
    },
}
VERBS = {verb: told for group in GROUPS.values() for verb, told in group.items()}
