"""What an integrator does after a refusal: regenerate, resolve, reauthor."""
