"""The test suite cannot reach the network beyond this machine."""

import socket

import pytest
from pytest_socket import SocketConnectBlockedError


@pytest.mark.filterwarnings("ignore:A test tried")
def test_a_connection_to_another_machine_is_blocked():
    # An address reserved for documentation, which would not respond even if the request got out.
    with pytest.raises(SocketConnectBlockedError):
        socket.create_connection(("192.0.2.1", 443), timeout=1)
