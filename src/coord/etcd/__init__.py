"""A client of etcd on the standard library: its JSON gateway, every call within one deadline."""
