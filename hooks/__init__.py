"""What git calls at checkout, commit and push."""
