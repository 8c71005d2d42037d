/** Why something is refused: the codes of docs/record.md and docs/api.md, and those that the page itself gives. */

/** Of a layout, by R4. */
export const LAYOUT_CODES = [
  "MELD_TOO_SHORT",
  "TOO_MANY_JOKERS",
  "TOO_MANY_TWOS",
  "NOT_ENOUGH_REAL_CARDS",
  "RUN_SUITS_DIFFER",
  "RUN_NOT_CONSECUTIVE",
  "RUN_OUT_OF_RANGE",
  "SET_RANK_NOT_ALLOWED",
  "SET_SUIT_REPEATED",
  "SET_TOO_LONG",
  "TWO_IN_SET_NOT_ALLOWED",
] as const;

/** Of a new layout for a meld, by R5.5. */
export const AMEND_CODES = [
  "NO_SUCH_MELD",
  "OTHER_TEAMS_MELD",
  "NOT_OPENED",
  "CARD_LEFT_OUT",
  "CARD_MOVED",
  "JOKER_LOCKED",
  "TWO_MAY_NOT_MOVE",
  "MELD_KIND_CHANGED",
  "NOTHING_ADDED",
  "CARD_NOT_IN_HAND",
] as const;

/** Of a turn. */
export const TURN_CODES = [
  "BAD_ACTION",
  "DEAL_OVER",
  "MATCH_OVER",
  "NOT_YOUR_TURN",
  "MUST_DRAW_FIRST",
  "ALREADY_DRAWN",
  "STOCK_EMPTY",
  "PASS_NOT_ALLOWED",
  "PILE_EMPTY",
  "TOP_CARD_ONLY",
  "BAD_COUNT",
  "CARD_NOT_USABLE",
  "DUTY_UNMET",
  "NOTHING_TO_UNDO",
  "TIME_IS_UP",
] as const;

/** Of calls, accounts, rooms, tables and sockets. */
export const SERVICE_CODES = [
  "BAD_RECORD",
  "BAD_REQUEST",
  "OPTION_OUT_OF_RANGE",
  "MESSAGE_TOO_LARGE",
  "RATE_LIMITED",
  "OVERLOADED",
  "DRAINING",
  "DEPENDENCY_AWAY",
  "INTERNAL",
  "NO_TOKEN",
  "TOKEN_EXPIRED",
  "BAD_TOKEN",
  "ROLE_NOT_ADMITTED",
  "CREDENTIAL_INVALID",
  "DUPLICATE_COMMAND_BODY",
  "NO_SUCH_TABLE",
  "TABLE_CLOSED",
  "TABLE_FULL",
  "NOT_SEATED",
  "STALE_TURN",
  "WATCH_SUPERSEDED",
  "NO_SUCH_VACANCY",
  "VACANCY_TAKEN",
  "NO_SUCH_MATCH",
  "NO_SUCH_ACCOUNT",
  "NO_SUCH_ROOM",
  "ROOM_FULL",
  "ROOM_STARTED",
  "NOT_IN_ROOM",
  "NOT_HOST",
  "ALREADY_PLAYING",
  "USERNAME_TAKEN",
  "ACCOUNT_NAMED",
  "SEATS_VACANT",
  "STAKE_NOT_AGREED",
  "GUEST_ACCOUNT",
  "TOO_FEW_MATCHES",
  "TOO_FEW_COINS",
  "MATCH_SETTLED",
  "LEDGER_READ_ONLY",
  "NO_SUCH_CEREMONY",
  "STALE_EPOCH",
  "NOT_TABLES_MATCH",
  "CEREMONY_OPEN",
  "RESHUFFLE_OUT_OF_ORDER",
  "NO_SUCH_DAY",
  "NO_SUCH_PLAYER",
  "TOO_MANY_FOLLOWED",
  "STALE_CEREMONY",
  "CONTRIBUTION_NOT_AWAITED",
  "SEAT_LEFT",
  "STAND_IN_PLAYS",
  "PAUSE_NOT_POSSIBLE",
  "PAUSED",
  "SWAP_NOT_POSSIBLE",
  "TOO_MANY_SPECTATORS",
  "NO_SUCH_PHRASE",
  "TABLE_FROZEN",
  "NO_SUCH_POD",
  "NO_OTHER_POD",
  "NOT_FOUND",
  "ORIGIN_NOT_ALLOWED",
  "TOO_MANY_SOCKETS",
  "SLOW_CLIENT",
  "BAD_FRAME",
  "HELLO_TIMEOUT",
  "PROTOCOL_UNKNOWN",
] as const;

/** The page's own: no connection, and an action while another one waits for its answer. */
export const PAGE_CODES = ["OFFLINE", "BUSY"] as const;

export const CODES = [...LAYOUT_CODES, ...AMEND_CODES, ...TURN_CODES, ...SERVICE_CODES, ...PAGE_CODES] as const;

export type LayoutCode = (typeof LAYOUT_CODES)[number];
export type AmendCode = LayoutCode | (typeof AMEND_CODES)[number];
export type Code = (typeof CODES)[number];
