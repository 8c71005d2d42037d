"""The stable codes of refusals, and the one gRPC status of each, as refusals.proto has them."""

from types import MappingProxyType
from typing import Final

import grpc
from banakil.common.v1 import refusals_pb2

PREFIX: Final = "REFUSAL_CODE_"
_BY_NUMBER: Final = {status.value[0]: status for status in grpc.StatusCode}

STATUS_OF: Final = MappingProxyType(
    {
        value.name.removeprefix(PREFIX): _BY_NUMBER[value.GetOptions().Extensions[refusals_pb2.status]]
        for value in refusals_pb2.RefusalCode.DESCRIPTOR.values
        if value.number
    }
)
"""The status of each code, by the code's name as `google.rpc.ErrorInfo` carries it (`NOT_YOUR_TURN`)."""
