import type { Context } from '../context.ts';
import type { ParsedMail } from '../domain/parsed-mail.ts';
import type { Found } from '../extract/find.ts';

/** For whoever asks next, and for who asks meanwhile. */
const known = new WeakMap<ParsedMail, Promise<Found>>();

/** What a person would take from a mail: its codes and its links (docs/contract.md#mailboxes-and-messages-here). */
export function findCodesAndLinks(ctx: Context, mail: ParsedMail): Promise<Found> {
  const kept = known.get(mail);
  if (kept !== undefined) return kept;
  const found = ctx.parser.find(mail);
  known.set(mail, found);
  return found;
}
