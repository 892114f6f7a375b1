import type { HtmlSpan } from '../../extract/html-walk.ts';
import type { ReportAt } from '../finding.ts';
import type { Element, Visitor } from '../page.ts';

/** The number of tables without a role up to which they are only a note: many programs guess the role correctly. */
const FEW_TABLES = 3;

/** A link while it is open. */
interface OpenLink extends HtmlSpan {
  readonly element: Element;
  hasName: boolean;
}

/** A table while it is open. */
interface OpenTable extends HtmlSpan {
  readonly element: Element;
  readonly hasRole: boolean;
  /** Tells whether an element or attribute in it shows that it contains data. */
  isData: boolean;
  holdsTable: boolean;
  cells: number;
}

/** Reports faults that hinder people who use a screen reader. */
export class Accessibility implements Visitor {
  readonly #report: ReportAt;
  readonly #tables: OpenTable[] = [];
  readonly #bare: HtmlSpan[] = [];
  #link: OpenLink | null = null;
  #heading: { readonly element: Element; hasText: boolean } | null = null;
  #level = 0;
  #document: Element | null = null;
  #hasLang = false;
  #hasTitle = false;
  #first: Element | null = null;
  #inHidden = 0;

  constructor(report: ReportAt) {
    this.#report = report;
  }

  open(element: Element): void {
    const { name, attributes } = element;
    this.#first ??= element;
    if (name === 'html') this.#document ??= element;
    // Mail programs show only the body, so the outermost element in it may declare the language too.
    if (isLanguage(attributes.get('lang')) || isLanguage(attributes.get('xml:lang'))) this.#hasLang = true;
    if (isUnheard(element)) this.#inHidden++;
    if (name === 'a') this.#openLink(element);
    if (attributes.get('aria-label')?.trim() || attributes.get('title')?.trim()) this.#name();
    if (name === 'img') this.#image(element);
    if (/^h[1-6]$/.test(name) && element.isShown) this.#openHeading(element);
    this.#table(element);
  }

  close(element: Element): void {
    if (isUnheard(element)) this.#inHidden--;
    if (element === this.#link?.element) this.#closeLink();
    if (element === this.#heading?.element) this.#closeHeading();
    if (element === this.#tables.at(-1)?.element) this.#closeTable();
  }

  text(data: string, _start: number, within: Element | null): void {
    if (data.trim() === '') return;
    if (within?.name === 'title') this.#hasTitle = true;
    else if (within?.isShown !== false) {
      this.#name();
      if (this.#heading !== null) this.#heading.hasText = true;
    }
  }

  end(): void {
    const first = this.#document ?? this.#first;
    if (first !== null && !this.#hasLang) {
      const severity = this.#document === null ? 'note' : 'warning';
      const message = 'The HTML does not declare its language, so a screen reader may pronounce it wrongly.';
      this.#report({ rule: 'lang', severity, message }, first);
    }
    if (this.#document !== null && !this.#hasTitle)
      this.#report({ rule: 'title', message: 'The document has no title.' }, this.#document);
    const severity = this.#bare.length > FEW_TABLES ? 'warning' : 'note';
    const message = 'A layout table has no role="presentation".';
    for (const span of this.#bare) this.#report({ rule: 'table-role', severity, message }, span);
  }

  #openLink(element: Element): void {
    this.#closeLink();
    const { start, end, attributes } = element;
    if (attributes.get('href')?.trim() && element.isShown) this.#link = { element, start, end, hasName: false };
  }

  #closeLink(): void {
    const link = this.#link;
    this.#link = null;
    if (link === null || link.hasName || this.#inHidden > 0) return;
    const message = 'A link has no text and no alternative text, so a screen reader reads its URL.';
    this.#report({ rule: 'link-name', message }, link);
  }

  #name(): void {
    if (this.#link !== null) this.#link.hasName = true;
  }

  #image(element: Element): void {
    const alt = element.attributes.get('alt');
    if (alt?.trim()) {
      this.#name();
      if (this.#heading !== null) this.#heading.hasText = true;
    }
    const isHidden = element.look.gone || this.#inHidden > 0 || isPixel(element.attributes);
    if (alt !== undefined || isHidden || element.attributes.get('role') === 'presentation') return;
    const message = 'An image has no alt, so people who do not see it get no description, or its file name.';
    this.#report({ rule: 'image-alt', message }, element);
  }

  #openHeading(element: Element): void {
    const level = Number(element.name.slice(1));
    if (this.#level > 0 && level > this.#level + 1)
      this.#report({ rule: 'heading-order', message: `An h${level} follows an h${this.#level}.` }, element);
    this.#level = level;
    this.#heading = { element, hasText: false };
  }

  #closeHeading(): void {
    const heading = this.#heading;
    this.#heading = null;
    if (heading !== null && !heading.hasText)
      this.#report({ rule: 'heading-order', message: 'A heading is empty.' }, heading.element);
  }

  #table(element: Element): void {
    const { name, attributes, start, end } = element;
    const table = this.#tables.at(-1);
    if (name === 'table') {
      if (table !== undefined) table.holdsTable = true;
      const hasRole = attributes.has('role') || attributes.get('aria-hidden') === 'true';
      this.#tables.push({ element, start, end, hasRole, isData: false, holdsTable: false, cells: 0 });
    } else if (table !== undefined) {
      if (name === 'th' || name === 'caption' || attributes.has('scope') || attributes.has('headers'))
        table.isData = true;
      if (name === 'td') table.cells++;
    }
  }

  #closeTable(): void {
    const table = this.#tables.pop();
    if (table === undefined || table.hasRole || table.isData || !table.element.isShown) return;
    // A table with several cells and no other table in it may well hold data.
    if (table.holdsTable || table.cells <= 1) this.#bare.push(table);
  }
}

/** Tells whether a value names a language. `und` means that it is unknown; MJML writes it by default. */
function isLanguage(value: string | undefined): boolean {
  return value !== undefined && /^[a-z]{2,3}(?:-|$)/i.test(value.trim()) && !/^und(?:-|$)/i.test(value.trim());
}

function isUnheard({ attributes, look }: Element): boolean {
  return attributes.get('aria-hidden') === 'true' || look.gone;
}

/** Tells whether an image is a tracking pixel. */
function isPixel(attributes: ReadonlyMap<string, string>): boolean {
  const isTiny = (size: string | undefined) => size !== undefined && /^\s*[0-2](?:px)?\s*$/.test(size);
  return isTiny(attributes.get('width')) || isTiny(attributes.get('height'));
}
