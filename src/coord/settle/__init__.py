"""The ways out of a refused merge: make the file anew, or settle it by hand with a reason."""
