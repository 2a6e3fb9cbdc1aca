"""Which document each verb answers with ``--json``; several are told apart by their keys.

The JSON Schemas beside this are made of it (docs/schemas.py). Each answer begins with ``schema``,
which is 1 and in none of the types.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.documents.board import BoardDocument
from coord.documents.claims import ClaimsDocument
from coord.documents.failure import FailureDocument
from coord.documents.landed import LandedDocument
from coord.documents.messages import ReadDocument
from coord.documents.offers import OfferingsDocument
from coord.documents.released import ReleasedDocument

if TYPE_CHECKING:
    from collections.abc import Mapping

FAILURE = FailureDocument
VERBS: Mapping[str, object] = {
    "ack": ClaimsDocument | ReadDocument,
    "board": BoardDocument,
    "claim": ClaimsDocument,
    "handoff": OfferingsDocument,
    "release": ReleasedDocument | LandedDocument,
}
