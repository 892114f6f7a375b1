import { shorten } from '../../text/shorten.ts';

/** The client tells this to a local server about a wait, so that the web inbox can say why it still waits. */
export interface WaitNote {
  /** The name of the call: `waitForCode`. */
  readonly call: string;
  /** The time from which messages count. */
  readonly since: Date;
  /** The filters as an error of the wait shows them. */
  readonly filters: Readonly<Record<string, string>>;
  /** The filters that the server can apply. */
  readonly asked: Readonly<Record<string, string | undefined>>;
  /** The names of the filters that only the client can apply. */
  readonly undecided: readonly string[];
  /** The messages that the client refused, oldest first. */
  readonly refused: readonly { readonly id: string; readonly reason: string }[];
}

const MAX_REFUSED = 20;
const MAX_TEXT = 200;
const MAX_CHARACTERS = 6_000;

/** Writes a note as the value of a header. The oldest refusals are left out if it gets too long; null if it stays so. */
export function writeWaitNote(note: WaitNote): string | null {
  for (let refused = note.refused.slice(-MAX_REFUSED); ; refused = refused.slice(1)) {
    const cut = refused.map(({ id, reason }) => ({ id, reason: shorten(reason, MAX_TEXT) }));
    const written = encoded({ ...note, filters: shortened(note.filters), refused: cut });
    if (written.length <= MAX_CHARACTERS) return written;
    if (refused.length === 0) return null;
  }
}

function shortened(texts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, shorten(text, MAX_TEXT)]));
}

function encoded(value: object): string {
  // A cut text may end with half of a surrogate pair, which can't be encoded.
  return encodeURIComponent(JSON.stringify(value).replace(/\p{Surrogate}/gu, '\ufffd'));
}
