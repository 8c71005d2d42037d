"""docs/api.md, rendered from the protos and their comments: `python -m shared.codec.apidoc` writes it anew."""

import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
    MethodDescriptorProto,
    ServiceDescriptorProto,
)

from shared.codec.api_comments import Comments, RpcComment
from shared.codec.refusals import PREFIX, STATUS_OF

OWN_PACKAGES: Final = "banakil."
METHOD: Final = ServiceDescriptorProto.METHOD_FIELD_NUMBER
REFUSALS: Final = "RefusalCode"
ENUM_HEAD: Final = ("| value | number | |", "| --- | --- | --- |")
REFUSAL_HEAD: Final = ("| value | number | status | |", "| --- | --- | --- | --- |")
_SCALARS: Final = {number: name.removeprefix("TYPE_").lower() for name, number in FieldDescriptorProto.Type.items()}
_NAMED: Final = (FieldDescriptorProto.TYPE_MESSAGE, FieldDescriptorProto.TYPE_ENUM)

INTRODUCTION: Final = """\
# The API

<!-- Rendered from protos/ by `python -m shared.codec.apidoc`; change the comments there. -->

gRPC throughout; the protos are in `protos/`, and servers started with reflection show them too. On the page's WebSocket
the same messages travel in proto3's JSON mapping.

- **Tokens.** `authorization: Bearer <token>` in the call's metadata. Each method says which roles it admits: `anyone`
  needs no token, `player` and `bot` have one from AccountService, all others are services of the system.
- **Errors.** Every refusal carries a `google.rpc.ErrorInfo` with the domain `banakil` and one of the codes of
  [RefusalCode](#refusalcode) as its `reason`, and a `google.rpc.RetryInfo` where waiting helps. What is refused has
  changed nothing. Besides those that it lists, any method may answer
  {common};
  one that needs a token also
  {token}.
- **Sending again.** `Repeatable` says whether a call whose answer was lost may be sent again. Where it is by an id, the
  same id with the same contents gets the first answer again, and with other contents `DUPLICATE_COMMAND_BODY`.
- **Cards** are codes: rank `A 2 3 4 5 6 7 8 9 T J Q K` and suit `S H D C`, as in `7H`; a joker is `JK`.
- **Points** are whole half-points: 75 is shown as 37.5. **Times** are milliseconds.
- **Names and numbers stay.** Fields, values and methods are added, never changed; skip those that you do not know.
"""
EVERY_METHOD: Final = ("BAD_REQUEST", "MESSAGE_TOO_LARGE", "DRAINING", "INTERNAL")
EVERY_TOKEN: Final = ("NO_TOKEN", "BAD_TOKEN", "TOKEN_EXPIRED", "ROLE_NOT_ADMITTED")


def compile_protos(folder: Path) -> FileDescriptorSet:
    """All protos in `folder`, comments included; needs grpcio-tools. Raises `ValueError` where they do not compile."""
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.proto"))
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "set"
        options = (f"-I{folder}", "--include_source_info", f"--descriptor_set_out={out}")
        ended = subprocess.run(
            [sys.executable, "-m", "grpc_tools.protoc", *options, *names], check=False, capture_output=True, text=True
        )
        if ended.returncode != 0:
            raise ValueError(f"the protos in {folder} do not compile: {ended.stderr}")
        return FileDescriptorSet.FromString(out.read_bytes())


def render(protos: FileDescriptorSet) -> str:
    """The whole of docs/api.md."""
    own = [file for file in protos.file if file.package.startswith(OWN_PACKAGES)]
    names = Names(own)
    introduction = INTRODUCTION.format(common=_code_list(EVERY_METHOD), token=_code_list(EVERY_TOKEN))
    parts = [introduction, *(part for file in own for part in _services(file, names))]
    for package in sorted({file.package for file in own}):
        parts.append(f"## Messages of {package}\n")
        parts += [part for file in own if file.package == package for part in _types(file, names)]
    return "\n".join(parts)


class Names:
    """Types by the name that the page gives them: a name that two packages use stands after its package's."""

    def __init__(self, files: Iterable[FileDescriptorProto]) -> None:
        names = Counter(
            name for file in files for name in (*(m.name for m in file.message_type), *(e.name for e in file.enum_type))
        )
        self._shared = {name for name, count in names.items() if count > 1}

    def title(self, type_name: str) -> str:
        """Of a type's full name, from the first capital on, for packages have none: `Act`, `table.Act`, `A.Nested`."""
        packages: list[str] = []
        own: list[str] = []
        for part in type_name.strip(".").split("."):
            (own if own or part[:1].isupper() else packages).append(part)
        return ".".join([packages[-2], *own] if own[0] in self._shared else own)

    def link(self, type_name: str) -> str:
        """A link to a type of ours."""
        title = self.title(type_name)
        return f"[{title}](#{title.lower().replace('.', '')})"


