/** The part of a refusal that a sentence needs. */
export interface SaidRefusal {
  readonly filter: string;
  readonly wanted: string;
  readonly saw: readonly string[];
}

/**
 * Says why a condition of a wait rejected a message, as in `its subject is "Welcome"`. `quote` makes a text from a
 * mail harmless and quotes it. Every surface says it with these words.
 */
export function saidRefusal({ filter, wanted, saw }: SaidRefusal, quote: (text: string) => string): string {
  const seen = saw.map(quote).join(', ');
  switch (filter) {
    case 'code':
      return 'it has no code';
    case 'link': {
      const kind = wanted === 'any' ? 'no link' : `no link of the kind ${quote(wanted)}`;
      return seen === '' ? `it has ${kind}` : `it has ${kind}, but ${seen}`;
    }
    case 'body':
      return seen === '' ? 'its body is empty' : `its body has no ${quote(wanted)}: it is ${seen}`;
    case 'header':
      return seen === '' ? `it has no header ${quote(wanted)}` : `its header is not ${quote(wanted)}: it is ${seen}`;
    case 'query':
      return `${quote(wanted)} does not match${seen === '' ? '' : `: it has ${seen}`}`;
    default:
      return seen === '' ? `its ${filter} is empty` : `its ${filter} is ${seen}`;
  }
}
