/** Addresses within the page: `#/join/CODE` invites, `#/table/ID` comes back to a table after a reload. */

const TABLE = /^#\/table\/([\w-]{1,64})$/;
const JOIN = /^#\/join\/(\w{1,16})$/;

export function tableOfPath(): string | null {
  return TABLE.exec(location.hash)?.[1] ?? null;
}

export function joinCode(): string | null {
  return JOIN.exec(location.hash)?.[1] ?? null;
}

/** The link that brings a friend into a room. */
export function inviteLink(code: string): string {
  return `${location.origin}${location.pathname}#/join/${code}`;
}

/** Shows the path in the address line; nothing follows from it. */
export function showPath(path: string): void {
  const hash = `#/${path}`;
  if (location.hash !== hash) history.replaceState(null, "", hash);
}
