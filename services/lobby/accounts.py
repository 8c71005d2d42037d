"""Accounts, kept: guests so far, each with a refresh secret of which only the hash is stored."""

import uuid
from typing import Any

from sqlalchemy import Row, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from services.lobby.credentials import hash_secret, is_secret, make_secret
from services.lobby.refusals import CredentialError, UnknownAccountError
from services.lobby.rooms import Account
from services.lobby.schema import ACCOUNTS
from shared.kit.clock import Clock
from shared.kit.database import Database


class Accounts:
    """The accounts in the lobby's database."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def make_guest(self, name: str, *, bot: bool) -> tuple[Account, str]:
        """A new account and its secret, which is not to be had again."""
        account, secret = Account(str(uuid.uuid4()), name, bot), make_secret()
        row = {**account._asdict(), "secret_hash": hash_secret(secret), "made_ms": self._clock.now_ms()}
        async with self._database.transaction() as connection:
            await connection.execute(insert(ACCOUNTS).values(row))
        return account, secret

    async def prove(self, account_id: str, secret: str) -> Account:
        """The account that the secret is of. Raises `CredentialError`, the same where there is no such account."""
        async with self._database.reading() as connection:
            found = await connection.execute(select(ACCOUNTS).where(ACCOUNTS.c.account_id == account_id))
            row = found.one_or_none()
        if not is_secret(secret, None if row is None else bytes(row.secret_hash)) or row is None:
            raise CredentialError
        return _account(row)


async def lock_account(connection: AsyncConnection, account_id: str) -> Account:
    """The account, locked to the transaction's end: what it asks for at once happens in turn.

    Raises `UnknownAccountError`.
    """
    # FOR NO KEY UPDATE: seats refer to the account's key. Who has locked a room alone stores its seats again, and would
    # else wait for this lock while its holder waits for the room.
    locked = select(ACCOUNTS).where(ACCOUNTS.c.account_id == account_id).with_for_update(key_share=True)
    found = await connection.execute(locked)
    row = found.one_or_none()
    if row is None:
        raise UnknownAccountError
    return _account(row)


def _account(row: Row[Any]) -> Account:
    return Account(row.account_id, row.name, row.bot)
