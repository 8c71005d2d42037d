"""What every proto has to say, and that docs/api.md says the same."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from banakil.common.v1 import roles_pb2
from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
    MethodDescriptorProto,
    MethodOptions,
)

from shared.codec.api_comments import Comments, RpcComment
from shared.codec.apidoc import compile_protos, render
from shared.codec.methods import admitted_roles, repeatable_methods, role_name
from shared.codec.refusals import PREFIX, STATUS_OF
from shared.rules.refusal import Code

ROOT = Path(__file__).resolve().parents[3]
PROTOS = ROOT / "protos"
KNOWN_ROLES = {role_name(number) for number in roles_pb2.Role.values() if number}


@cache
def compiled() -> FileDescriptorSet:
    return compile_protos(PROTOS)


def rpcs() -> Iterator[tuple[str, MethodDescriptorProto, RpcComment]]:
    for file in compiled().file:
        for index, service in enumerate(file.service):
            for number, method in enumerate(service.method):
                comment = Comments(file).raw((FileDescriptorProto.SERVICE_FIELD_NUMBER, index, 2, number))
                yield f"/{file.package}.{service.name}/{method.name}", method, RpcComment.parse(comment)


def messages() -> dict[str, DescriptorProto]:
    return {f".{file.package}.{message.name}": message for file in compiled().file for message in file.message_type}


def test_every_rpc_says_who_may_call_it_what_it_refuses_and_whether_it_may_be_sent_again() -> None:
    said = list(rpcs())
    assert {name for name, _, _ in said} == set(admitted_roles()), "the comments and the methods module list other RPCs"
    assert [name for name, _, comment in said if not (comment.text and comment.roles and comment.errors)] == []


def test_the_roles_of_an_rpc_are_known_ones_and_its_comment_and_its_option_agree() -> None:
    admitted = admitted_roles()
    for name, _, comment in rpcs():
        assert set(comment.roles) <= KNOWN_ROLES, name
        assert sorted(admitted[name]) == sorted(comment.roles), name
        assert admitted[name] == {"anyone"} or "anyone" not in admitted[name], name


def test_an_rpc_says_repeatable_where_its_option_does_and_names_a_field_that_its_request_has() -> None:
    requests = messages()
    for name, method, comment in rpcs():
        answer, _, field = comment.repeatable.partition(", by ")
        assert answer in ("yes", "no"), name
        assert (answer == "yes") == (name in repeatable_methods()), name
        if field:
            assert method.options.idempotency_level == MethodOptions.IDEMPOTENT, name
            assert field in {known.name for known in requests[method.input_type].field}, name


def test_every_error_of_an_rpc_is_a_known_code_with_its_own_status() -> None:
    wrong = [(name, code) for name, _, comment in rpcs() for code, status in comment.errors
             if code not in STATUS_OF or STATUS_OF[code].name != status]  # fmt: skip
    assert wrong == []


def test_every_code_of_the_rules_is_on_the_wire_and_only_what_cannot_be_read_is_an_invalid_argument() -> None:
    for code in Code:
        expected = "INVALID_ARGUMENT" if code in (Code.BAD_RECORD, Code.BAD_ACTION) else "FAILED_PRECONDITION"
        assert STATUS_OF[code.value].name == expected


def test_every_code_says_when_it_is_given() -> None:
    text = (PROTOS / "banakil/common/v1/refusals.proto").read_text()
    for code in STATUS_OF:
        assert re.search(rf"  // .+\n  {PREFIX}{code} = ", text), code


def test_a_comment_that_lacks_a_line_is_refused() -> None:
    with pytest.raises(ValueError, match="without its Roles"):
        RpcComment.parse("Plays.\n\n Roles: player.\n Repeatable: no.\n")


def test_no_method_on_the_wire_admits_nobody() -> None:
    assert [name for name, roles in admitted_roles().items() if not roles] == []


def test_the_api_page_is_what_the_protos_say() -> None:
    """Run `python -m shared.codec.apidoc` after a change of the protos."""
    assert (ROOT / "docs/api.md").read_text(encoding="utf-8") == render(compiled())


def test_every_link_of_the_api_page_leads_to_one_heading() -> None:
    page = render(compiled())
    headings = Counter(re.sub(r"[^a-z0-9_ -]", "", title.lower()).replace(" ", "-")
                       for title in re.findall(r"^#+ (.*)$", page, re.MULTILINE))  # fmt: skip
    targets = set(re.findall(r"\]\(#([^)]+)\)", page))
    assert {target: headings[target] for target in targets if headings[target] != 1} == {}
