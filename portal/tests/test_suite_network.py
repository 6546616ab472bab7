"""The test suite's own rule: nothing leaves this machine."""

import socket

import pytest
from pytest_socket import SocketConnectBlockedError


@pytest.mark.filterwarnings("ignore:A test tried")
def test_it_reaches_nobody_else():
    # An address reserved for documentation: nobody would answer, if it were let out at all.
    with pytest.raises(SocketConnectBlockedError):
        socket.create_connection(("192.0.2.1", 443), timeout=1)
