"""git-coord: identity, merges and claims for repositories that many workers share."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coord._version import VERSION as VERSION
else:

    def __getattr__(name: str) -> str:
        """Return the version when somebody asks for it: hooks start without reading it."""
        if name != "VERSION":
            raise AttributeError(name)
        from coord._version import VERSION  # noqa: PLC0415

        return VERSION
