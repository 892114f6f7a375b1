import { MailcapError } from '../../src/client/errors.ts';
import { chooseLink, type LinkFilter } from '../../src/client/mailbox/choose.ts';
import { findLinks } from '../../src/extract/links.ts';
import type { CorpusMail } from './corpus.ts';

export type Outcome = 'right' | 'wrong' | 'missed' | 'ambiguous';

/** What the finder of links makes of one link of a mail whose right values are known. */
export interface LinkOutcome {
  readonly mail: CorpusMail;
  readonly kind: string;
  /** The kind that was found. */
  readonly foundKind: string;
  readonly reason: string;
  readonly isMain: boolean;
  /** The outcome of `link()`. Null for a link that is not the one to follow. */
  readonly chosen: Outcome | null;
  /** The outcome of `link(kind)`, likewise. */
  readonly chosenByKind: Outcome | null;
  /** The outcome of the kind. A kind that is taken for `other` is missed. */
  readonly kindOutcome: Outcome;
}

/** Finds the links of mails and compares them with the right values. */
export function linkOutcomes(mails: readonly CorpusMail[]): LinkOutcome[] {
  return mails.flatMap((mail) => {
    const found = findLinks(mail, 'every');
    return mail.links.map(({ url, kind, main }) => {
      const link = found.find((one) => isSame(one.url, url));
      const foundKind = link?.kind ?? 'none';
      const isMissed = kind !== 'other' && (foundKind === 'other' || foundKind === 'none');
      const choose = (filter: LinkFilter | undefined) => outcomeOf(url, () => chooseLink(found, filter, 'the mail'));
      return {
        ...{ mail, kind, foundKind, reason: link?.reason ?? '', isMain: main },
        chosen: main ? choose(undefined) : null,
        chosenByKind: main && kind !== 'other' ? choose(kind as LinkFilter) : null,
        kindOutcome: foundKind === kind ? 'right' : isMissed ? 'missed' : 'wrong',
      };
    });
  });
}

function outcomeOf(right: string, choose: () => string): Outcome {
  try {
    return isSame(choose(), right) ? 'right' : 'wrong';
  } catch (error) {
    if (!(error instanceof MailcapError)) throw error;
    return error.code === 'several_links' ? 'ambiguous' : 'missed';
  }
}

/** A browser adds a slash to an address without a path. */
function isSame(found: string, written: string): boolean {
  return found === new URL(written).href;
}
