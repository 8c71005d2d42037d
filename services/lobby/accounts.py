"""Accounts, kept: a guest's with a refresh secret, of which only the hash is stored; a named one with a user name and
password too, by which every other device gets a secret of its own."""

import uuid
from typing import Any, Final

from sqlalchemy import ColumnElement, Row, delete, insert, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from services.lobby.credentials import hash_secret, is_secret, make_secret
from services.lobby.passwords import Passwords
from services.lobby.refusals import (
    AlreadyNamedError,
    CredentialError,
    PasswordError,
    UnknownAccountError,
    UsernameTakenError,
)
from services.lobby.rooms import Account
from services.lobby.schema import ACCOUNT_SECRETS, ACCOUNTS
from services.lobby.usernames import username_key
from shared.kit.clock import Clock
from shared.kit.database import Database

MOST_DEVICES: Final = 10
"""Secrets that signing in has given, of one account: the oldest goes for a new one."""


class Accounts:
    """The accounts in the lobby's database."""

    def __init__(self, database: Database, clock: Clock, passwords: Passwords) -> None:
        self._database = database
        self._clock = clock
        self._passwords = passwords

    async def make_guest(self, name: str, *, bot: bool) -> tuple[Account, str]:
        """A new account and its secret, which is not to be had again."""
        account, secret = Account(str(uuid.uuid4()), name, bot), make_secret()
        row = {
            "account_id": account.account_id,
            "name": name,
            "bot": bot,
            "secret_hash": hash_secret(secret),
            "made_ms": self._clock.now_ms(),
        }
        async with self._database.transaction() as connection:
            await connection.execute(insert(ACCOUNTS).values(row))
        return account, secret

    async def prove(self, account_id: str, secret: str) -> Account:
        """The account that the secret is of. Raises `CredentialError`, the same where there is no such account."""
        async with self._database.reading() as connection:
            row = await _find(connection, ACCOUNTS.c.account_id == account_id)
            given = select(ACCOUNT_SECRETS.c.secret_hash).where(
                (ACCOUNT_SECRETS.c.account_id == account_id) & (ACCOUNT_SECRETS.c.secret_hash == hash_secret(secret))
            )
            device = await connection.scalar(given)
        first = is_secret(secret, None if row is None else bytes(row.secret_hash))
        if row is None or not (first or device is not None):
            raise CredentialError
        return _account(row)

    async def name(self, account_id: str, username: str, password: str) -> Account:
        """The guest's account with a user name, which is from now on shown too, and a password.

        The same again finds it done. Raises `AlreadyNamedError`, `UsernameTakenError`, `UnknownAccountError`,
        `OverloadedError`.
        """
        is_guest = (await self._row_of(account_id)).username is None
        done = is_guest and await self._name(account_id, username, await self._passwords.make(password))
        row = await self._row_of(account_id)
        if done:
            return _account(row)
        same = row.username_key == username_key(username)
        if not await self._passwords.matches(password, row.password_hash) or not same:
            raise AlreadyNamedError
        return _account(row)

    async def sign_in(self, username: str, password: str) -> tuple[Account, str]:
        """The account of this name and password, and a new secret for the device that asks.

        Raises `PasswordError`, the same and as late whether there is such a name or not, and `OverloadedError`.
        """
        async with self._database.reading() as connection:
            row = await _find(connection, ACCOUNTS.c.username_key == username_key(username))
        if not await self._passwords.matches(password, None if row is None else row.password_hash) or row is None:
            raise PasswordError
        secret = make_secret()
        async with self._database.transaction() as connection:
            await lock_account(connection, row.account_id)
            now = await _find(connection, ACCOUNTS.c.account_id == row.account_id)
            if now is None or now.password_hash != row.password_hash:
                raise PasswordError  # it was changed meanwhile
            await self._keep_secret(connection, row.account_id, secret)
        return _account(row), secret

    async def change_password(self, account_id: str, password: str, new: str) -> tuple[Account, str]:
        """Another password for a named account; every device but the one that asks, which gets a new secret, is out.

        Raises `PasswordError`, `UnknownAccountError`, `OverloadedError`.
        """
        row = await self._row_of(account_id)
        if not await self._passwords.matches(password, row.password_hash):
            raise PasswordError
        kept, secret = await self._passwords.make(new), make_secret()
        async with self._database.transaction() as connection:
            await lock_account(connection, account_id)
            same = (ACCOUNTS.c.account_id == account_id) & (ACCOUNTS.c.password_hash == row.password_hash)
            changed = update(ACCOUNTS).where(same).values(password_hash=kept, secret_hash=hash_secret(secret))
            if not (await connection.execute(changed)).rowcount:
                raise PasswordError  # it was changed meanwhile
            await connection.execute(delete(ACCOUNT_SECRETS).where(ACCOUNT_SECRETS.c.account_id == account_id))
        return _account(row), secret

    async def _name(self, account_id: str, username: str, password_hash: str) -> bool:
        """Names the account; False where it has got a name meanwhile. Raises `UsernameTakenError`."""
        try:
            async with self._database.transaction() as connection:
                if (await lock_account(connection, account_id)).username:
                    return False
                named = {"name": username, "username": username, "username_key": username_key(username)}
                mine = update(ACCOUNTS).where(ACCOUNTS.c.account_id == account_id)
                await connection.execute(
                    mine.values(**named, password_hash=password_hash, named_ms=self._clock.now_ms())
                )
        except IntegrityError:
            raise UsernameTakenError from None
        return True

    async def _row_of(self, account_id: str) -> Row[Any]:
        async with self._database.reading() as connection:
            row = await _find(connection, ACCOUNTS.c.account_id == account_id)
        if row is None:
            raise UnknownAccountError
        return row

    async def _keep_secret(self, connection: AsyncConnection, account_id: str, secret: str) -> None:
        mine = ACCOUNT_SECRETS.c.account_id == account_id
        newest = select(ACCOUNT_SECRETS.c.secret_hash).where(mine)
        newest = newest.order_by(ACCOUNT_SECRETS.c.made_ms.desc(), ACCOUNT_SECRETS.c.secret_hash)
        old = [row.secret_hash for row in await connection.execute(newest.offset(MOST_DEVICES - 1))]
        await connection.execute(delete(ACCOUNT_SECRETS).where(ACCOUNT_SECRETS.c.secret_hash.in_(old)))
        row = {"secret_hash": hash_secret(secret), "account_id": account_id, "made_ms": self._clock.now_ms()}
        await connection.execute(insert(ACCOUNT_SECRETS).values(row))


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


async def _find(connection: AsyncConnection, which: ColumnElement[bool]) -> Row[Any] | None:
    return (await connection.execute(select(ACCOUNTS).where(which))).one_or_none()


def _account(row: Row[Any]) -> Account:
    return Account(row.account_id, row.name, row.bot, row.username or "")
