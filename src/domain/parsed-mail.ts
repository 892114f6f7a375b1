/** 0 not scanned, 1 clean, 2 infected, 3 scan failed, 4 skipped (docs/contract.md#spf-and-virus-scan). */
export type VirusScanStatus = 0 | 1 | 2 | 3 | 4;

export interface ParsedAttachment {
  readonly filename: string | null;
  readonly contentType: string | null;
  readonly contentId: string | null;
  readonly isInline: boolean;
  readonly sizeBytes: number;
  readonly virusScanStatus: VirusScanStatus;
}

/** What the full parse of a mail tells. */
export interface ParsedMail {
  readonly from: string | null;
  readonly to: string | null;
  readonly cc: string | null;
  readonly bcc: string | null;
  readonly replyTo: string | null;
  readonly subject: string | null;
  /** Decoded; null where the mail has none. Neither is derived from the other. */
  readonly textBody: string | null;
  readonly htmlBody: string | null;
  /** Lower-case names, decoded values, an array where a header repeats. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Bare addresses of To and Cc, lower-cased: the bcc rule needs them. */
  readonly toAndCc: readonly string[];
  readonly attachments: readonly ParsedAttachment[];
  /** Why the parse stopped short, null when it did not. */
  readonly parseError: string | null;
}

/** The text body holds `part`, which is lower-case; of a mail that has none, the HTML body without its tags. */
export function bodyHas(mail: ParsedMail, part: string): boolean {
  for (const isFound of lookInBody(mail, part)) if (isFound) return true;
  return false;
}

const PIECE_CHARACTERS = 64 * 1024;
const PIECE_TAGS = 4 * 1024;

/** As {@link bodyHas}, a piece of the body at each step, so that a large one is looked through between other work. */
export function* lookInBody({ textBody, htmlBody }: ParsedMail, part: string): Generator<boolean> {
  // What lower case a character has may depend on those around it: of each piece more is kept than a part that is cut.
  const kept = 2 * part.length + 2;
  let before = '';
  for (const piece of textBody !== null ? piecesOf(textBody) : withoutTags(htmlBody ?? '')) {
    const text = before + piece;
    yield text.toLowerCase().includes(part);
    before = text.slice(-kept);
  }
}

function* piecesOf(text: string): Generator<string> {
  for (let at = 0; at === 0 || at < text.length; at += PIECE_CHARACTERS) yield text.slice(at, at + PIECE_CHARACTERS);
}

/** Linear whatever the mail holds, which a regular expression over `<` would not be. */
function* withoutTags(html: string): Generator<string> {
  const texts: string[] = [];
  let characters = 0;
  let at = 0;
  for (;;) {
    const open = html.indexOf('<', at);
    const close = open < 0 ? -1 : html.indexOf('>', open);
    if (close < 0) break;
    for (const piece of piecesOf(html.slice(at, open))) {
      texts.push(piece);
      characters += piece.length;
      if (characters < PIECE_CHARACTERS && texts.length < PIECE_TAGS) continue;
      yield texts.splice(0).join('');
      characters = 0;
    }
    at = close + 1;
  }
  yield texts.join('');
  yield* piecesOf(html.slice(at));
}
