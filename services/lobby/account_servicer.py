"""AccountService: guests, named accounts, their tokens, and the keys that these are checked with."""

from collections.abc import Callable

from banakil.lobby.v1 import accounts_pb2 as wire
from banakil.lobby.v1.accounts_pb2_grpc import AccountServiceServicer

from services.lobby import credentials
from services.lobby.accounts import Accounts
from services.lobby.limiting import CallLimits
from services.lobby.names import read_name
from services.lobby.passwords import read_password
from services.lobby.refusals import BadRequestError
from services.lobby.rooms import Account
from services.lobby.usernames import read_username, username_key
from shared.kit.guard import Context
from shared.kit.identity import MAX_ACCOUNT_CHARS, TokenIssuer


class AccountServicer(AccountServiceServicer):
    """See the proto. `jwks` gives the public keys as a JWK set."""

    def __init__(self, accounts: Accounts, issuer: TokenIssuer, limits: CallLimits, jwks: Callable[[], str]) -> None:
        self._accounts = accounts
        self._issuer = issuer
        self._limits = limits
        self._jwks = jwks

    async def CreateGuest(  # noqa: N802  # the RPC's name
        self, request: wire.CreateGuestRequest, context: Context
    ) -> wire.CreateGuestResponse:
        self._limits.admit_guest(context.peer())
        name = read_name(request.display_name)
        account, secret = await self._accounts.make_guest(name, bot=request.bot)
        return wire.CreateGuestResponse(
            account=_write_account(account), refresh_secret=secret, token=self._new_token(account)
        )

    async def RefreshToken(  # noqa: N802  # the RPC's name
        self, request: wire.RefreshTokenRequest, context: Context
    ) -> wire.RefreshTokenResponse:
        self._limits.admit_peer(context.peer())
        if len(request.account_id) > MAX_ACCOUNT_CHARS or len(request.refresh_secret) > credentials.MAX_CHARS:
            raise BadRequestError("no account id or secret is that long")
        account = await self._accounts.prove(request.account_id, request.refresh_secret)
        return wire.RefreshTokenResponse(account=_write_account(account), token=self._new_token(account))

    async def NameAccount(  # noqa: N802  # the RPC's name
        self, request: wire.NameAccountRequest, _context: Context
    ) -> wire.NameAccountResponse:
        account_id = self._limits.admit_account()
        username, password = read_username(request.username), read_password(request.password)
        self._limits.admit_password(account_id)
        account = await self._accounts.name(account_id, username, password)
        return wire.NameAccountResponse(account=_write_account(account), token=self._new_token(account))

    async def SignIn(  # noqa: N802  # the RPC's name
        self, request: wire.SignInRequest, context: Context
    ) -> wire.SignInResponse:
        self._limits.admit_peer(context.peer())
        username, password = read_username(request.username), read_password(request.password)
        self._limits.admit_password(f"={username_key(username)}")
        account, secret = await self._accounts.sign_in(username, password)
        return wire.SignInResponse(
            account=_write_account(account), refresh_secret=secret, token=self._new_token(account)
        )

    async def ChangePassword(  # noqa: N802  # the RPC's name
        self, request: wire.ChangePasswordRequest, _context: Context
    ) -> wire.ChangePasswordResponse:
        account_id = self._limits.admit_account()
        password, new = read_password(request.password), read_password(request.new_password)
        self._limits.admit_password(account_id)
        account, secret = await self._accounts.change_password(account_id, password, new)
        return wire.ChangePasswordResponse(refresh_secret=secret, token=self._new_token(account))

    async def GetKeys(  # noqa: N802  # the RPC's name
        self, _request: wire.GetKeysRequest, context: Context
    ) -> wire.GetKeysResponse:
        self._limits.admit_peer(context.peer())
        return wire.GetKeysResponse(jwks_json=self._jwks())

    def _new_token(self, account: Account) -> wire.PlayerToken:
        token = self._issuer.for_account(account.account_id, bot=account.bot, named=bool(account.username))
        return wire.PlayerToken(jwt=token.text, expires_at_ms=token.expires_ms)


def _write_account(account: Account) -> wire.Account:
    return wire.Account(
        account_id=account.account_id, display_name=account.name, bot=account.bot, username=account.username
    )
