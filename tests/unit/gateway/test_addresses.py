import pytest

from services.gateway.addresses import address_key


@pytest.mark.parametrize(
    ("host", "key"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("2001:db8:0:1::5", "2001:db8:0:1::/64"),
        ("2001:db8:0:1:ffff::9", "2001:db8:0:1::/64"),
        ("127.0.0.1", ""),
        ("127.8.8.8", ""),
        ("::1", ""),
        ("::ffff:127.0.0.1", ""),
        ("testclient", ""),
        ("", ""),
    ],
)
def test_a_client_is_told_apart_by_what_it_cannot_choose_freely(host: str, key: str) -> None:
    assert address_key(host) == key
