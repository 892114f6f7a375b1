import type { Lines } from '../lines.ts';
import { type CheckedMail, fieldNamed, placeOfField } from '../mail.ts';
import type { Element, Visitor } from '../page/element.ts';
import type { Reporter } from '../reporter.ts';
import { dummyTextIn, type FoundPlaceholder, placeholdersIn, placeholdersInUrl } from './placeholders.ts';

/** The longest stretch of text that is searched at once, and the most stretches with a finding. */
const PIECE = 64 * 1024;
/** The elements in which people write about programs. */
const CODE = new Set(['code', 'pre', 'kbd', 'samp', 'tt', 'style', 'script']);
const TEXTS = ['alt', 'title', 'aria-label'];

/** Reports the placeholders that a page shows. */
export class PagePlaceholders implements Visitor {
  readonly #reporter: Reporter;
  readonly #lines: Lines;
  #code = 0;
  /** The texts since the last tag. An entity divides a text, and a placeholder may hold one. */
  #pieces: { readonly data: string; readonly start: number }[] = [];

  constructor(reporter: Reporter, lines: Lines) {
    this.#reporter = reporter;
    this.#lines = lines;
  }

  open(element: Element): void {
    this.#flush();
    if (CODE.has(element.name)) this.#code++;
    if (this.#code > 0) return;
    for (const name of TEXTS) {
      const value = element.attributes.get(name);
      const place = element.places.get(name);
      if (value === undefined || place === undefined) continue;
      for (const { text } of placeholdersIn(value)) this.#report(text, place.start, place.end, `the attribute ${name}`);
    }
    for (const name of ['href', 'src']) {
      const value = element.attributes.get(name);
      const place = element.places.get(name);
      if (value === undefined || place === undefined || value.startsWith('data:')) continue;
      for (const { text } of placeholdersInUrl(value.slice(0, 8_192)))
        this.#report(text, place.start, place.end, name === 'href' ? 'a link' : 'an image’s address');
    }
  }

  close(element: Element): void {
    this.#flush();
    if (CODE.has(element.name)) this.#code--;
  }

  text(data: string, start: number, within: Element | null): void {
    // Hidden text counts too: another client may show it, and the preview does.
    if (this.#code === 0 && within?.name !== 'title') this.#pieces.push({ data, start });
  }

  end(): void {
    this.#flush();
  }

  #flush(): void {
    const pieces = this.#pieces;
    if (pieces.length === 0) return;
    this.#pieces = [];
    const joined = (pieces.length === 1 ? (pieces[0]?.data ?? '') : pieces.map(({ data }) => data).join('')).slice(
      0,
      PIECE,
    );
    if (joined.length < 3) return;
    for (const { text, start } of placeholdersIn(joined)) {
      const [from, to] = rangeIn(pieces, start, text.length);
      this.#report(text, from, to, 'the text');
    }
    for (const { text, start } of dummyTextIn(joined)) {
      const place = this.#lines.at(...rangeIn(pieces, start, text.length));
      this.#reporter.add({ rule: 'dummy-text', severity: 'warning', message: DUMMY, place });
    }
  }

  #report(text: string, start: number, end: number, where: string): void {
    this.#reporter.add({ ...unreplaced(text, where), place: this.#lines.at(start, end) });
  }
}

/** Returns the range in the HTML of a range in the joined texts. */
function rangeIn(
  pieces: readonly { readonly data: string; readonly start: number }[],
  start: number,
  length: number,
): [number, number] {
  const at = (position: number) => {
    let before = 0;
    for (const { data, start: from } of pieces) {
      if (position < before + data.length) return from + position - before;
      before += data.length;
    }
    const last = pieces.at(-1);
    return last === undefined ? 0 : last.start + last.data.length;
  };
  return [at(start), at(start + length - 1) + 1];
}

const DUMMY = 'The text still contains placeholder text of a draft.';

/** Reports the placeholders of the subject and of the text part. */
export function checkTextPlaceholders(mail: CheckedMail, lines: Lines | null, reporter: Reporter): void {
  const subject = fieldNamed(mail, 'subject');
  for (const { text } of placeholdersIn((mail.subject ?? '').slice(0, PIECE))) {
    const place = subject && placeOfField(mail, subject);
    reporter.add({ ...unreplaced(text, 'the subject'), place });
  }
  if (mail.text === null || lines === null) return;
  for (const { text, start } of findInLines(mail.text, placeholdersIn))
    reporter.add({ ...unreplaced(text, 'the text part'), place: lines.at(start, start + text.length) });
  for (const { text, start } of findInLines(mail.text, dummyTextIn)) {
    const place = lines.at(start, start + text.length);
    reporter.add({ rule: 'dummy-text', severity: 'warning', message: DUMMY, place });
  }
}

function findInLines(text: string, find: (piece: string) => FoundPlaceholder[]): FoundPlaceholder[] {
  const found: FoundPlaceholder[] = [];
  for (let from = 0; from < text.length; from += PIECE)
    for (const one of find(text.slice(from, from + PIECE))) found.push({ ...one, start: from + one.start });
  return found;
}

function unreplaced(text: string, where: string) {
  return {
    rule: 'placeholder',
    severity: 'error',
    detail: text.slice(0, 80),
    message: `“${text.slice(0, 80)}” in ${where} was not replaced by a value.`,
  } as const;
}
