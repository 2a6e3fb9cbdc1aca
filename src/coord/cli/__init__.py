"""``git coord``: verbs that read their arguments, ask the kernel, print and exit."""

import gc

# Modules make thousands of objects that stay: looking for cycles among them at every 700th, before
# click and the rest are loaded, costs a verb 4 ms.
gc.set_threshold(50_000)
