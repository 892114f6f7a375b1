import { type HtmlSink, walkHtml } from '../../extract/html-walk.ts';

// A reply says something itself, and quotes the mail that it answers. Providers tell the app both.

/** The longest part of a line that is looked at. */
const LONGEST = 500;
/** A line behind which everything is quoted. */
const MARK =
  /^\s{0,9}-{2,} ?(?:(?:Original|Reply) Message|(?:Ursprüngliche|Antwort) Nachricht|Message d['’]origine|Oprindelig meddelelse|Mensaje original|.{1,80} wrote) ?-{2,}/i;
/** A line behind which a mail is passed on. It is what the mail is about, so it stays. */
const PASSED_ON = /^\s{0,9}(?:-{2,} ?(?:Forwarded Message|Weitergeleitete Nachricht)|Begin forwarded message:)/i;
/** The names of the fields by which Outlook quotes a mail: that of the sender, and of what follows it. */
const SENDER = /^[\s>]{0,9}\*?(?:From|Von|De|Fra|Från|Van|Da|Od)\*?\s?:\*?\s/;
const FIELD =
  /^[\s>]{0,9}\*?(?:Sent|Date|To|Cc|Subject|Gesendet|Datum|An|Betreff|Envoyé|À|Objet|Sendt|Til|Emne|Skickat|Till|Ämne|Verzonden|Aan|Onderwerp|Enviado|Para|Asunto|Inviato|Oggetto)\*?\s?:/;
/** A line that divides a reply from what Outlook quotes. */
const RULE = /^\s{0,9}[_-]{5,}\s*$/;
/** The first words and the last ones of a sentence that says who wrote what is quoted next, and when. */
const BEGINS = /^\s?(?:-{2,} ?)?(?:(?:On|Am|Le|El|Il|Op|Em|Den|På|W dniu) .*\d|\d{1,4}[-./]\d{1,2}[-./]\d{1,4}\b)/;
const ENDS =
  /(?:\b(?:wrote|sent|schrieb|schreef|geschreven|skrev|escreveu|escribió|ha scritto|napisał)|a écrit)(?: .{1,200})?\s?(?::-{0,9}|-{3,9})\s?$/;
/** The lines that such a sentence has at most, and the empty ones behind it. */
const MOST_LINES = 3;
const MOST_EMPTY = 5;

/** The text of a reply without what it quotes: lines with `>`, headers of mails, and the words before them. */
export function withoutQuote(text: string): string {
  const lines = text.split(/\r?\n/);
  const kept: string[] = [];
  let isQuoting = false;
  for (const [at, line] of lines.entries()) {
    if (restIsQuoted(lines, at)) break;
    if (PASSED_ON.test(line)) return [...kept, ...lines.slice(at)].join('\n').trim();
    const isQuoted = line.startsWith('>');
    if (isQuoted && !isQuoting) {
      kept.length = introductionIn(kept);
      while (kept.at(-1) === '') kept.pop();
    }
    if (!isQuoted) kept.push(line);
    // An empty line stands between parts of a quote too.
    isQuoting = isQuoted || (isQuoting && line === '');
  }
  while (kept.at(-1) === '' || RULE.test(kept.at(-1) ?? '')) kept.pop();
  return kept.join('\n').trim();
}

/** Tells whether everything from a line on is quoted. */
function restIsQuoted(lines: readonly string[], at: number): boolean {
  const line = (lines[at] ?? '').slice(0, LONGEST);
  if (MARK.test(line)) return true;
  if (SENDER.test(line))
    return lines.slice(at + 1, at + 6).filter((one) => FIELD.test(one.slice(0, LONGEST))).length > 1;
  if (!BEGINS.test(line)) return false;
  const sentence = lines.slice(at, at + MOST_LINES);
  const end = sentence.findIndex((_line, last) =>
    ENDS.test(
      sentence
        .slice(0, last + 1)
        .join(' ')
        .slice(-LONGEST),
    ),
  );
  if (end === -1) return false;
  // The rest has marks of its own, or all of it is the quote.
  const next = lines.slice(at + end + 1, at + end + 1 + MOST_EMPTY).find((one) => one.trim() !== '');
  return next !== undefined && !next.startsWith('>');
}

/** Returns where the words begin that say who wrote what is quoted next, as in `On 27 Nov 2026 Ada <ada@x.test> wrote:`. */
function introductionIn(lines: readonly string[]): number {
  const end = lines.findLastIndex((line) => line !== '');
  const last = (lines[end] ?? '').slice(-LONGEST);
  if (!/:\s?-*$/.test(last) || !/@|\d{4}|\bwrote\b/.test(last)) return lines.length;
  // A long one stands in several lines, of which the first has the date.
  for (let start = end; start >= 0 && start > end - MOST_LINES && lines[start] !== ''; start--)
    if (BEGINS.test(lines[start]?.slice(0, LONGEST) ?? '')) return start;
  return end;
}

/** The first line of a signature, which is none of a list. */
const SIGNS =
  /^\s{0,9}(?:-{2,}|[-–—] ?\p{L}[\p{L} .]{1,40}|(?:many )?thanks|thank you|(?:kind |best |warm )?regards|best(?: wishes)?|cheers|(?:viele |beste )?grüße|(?:mit freundlichen|viele) grüßen|cordialement|saludos|(?:sent (?:\S{1,20} )?from (?:my|mailbox)|gesendet von meinem|envoyé de mon|enviado desde mi) [\p{L}\d '’®]{1,50})[\s,!.]*$/iu;
/** The lines of a signature that have words, at most, and their length. */
const MOST_SIGNED = 10;
const LONGEST_SIGNED = 60;

/** Divides a text, which quotes nothing, into what it says and the signature below it. */
export function dividedAtSignature(text: string): { readonly said: string; readonly signature: string } {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => line.trim() !== '');
  let start = lines.length;
  let signed = 0;
  for (let at = lines.length - 1; at > first && signed < MOST_SIGNED; at--) {
    const line = (lines[at] ?? '').trimEnd();
    if (line.length > LONGEST_SIGNED) break;
    if (line !== '') signed++;
    if (SIGNS.test(line)) start = at;
  }
  return { said: lines.slice(0, start).join('\n').trim(), signature: lines.slice(start).join('\n').trim() };
}

const END_TAG = /<\/([a-z0-9]{1,20})\s{0,9}>/gi;

/** HTML without what it quotes: the elements that mail programs put around it. */
export function withoutQuotedHtml(html: string): string {
  const kept: string[] = [];
  let depth = 0; // how many elements are open in the one that is left out
  let from = 0; // where what is kept begins
  let ended: { readonly at: number; readonly name: string } | null = null;
  let seen = 0;
  /** Ends what is left out at its end tag, which stands before `next`. */
  const settle = (next: number) => {
    if (ended !== null) {
      const { at, name } = ended;
      const tags = [...html.slice(at, next).matchAll(END_TAG)];
      const own = tags.find((tag) => tag[1]?.toLowerCase() === name);
      from = own === undefined ? next : at + own.index + own[0].length;
      ended = null;
    }
    seen = next;
  };
  const sink: HtmlSink = {
    wantsAll: true,
    open: (name, attributes, isVoid, { start }) => {
      settle(start);
      if (depth === 0 && !isVoid && isQuote(name, attributes)) {
        kept.push(html.slice(from, start));
        depth = 1;
      } else if (depth > 0 && !isVoid) depth++;
    },
    close: (name) => {
      if (depth === 0) return;
      depth--;
      if (depth === 0) ended = { at: seen, name };
    },
    text: (_data, start) => settle(start),
  };
  walkHtml(html, sink);
  settle(html.length);
  if (depth === 0) kept.push(html.slice(from));
  return kept.join('');
}

function isQuote(name: string, attributes: ReadonlyMap<string, string>): boolean {
  if (name === 'blockquote') return true;
  return /(?:^|\s)(?:gmail_quote|moz-cite-prefix|yahoo_quoted|protonmail_quote)(?:\s|$)/.test(
    attributes.get('class') ?? '',
  );
}
