import { urlsIn } from '../extract/autolinks.ts';
import type { Element, Visitor } from './page.ts';

/** The number of addresses that are kept. No answer lists more. */
export const MOST_TARGETS = 100;

/** Counts the elements of a page, and collects the web addresses that it names. */
export class PageTargets implements Visitor {
  elements = 0;
  readonly #links = new Set<string>();
  readonly #styles = new Set<string>();
  readonly #pictures = new Set<string>();

  open({ name, attributes }: Element): void {
    this.elements++;
    if (name === 'a') add(this.#links, attributes.get('href'));
    else if (name === 'img') add(this.#pictures, attributes.get('src'));
    else if (name === 'link' && attributes.get('rel') === 'stylesheet') add(this.#styles, attributes.get('href'));
  }

  /** Returns the addresses: links, style sheets and pictures, then those of the text, each once. */
  all(text: string | null): string[] {
    const found = new Set([...this.#links, ...this.#styles, ...this.#pictures]);
    for (const { url } of text === null ? [] : urlsIn(text)) {
      if (found.size >= MOST_TARGETS) break;
      found.add(url);
    }
    return [...found].slice(0, MOST_TARGETS);
  }
}

function add(found: Set<string>, address: string | undefined): void {
  if (found.size < MOST_TARGETS && address !== undefined && /^\s*https?:\/\//i.test(address)) found.add(address.trim());
}
