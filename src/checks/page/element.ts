import type { AttributePlace, HtmlSpan } from '../../extract/html-walk.ts';
import type { Look } from '../../extract/look.ts';

/** An element of a mail's HTML, while it is open. */
export interface Element extends HtmlSpan {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly places: ReadonlyMap<string, AttributePlace>;
  readonly parent: Element | null;
  readonly look: Look;
  /** Tells whether the reader sees it. */
  readonly isShown: boolean;
  /** Tells whether a conditional comment hides it from Outlook on Windows. */
  readonly notForOutlook: boolean;
}

/** A visitor of the HTML for a rule. Its methods are called in the order of the document. */
export interface Visitor {
  open?(element: Element): void;
  close?(element: Element): void;
  /** A text between tags. `within` is the innermost open element. */
  text?(data: string, start: number, within: Element | null): void;
  /** The document ends. */
  end?(): void;
}
