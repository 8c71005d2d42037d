"""What a caller is told of a request that could not be read."""

from shared.codec.errors import MalformedError
from shared.codec.refusals import STATUS_OF
from shared.kit.app import App
from shared.kit.status import ApiError


def translate_malformed(app: App) -> None:
    """Has what could not be read refused with its own code, rather than as a fault of the service."""
    app.translate(MalformedError, _translated)


def _translated(fault: MalformedError) -> ApiError:
    return ApiError(fault.code, str(fault), status=STATUS_OF[fault.code])