def _services(file: FileDescriptorProto, names: Names) -> Iterator[str]:
    comments = Comments(file)
    for index, service in enumerate(file.service):
        path = (FileDescriptorProto.SERVICE_FIELD_NUMBER, index)
        yield f"## {service.name}\n\n`{file.package}.{service.name}`: {comments.text(path)}\n"
        for number, method in enumerate(service.method):
            yield _method(method, RpcComment.parse(comments.raw((*path, METHOD, number))), names)


def _method(method: MethodDescriptorProto, comment: RpcComment, names: Names) -> str:
    stream = "stream of " if method.server_streaming else ""
    takes, gives = names.link(method.input_type), names.link(method.output_type)
    lines = [f"### {method.name}\n", f"{takes} → {stream}{gives}\n", f"{comment.text}\n"]
    lines.append(f"- Roles: {', '.join(comment.roles)}")
    lines.append(f"- Errors: {comment.errors_text}")
    lines.append(f"- Repeatable: {comment.repeatable}\n")
    return "\n".join(lines)


def _types(file: FileDescriptorProto, names: Names) -> Iterator[str]:
    comments = Comments(file)
    for index, message in enumerate(file.message_type):
        path = (FileDescriptorProto.MESSAGE_TYPE_FIELD_NUMBER, index)
        yield from _message(message, f"{file.package}.{message.name}", comments, path, names)
    for index, enum in enumerate(file.enum_type):
        yield _enum(enum, comments, (FileDescriptorProto.ENUM_TYPE_FIELD_NUMBER, index))


def _message(
    message: DescriptorProto, name: str, comments: Comments, path: tuple[int, ...], names: Names
) -> Iterator[str]:
    lines = [f"### {names.title(name)}\n", f"{comments.text(path)}\n"]
    if message.field:
        lines += ["| field | type | |", "| --- | --- | --- |"]
        for index, field in enumerate(message.field):
            meaning = comments.text((*path, DescriptorProto.FIELD_FIELD_NUMBER, index))
            lines.append(f"| {field.name} | {_field_type(message, field, names)} | {meaning} |")
        lines.append("")
    yield "\n".join(lines)
    for index, nested in enumerate(message.nested_type):
        nested_path = (*path, DescriptorProto.NESTED_TYPE_FIELD_NUMBER, index)
        yield from _message(nested, f"{name}.{nested.name}", comments, nested_path, names)


def _enum(enum: EnumDescriptorProto, comments: Comments, path: tuple[int, ...]) -> str:
    refusals = enum.name == REFUSALS
    lines = [f"### {enum.name}\n", f"{comments.text(path)}\n"]
    lines += REFUSAL_HEAD if refusals else ENUM_HEAD
    for index, value in enumerate(enum.value):
        meaning = comments.text((*path, EnumDescriptorProto.VALUE_FIELD_NUMBER, index))
        status = f"{_status(value.name.removeprefix(PREFIX))} | " if refusals else ""
        lines.append(f"| {value.name} | {value.number} | {status}{meaning} |")
    return "\n".join([*lines, ""])


def _status(code: str) -> str:
    status = STATUS_OF.get(code)
    return status.name if status else "–"


def _field_type(message: DescriptorProto, field: FieldDescriptorProto, names: Names) -> str:
    kind = names.link(field.type_name) if field.type in _NAMED else _SCALARS[field.type]
    if field.label == FieldDescriptorProto.LABEL_REPEATED:
        return f"repeated {kind}"
    if field.proto3_optional:
        return f"optional {kind}"
    if field.HasField("oneof_index"):
        return f"{kind}, one of `{message.oneof_decl[field.oneof_index].name}`"
    return kind


def _code_list(codes: Iterable[str]) -> str:
    return ", ".join(f"`{code}` ({STATUS_OF[code].name})" for code in codes)


def main() -> None:
    """Write docs/api.md; run it at the root of the project."""
    Path("docs/api.md").write_text(render(compile_protos(Path("protos"))), encoding="utf-8")


if __name__ == "__main__":
    main()
