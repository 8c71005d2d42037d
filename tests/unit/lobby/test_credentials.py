"""A refresh secret is long, random, and kept only as a hash."""

from services.lobby.credentials import MAX_CHARS, hash_secret, is_secret, make_secret


def test_a_secret_is_known_by_its_hash_alone() -> None:
    secret, other = make_secret(), make_secret()
    assert secret != other
    assert 43 <= len(secret) <= MAX_CHARS
    assert secret.encode() not in hash_secret(secret)
    assert is_secret(secret, hash_secret(secret))
    assert not is_secret(other, hash_secret(secret))
    assert not is_secret("", hash_secret(secret))


def test_nothing_is_the_secret_of_an_account_that_is_not_there() -> None:
    assert not is_secret(make_secret(), None)
