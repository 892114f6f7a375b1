// The admin token of a server that is reached from another machine. The page asks for it once and keeps it for this
// tab. It never appears in a URL.

const NAME = 'mailcap.token';

export function readToken(): string | null {
  return sessionStorage.getItem(NAME);
}

export function keepToken(token: string | null): void {
  if (token === null) sessionStorage.removeItem(NAME);
  else sessionStorage.setItem(NAME, token);
}
