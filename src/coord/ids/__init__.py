"""Identifiers: numbers that no two claimants share, one committed write-once file each."""
