"""What the databases themselves watch over in the ledger, as of revision 0002.

Each transfer moves its coins as it is inserted. Transfers and settlements stay as they are. A balance changes by a
transfer alone: on Postgres by the trigger that the transfer sets off, on SQLite by exactly what the newest transfer
moved.
"""

from typing import Final

POSTGRES: Final = (
    """
CREATE FUNCTION ledger_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the ledger refuses % of %', TG_OP, TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$
""",
    """
CREATE FUNCTION ledger_move() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    named bigint;
    moved bigint;
BEGIN
    WITH sides AS (
        SELECT debit AS account_id, -amount AS coins, id FROM fresh UNION ALL SELECT credit, amount, id FROM fresh
    ), sums AS (
        SELECT account_id, sum(coins)::bigint AS coins, max(id) AS newest FROM sides GROUP BY account_id
    ), changed AS (
        UPDATE accounts SET balance = accounts.balance + sums.coins, last_transfer = sums.newest
        FROM sums WHERE accounts.account_id = sums.account_id RETURNING 1
    )
    SELECT (SELECT count(*) FROM sums), (SELECT count(*) FROM changed) INTO named, moved;
    IF named <> moved THEN
        RAISE EXCEPTION 'a transfer names no account' USING ERRCODE = 'foreign_key_violation';
    END IF;
    RETURN NULL;
END $$
""",
    """
CREATE FUNCTION ledger_keep_balance() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF pg_trigger_depth() < 2 THEN
        RAISE EXCEPTION 'a balance changes by a transfer alone' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$
""",
    "CREATE TRIGGER transfers_move AFTER INSERT ON transfers REFERENCING NEW TABLE AS fresh"
    " FOR EACH STATEMENT EXECUTE FUNCTION ledger_move()",
    "CREATE TRIGGER transfers_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON transfers"
    " FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse()",
    "CREATE TRIGGER settlements_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON settlements"
    " FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse()",
    "CREATE TRIGGER accounts_stay BEFORE DELETE OR TRUNCATE ON accounts"
    " FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse()",
    "CREATE TRIGGER accounts_keep_balance BEFORE UPDATE ON accounts"
    " FOR EACH ROW EXECUTE FUNCTION ledger_keep_balance()",
    "CREATE TRIGGER accounts_begin_empty BEFORE INSERT ON accounts FOR EACH ROW"
    " WHEN (NEW.balance <> 0 OR NEW.last_transfer <> 0) EXECUTE FUNCTION ledger_refuse()",
    # As far as one role can: who owns a table can grant itself anything again.
    "REVOKE UPDATE, DELETE, TRUNCATE ON transfers, settlements FROM PUBLIC, CURRENT_USER",
    "REVOKE DELETE, TRUNCATE ON accounts FROM PUBLIC, CURRENT_USER",
)

SQLITE: Final = (
    # What replaces a row of that key or id would delete it without asking another trigger.
    """
CREATE TRIGGER transfers_come_once BEFORE INSERT ON transfers
BEGIN
    SELECT RAISE(ABORT, 'UNIQUE: a transfer comes once')
    WHERE EXISTS (SELECT 1 FROM transfers WHERE id = NEW.id OR key = NEW.key);
    SELECT RAISE(ABORT, 'a transfer is of whole coins') WHERE typeof(NEW.amount) <> 'integer';
    SELECT RAISE(ABORT, 'a transfer names no account')
    WHERE (SELECT count(*) FROM accounts WHERE account_id IN (NEW.debit, NEW.credit)) <> 2;
END
""",
    """
CREATE TRIGGER transfers_move AFTER INSERT ON transfers
BEGIN
    UPDATE accounts SET balance = balance - NEW.amount, last_transfer = NEW.id WHERE account_id = NEW.debit;
    UPDATE accounts SET balance = balance + NEW.amount, last_transfer = NEW.id WHERE account_id = NEW.credit;
END
""",
    "CREATE TRIGGER transfers_stay BEFORE UPDATE ON transfers"
    " BEGIN SELECT RAISE(ABORT, 'a transfer is never changed'); END",
    "CREATE TRIGGER transfers_are_kept BEFORE DELETE ON transfers"
    " BEGIN SELECT RAISE(ABORT, 'a transfer is never deleted'); END",
    """
CREATE TRIGGER settlements_come_once BEFORE INSERT ON settlements
WHEN EXISTS (SELECT 1 FROM settlements WHERE match_id = NEW.match_id)
BEGIN
    SELECT RAISE(ABORT, 'UNIQUE: a match is settled once');
END
""",
    "CREATE TRIGGER settlements_stay BEFORE UPDATE ON settlements"
    " BEGIN SELECT RAISE(ABORT, 'a settlement is never changed'); END",
    "CREATE TRIGGER settlements_are_kept BEFORE DELETE ON settlements"
    " BEGIN SELECT RAISE(ABORT, 'a settlement is never deleted'); END",
    "CREATE TRIGGER accounts_are_kept BEFORE DELETE ON accounts"
    " BEGIN SELECT RAISE(ABORT, 'an account is never deleted'); END",
    """
CREATE TRIGGER accounts_begin_empty BEFORE INSERT ON accounts
BEGIN
    SELECT RAISE(ABORT, 'UNIQUE: an account is opened once, and empty')
    WHERE NEW.balance IS NOT 0 OR NEW.last_transfer IS NOT 0
        OR EXISTS (SELECT 1 FROM accounts WHERE account_id = NEW.account_id);
END
""",
    """
CREATE TRIGGER accounts_keep_balance BEFORE UPDATE ON accounts
BEGIN
    SELECT RAISE(ABORT, 'a balance changes by a transfer alone')
    WHERE NEW.account_id IS NOT OLD.account_id OR NOT EXISTS (
        SELECT 1 FROM transfers WHERE id = NEW.last_transfer AND id > OLD.last_transfer AND (
            debit = OLD.account_id AND NEW.balance = OLD.balance - amount
            OR credit = OLD.account_id AND NEW.balance = OLD.balance + amount
        )
    );
END
""",
)
