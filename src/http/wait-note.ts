import { z } from 'zod';
import type { WaitNote } from '../ports/waits.ts';
import type { Exchange } from './exchange.ts';

// The client decides about filters that the server can't evaluate, such as patterns. It tells the server what it waits
// for and which messages it refused (docs/api.md#messages-of-all-mailboxes).

const MAX_CHARACTERS = 8_000;

const text = z.string().max(1_000);
const WaitNoteHeader = z.object({
  call: text,
  since: z.iso.datetime({ offset: true }),
  filters: z.record(z.string().max(50), text),
  asked: z.object({ subject: text, from: text, to: text, body: text }).partial(),
  undecided: z.array(text).max(20),
  refused: z.array(z.object({ id: text, reason: text })).max(20),
});

/** Reads the note of a wait from the header `Mailcap-Wait`. Null if there is none, or none that can be read. */
export function readWaitNote({ req }: Exchange): WaitNote | null {
  const given = req.headers['mailcap-wait'];
  if (typeof given !== 'string' || given.length > MAX_CHARACTERS) return null;
  try {
    const { success, data } = WaitNoteHeader.safeParse(JSON.parse(decodeURIComponent(given)));
    return success ? (data as WaitNote) : null;
  } catch {
    // The note is only shown to people. A wait works without it.
    return null;
  }
}
