"""What a worker can do: one use case a verb, values in, values out (docs/design.md)."""
