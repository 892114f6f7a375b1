import type { Context } from '../context.ts';
import type { ParsedMail } from '../domain/parsed-mail.ts';
import type { Found } from '../extract/find.ts';

/** Caches results and calls in progress. An entry lives as long as its parsed mail. */
const known = new WeakMap<ParsedMail, Promise<Found>>();

/** Finds the codes and links of a mail that a person would use (docs/contract.md#mailboxes-and-messages-here). */
export function findCodesAndLinks(ctx: Context, mail: ParsedMail): Promise<Found> {
  const kept = known.get(mail);
  if (kept !== undefined) return kept;
  const found = ctx.parser.find(mail);
  known.set(mail, found);
  return found;
}
