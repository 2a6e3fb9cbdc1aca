"""What an integrator does: the merge order; after a refusal regenerate, resolve, reauthor."""
