import { urlsIn } from '../extract/autolinks.ts';
import type { Element, Visitor } from './page.ts';

/** The number of addresses that are kept. No answer lists more. */
export const MOST_TARGETS = 100;

/** How a mail uses an address: a reader follows it, or a mail program loads it. */
export type TargetUse = 'link' | 'style' | 'picture' | 'text';

/** A web address of a mail. */
export interface NamedTarget {
  readonly url: string;
  /** The first use of it in the mail. */
  readonly use: TargetUse;
}

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
  all(text: string | null): NamedTarget[] {
    const found = new Map<string, TargetUse>();
    const take = (url: string, use: TargetUse) => {
      if (!found.has(url) && found.size < MOST_TARGETS) found.set(url, use);
    };
    for (const url of this.#links) take(url, 'link');
    for (const url of this.#styles) take(url, 'style');
    for (const url of this.#pictures) take(url, 'picture');
    for (const { url } of text === null ? [] : urlsIn(text)) take(url, 'text');
    return [...found].map(([url, use]) => ({ url, use }));
  }
}

function add(found: Set<string>, address: string | undefined): void {
  if (found.size < MOST_TARGETS && address !== undefined && /^\s*https?:\/\//i.test(address)) found.add(address.trim());
}
