"""The JSON of each verb, typed and made in one place from what its use case returns."""
