"""Whom to trust in TLS, and what to show: files that the address names."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING

from coord.base.failures import Unfit

if TYPE_CHECKING:
    from coord.etcd.address import Address


def context(address: Address) -> ssl.SSLContext:
    """Return what a connection to `address` is made by.

    Raises:
        Unfit: a file of it cannot be used.
    """
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    made.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        if address.ca:
            made.load_verify_locations(address.ca)
        else:
            made.load_default_certs()
    except OSError as error:  # of which ssl.SSLError is one
        raise _unfit(address.ca, "the authority", error) from error
    if address.cert:
        try:
            # Else OpenSSL asks for a passphrase at the terminal, and waits.
            made.load_cert_chain(address.cert, address.key or None, lambda: "")
        except OSError as error:
            raise _unfit(address.cert, "the certificate or its key", error) from error
    return made


def _unfit(path: str, what: str, error: OSError) -> Unfit:
    return Unfit(path, f"{what} cannot be read: {error.strerror or error.args[-1]}")
