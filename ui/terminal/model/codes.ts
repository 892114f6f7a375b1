import { type Choice, chooseFrom, itemsChanged } from './choice.ts';
import type { InboxEffect } from './effects.ts';
import type { AuthenticatorItem } from './resources.ts';

/** The authenticators of the workspace and their current TOTP codes. */
export interface CodeState {
  readonly authenticators: Choice<AuthenticatorItem>;
  readonly loaded: boolean;
  /** The ids of authenticators whose next code was requested and has not arrived. */
  readonly awaited: ReadonlySet<string>;
}

export const NO_CODES: CodeState = { authenticators: chooseFrom([]), loaded: false, awaited: new Set() };

export function authenticatorsCame(codes: CodeState, items: readonly AuthenticatorItem[]): CodeState {
  return { authenticators: itemsChanged(codes.authenticators, items), loaded: true, awaited: new Set() };
}

/** Requests a new code for each authenticator whose code has expired at `now`, once per code. */
export function codesDue(codes: CodeState, now: number): [CodeState, InboxEffect[]] {
  const due = codes.authenticators.items.filter(({ id, expiresAt }) => expiresAt <= now && !codes.awaited.has(id));
  if (due.length === 0) return [codes, []];
  const awaited = new Set([...codes.awaited, ...due.map(({ id }) => id)]);
  return [{ ...codes, awaited }, due.map(({ id }) => ({ do: 'load-code', id }))];
}

export function codeCame(codes: CodeState, id: string, code: string | null, expiresAt: number): CodeState {
  const items = codes.authenticators.items.map((item) => (item.id === id ? { ...item, code, expiresAt } : item));
  const awaited = new Set(codes.awaited);
  awaited.delete(id);
  return { ...codes, authenticators: { ...codes.authenticators, items }, awaited };
}

/** Returns how many whole seconds a code remains valid. */
export function secondsLeft({ expiresAt }: AuthenticatorItem, now: number): number {
  return Math.max(0, Math.ceil((expiresAt - now) / 1000));
}
