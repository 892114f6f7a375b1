import type { Context } from '../context.ts';
import type { ParsedMail } from '../domain/parsed-mail.ts';
import type { FoundCodesAndLinks } from '../extract/find.ts';

/** Caches results and calls in progress. An entry lives as long as its parsed mail. */
const known = new WeakMap<ParsedMail, Promise<FoundCodesAndLinks>>();

/** Finds the codes and links of a mail that a person would use (docs/api.md#messages-of-all-mailboxes). */
export function readCodesAndLinks(ctx: Context, mail: ParsedMail): Promise<FoundCodesAndLinks> {
  const kept = known.get(mail);
  if (kept !== undefined) return kept;
  const found = ctx.parser.find(mail);
  known.set(mail, found);
  return found;
}
