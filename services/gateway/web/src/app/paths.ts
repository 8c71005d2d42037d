/**
 * Addresses within the page: `#/join/CODE` invites, `#/table/ID` comes back to a table after a reload, and at `/t/ID` one looks
 * on. The Verify page is a page of its own: `/verify`, `/verify/MATCH`.
 */

const TABLE = /^#\/table\/([\w-]{1,64})$/;
const VERIFY = /^\/verify(?:\/([^/]*))?\/?$/;
const WATCHED = /^\/t\/([\w-]{1,64})\/?$/;
const JOIN = /^#\/join\/(\w{1,16})$/;

export function tableOfPath(): string | null {
  return TABLE.exec(location.hash)?.[1] ?? null;
}

/** The table that the address asks to look on at. */
export function watchedTable(): string | null {
  return WATCHED.exec(location.pathname)?.[1] ?? null;
}

/** The link by which anybody looks on. */
export function watchLink(tableId: string): string {
  return `${location.origin}/t/${tableId}`;
}

export function joinCode(): string | null {
  return JOIN.exec(location.hash)?.[1] ?? null;
}

/** The link that brings a friend into a room. */
export function inviteLink(code: string): string {
  return `${location.origin}/#/join/${code}`;
}

/** Shows the path in the address line; nothing follows from it. */
export function showPath(path: string): void {
  const address = path.startsWith("/") ? path : `/#/${path}`;
  if (location.pathname + location.hash !== address) history.replaceState(null, "", address);
}

/** Whether the Verify page is asked for, and of which match. */
export function verifyPath(): { readonly match: string | null } | null {
  const found = VERIFY.exec(location.pathname);
  return found && { match: found[1] || null };
}

/** Where a finished match is checked. */
export function verifyLink(matchId: string): string {
  return `/verify/${matchId}`;
}
