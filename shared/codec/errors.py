"""The one error of reading what the wire brought."""


class MalformedError(ValueError):
    """A request, or a part of it, that cannot be read. `code` is its refusal code (`STATUS_OF` has its status)."""

    def __init__(self, message: str, code: str = "BAD_REQUEST") -> None:
        super().__init__(message)
        self.code = code
