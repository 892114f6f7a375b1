// The admin token of a server off loopback: asked for once, kept for this tab, never in an address.

const NAME = 'mailcap.token';

export function readToken(): string | null {
  return sessionStorage.getItem(NAME);
}

export function keepToken(token: string | null): void {
  if (token === null) sessionStorage.removeItem(NAME);
  else sessionStorage.setItem(NAME, token);
}
