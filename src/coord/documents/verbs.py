"""Which document each verb answers with ``--json``; several are told apart by their keys.

The JSON Schemas beside this are made of it (docs/schemas.py). Each answer begins with ``schema``,
which is 1 and in none of the types.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.documents import (
    board,
    check,
    claims,
    cloneid,
    doctor,
    failure,
    finish,
    ids,
    install,
    landed,
    lanes,
    ledgers,
    log,
    merge_order,
    messages,
    mirror,
    offers,
    overlaps,
    pauses,
    reauthor,
    released,
    settle,
    shown,
    sign_off,
    store,
    track,
    wait,
    wake,
    whoami,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

FAILURE = failure.FailureDocument
INSTALL = (
    install.InstalledDocument
    | install.UninstalledDocument
    | install.CheckedDocument
    | install.VersionDocument
)
VERBS: Mapping[str, object] = {
    "whoami": whoami.KnownDocument,
    "pin": whoami.KnownDocument,
    "worktree add": whoami.KnownDocument,
    "clone-id": cloneid.CloneDocument,
    "store": store.StoreDocument,
    "store migrate": store.StoreDocument,
    "store use": store.StoreDocument,
    "store probe": store.ProbeDocument,
    "reauthor": reauthor.ReauthoredDocument,
    "wake": wake.WakeDocument,
    "sign-off": sign_off.SignOffDocument,
    "ship": ledgers.ShippedDocument,
    "put-down": ledgers.LeftDocument | ledgers.ListingDocument,
    "mirror": mirror.MirrorDocument,
    "lanes": lanes.LanesDocument,
    "claim": claims.ClaimsDocument,
    "release": released.ReleasedDocument | landed.LandedDocument,
    "wait": wait.WaitDocument,
    "take-over": claims.ClaimsDocument,
    "finish": finish.FinishDocument,
    "board": board.BoardDocument,
    "log": log.LogDocument,
    "announce": overlaps.AnnouncedDocument,
    "show": shown.ShownDocument,
    "list": shown.AnnouncementsDocument,
    "inbox": messages.InboxDocument,
    "send": messages.SentDocument,
    "ack": claims.ClaimsDocument | messages.ReadDocument,
    "pause": pauses.PausedDocument,
    "resume": pauses.ResumedDocument,
    "handoff": offers.OfferingsDocument,
    "overlap": overlaps.OverlapDocument,
    "doctor": doctor.DiagnosisDocument,
    "track changelog": track.TrackedDocument,
    "track derived": track.TrackedDocument,
    "track log": track.TrackedDocument,
    "track once": track.TrackedDocument,
    "untrack": track.UntrackedDocument,
    "merge-order": merge_order.MergeOrderDocument,
    "regenerate": settle.RegeneratedDocument,
    "resolve": settle.ResolvedDocument,
    "id next": ids.NumberedDocument,
    "id list": ids.ListingDocument,
    "id check": ids.CheckedDocument,
    "id renumber": ids.RenumberedDocument,
    "check": check.CheckedDocument | check.MendedDocument,
}
