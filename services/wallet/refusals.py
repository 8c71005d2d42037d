"""Why the wallet service refuses a call."""

from shared.kit.status import BAD_REQUEST, MalformedError, UnknownError


class BadRequestError(MalformedError):
    """The request could never be right."""

    def __init__(self, message: str) -> None:
        super().__init__(BAD_REQUEST, message)


class UnknownMatchError(UnknownError):
    """No finished match has the id, as far as has been heard."""

    def __init__(self) -> None:
        super().__init__("NO_SUCH_MATCH", "no finished match has this id")
