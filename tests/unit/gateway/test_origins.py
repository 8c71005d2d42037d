import pytest

from services.gateway.origins import may_connect, read_origins

ALLOWED = read_origins(" https://Banakil.example, https://other.example:8443 ,")


@pytest.mark.parametrize(
    ("origin", "host", "may"),
    [
        (None, "play.example", True),
        ("https://play.example", "play.example", True),
        ("http://play.example:8080", "play.example:8080", True),
        ("HTTPS://PLAY.example", "play.EXAMPLE", True),
        ("https://play.example", "play.example:443", True),
        ("http://play.example:80", "play.example", True),
        ("http://[::1]:8080", "[::1]:8080", True),
        ("https://banakil.example", "inside:8080", True),
        ("https://other.example:8443", "inside:8080", True),
        ("https://other.example", "inside:8080", False),
        ("https://play.example.evil.example", "play.example", False),
        ("https://evil.example/play.example", "play.example", False),
        ("https://play.example@evil.example", "play.example", False),
        ("https://play.example:444", "play.example", False),
        ("ftp://play.example", "play.example", False),
        ("play.example", "play.example", False),
        ("null", "null", False),
        ("", "", False),
        ("https://", "", False),
        ("http://[play", "[play", False),
    ],
)
def test_only_pages_of_the_own_host_and_of_those_named_connect(origin: str | None, host: str, may: bool) -> None:
    assert may_connect(origin, host, ALLOWED) is may
