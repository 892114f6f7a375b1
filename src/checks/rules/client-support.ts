import type { CSSToken } from '@csstools/css-tokenizer';
import {
  featuresBySlug,
  featuresOfAtRule,
  featuresOfDeclaration,
  featuresOfElement,
  featuresOfSelectors,
  lacking,
} from '../clients/features.ts';
import { LOSSY, UNNOTICED } from '../clients/lossy.ts';
import { type ClientId, clientName } from '../clients/named.ts';
import type { ReportAt } from '../finding.ts';
import type { Element, Visitor } from '../page.ts';
import type { Declaration, StyleListener, Where } from '../styles.ts';

/** The features that are values. For them, an earlier declaration of the same property is a fallback. */
const IN_VALUES = /^css-(?:variables|modern-color|display-|function-|unit-)/;
const MAX_NAMED = 3;

/** The uses of a feature on a page. */
interface Use {
  readonly start: number;
  readonly end: number;
  count: number;
  /** Tells whether at least one use has no condition and no fallback. */
  isNeeded: boolean;
  /** Tells whether Outlook on Windows sees at least one use. */
  isForOutlook: boolean;
}

/** Collects the features that a page uses, and reports those that clients do not support. */
export class ClientSupport implements Visitor, StyleListener {
  readonly #report: ReportAt;
  readonly #clients: readonly ClientId[];
  readonly #uses = new Map<string, Use>();

  constructor(report: ReportAt, clients: readonly ClientId[]) {
    this.#report = report;
    this.#clients = clients;
  }

  open(element: Element): void {
    for (const { slug, attribute } of featuresOfElement(element)) {
      const place = attribute === null ? element : (element.places.get(attribute) ?? element);
      this.#use(slug, { start: place.start, end: place.end, element, isConditional: false }, true);
    }
  }

  declaration(declaration: Declaration, where: Where): void {
    for (const slug of featuresOfDeclaration(declaration)) {
      const isNeeded = !(where.isConditional || (declaration.hasFallback && IN_VALUES.test(slug)));
      this.#use(slug, where, isNeeded);
    }
  }

  atRule(name: string, prelude: readonly CSSToken[], where: Where): void {
    for (const slug of featuresOfAtRule(name, prelude)) this.#use(slug, where, true);
  }

  rule(selectors: readonly CSSToken[], isNested: boolean, where: Where): void {
    if (isNested) this.#use('css-nesting', where, true);
    for (const slug of featuresOfSelectors(selectors)) this.#use(slug, where, true);
  }

  end(): void {
    for (const [slug, use] of this.#uses) this.#judge(slug, use);
  }

  #use(slug: string, { start, end, element, isConditional }: Where, isNeeded: boolean): void {
    const use = this.#uses.get(slug);
    const needed = isNeeded && !isConditional;
    const forOutlook = !element.notForOutlook;
    if (use === undefined) {
      // A sender may write any property, and the map must stay small.
      if (featuresBySlug().has(slug))
        this.#uses.set(slug, { start, end, count: 1, isNeeded: needed, isForOutlook: forOutlook });
      return;
    }
    use.count++;
    use.isNeeded ||= needed;
    use.isForOutlook ||= forOutlook;
  }

  #judge(slug: string, use: Use): void {
    const { count, isNeeded, isForOutlook } = use;
    const feature = featuresBySlug().get(slug);
    if (feature === undefined || UNNOTICED.has(slug)) return;
    const clients = lacking(feature, this.#clients).filter((id) => isForOutlook || id !== 'outlook.windows');
    if (clients.length === 0) return;
    const isLossy = LOSSY.has(slug) && isNeeded;
    const severity = isLossy ? 'warning' : 'note';
    const message = `${feature.title} is not supported by ${clients.length} of ${this.#clients.length} ${this.#clients.length === 1 ? 'client' : 'clients'}: ${named(clients)}.`;
    const url = `https://www.caniemail.com/features/${slug}/`;
    this.#report({ rule: 'client-support', detail: slug, severity, message, clients, url, count }, use);
  }
}

function named(clients: readonly ClientId[]): string {
  const names = clients.slice(0, MAX_NAMED).map(clientName);
  const rest = clients.length - names.length;
  return rest === 0 ? names.join(', ') : `${names.join(', ')} and ${rest} more`;
}
