"""git-coord: identity, merges and claims for repositories that many workers share."""

VERSION = "0.1.0"
