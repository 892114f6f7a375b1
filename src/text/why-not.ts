// Sentences that say why a wait got no mail.

/** The part of a refusal that a sentence needs. */
interface SaidRefusal {
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

/**
 * Says that no SMTP client has connected. A server tells nobody of the connections that brought mail to other
 * workspaces, so the sentence leaves them out.
 */
export const NO_CLIENT = 'No SMTP client has connected since the server started, except for other workspaces.';

/** The option that helps, as the command line and the page name it. */
const STARTTLS = {
  'command line': ['--starttls off', 'start mailcap with --starttls on'],
  page: ['the option starttls', 'start the server with the option starttls set to on'],
} as const;

/**
 * Says that an SMTP client sent nothing because it did not get STARTTLS, and which option helps. Empty if that was not
 * the reason.
 */
export function saidMissedTls(
  { tls, accepted }: { readonly tls: string; readonly accepted: number },
  where: keyof typeof STARTTLS = 'command line',
): string {
  if (accepted > 0) return '';
  const [option, start] = STARTTLS[where];
  const advice = `${start}, or turn TLS off in the app`;
  if (tls === 'refused') return `it asked for STARTTLS, which ${option} refuses: ${advice}`;
  if (tls === 'missed') return `it left right after EHLO, where STARTTLS is not offered; if it requires TLS, ${advice}`;
  return '';
}
