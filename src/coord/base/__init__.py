"""The ground: text, names, records and files, with nothing of git in it."""
