"""The checks of an audit export: everything that is public of a match's shuffles."""

from collections.abc import Callable
from typing import Any

from banakil.shuffle.v1 import shuffle_pb2

from shared.cli.verify_report import DealReport, Evidence, Report
from shared.cli.verify_wire import audit_message
from shared.codec.audit import read_audit
from shared.codec.errors import MalformedError
from shared.fairness.audit import AUDIT_CHECKS, deal_checks, match_checks
from shared.fairness.checks import Check, by_fault, cannot_check
from shared.rules.refusal import RecordError


def check_audit(fields: dict[str, Any], evidence: Evidence, watch: Callable[[], None]) -> Report:
    """The checks of an export. Raises ``RecordError`` for one that can't be read, or out of patience (``watch``)."""
    message = audit_message(fields)
    try:
        audit = read_audit(message)
    except MalformedError as error:
        raise RecordError(f"no audit: {error}") from None
    if not audit.attempts:
        raise RecordError("the audit export has no deal")
    checks = [_keys_check(message, evidence), *match_checks(audit, evidence.keys.verify), *evidence.checks()]
    report = Report("audit", checks=checks)
    watch()
    for deal_no, checks in deal_checks(audit, evidence.keys.verify, evidence.days):
        report.deals.append(DealReport(deal_no, tuple(checks), AUDIT_CHECKS))
        watch()
    return report


def _keys_check(message: shuffle_pb2.AuditResponse, evidence: Evidence) -> Check:
    """Whether the keys that the export names are the published ones."""
    keys = {each.key_id: each.public_key for each in message.keys}
    if len(keys) != len(message.keys) or any(key.hex() != key_id for key_id, key in keys.items()):
        return by_fault("keys", "a key's id is the key in hex, and each is there once")
    if not keys:
        return cannot_check("keys", "they are not in this file")
    if not evidence.keys.known:
        return cannot_check("keys", "whether they are published, this file does not show")
    return by_fault("keys", evidence.keys.fault(keys))
