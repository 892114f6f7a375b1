import { readListUnsubscribe } from '../../extract/list-unsubscribe.ts';
import { type Finding, type MailPlace, Reporter } from '../finding.ts';
import { type CheckedMail, fieldNamed, type HeaderField, placeOfField } from '../mail.ts';
import { placeholdersInUrl } from './placeholders.ts';

/** The ways to unsubscribe that a mail offers. */
export interface Unsubscribe {
  /** The first https address of List-Unsubscribe, or an http one of this machine. Null if there is none. */
  readonly url: string | null;
  /** The first mailto address of List-Unsubscribe; null if there is none. */
  readonly mailto: string | null;
  /** Tells whether a POST to the address unsubscribes (RFC 8058). */
  readonly isOneClick: boolean;
  /** The faults that prevent a one-click unsubscribe. The mail is judged as bulk mail. */
  readonly findings: readonly Finding[];
}

const LIST = new Set([
  'list-id',
  'list-post',
  'list-help',
  'list-archive',
  'feedback-id',
  'x-campaign',
  'x-campaignid',
]);
const BULK = /^(?:bulk|list|junk)$/i;
const OFFERS =
  /\b(?:unsubscribe|opt[ -]out of|manage (?:your )?(?:email |mail )?(?:preferences|subscriptions?)|abbestellen|désabonner|se désinscrire|darse de baja|cancelar (?:la )?suscripción|afmelden|disiscriviti|отписаться)\b/iu;

/** Reads List-Unsubscribe and List-Unsubscribe-Post (RFC 2369, RFC 8058), and judges them. */
export function readUnsubscribe(mail: CheckedMail): Unsubscribe {
  const reporter = new Reporter();
  const header = fieldNamed(mail, 'list-unsubscribe');
  const post = fieldNamed(mail, 'list-unsubscribe-post');
  if (header === null) {
    const message = 'The mail has no List-Unsubscribe header.';
    reporter.add({ rule: 'unsubscribe-missing', message });
    return { url: null, mailto: null, isOneClick: false, findings: reporter.findings() };
  }
  const place = placeOfField(mail, header);
  const { urls, web, mailto, isOneClick } = readListUnsubscribe(header.value, post?.value ?? null);
  const invalid = (message: string) => reporter.add({ rule: 'unsubscribe-invalid', message, place });
  if (urls.length === 0) invalid('List-Unsubscribe has no address in angle brackets.');
  else if (web === null && mailto === null) invalid(`List-Unsubscribe has no valid https or mailto address.`);
  for (const url of urls) {
    const [unreplaced] = placeholdersInUrl(url);
    if (unreplaced !== undefined) invalid(`List-Unsubscribe has the placeholder “${unreplaced.text.slice(0, 80)}”.`);
  }
  if (urls.length > 0 && !isOneClick) {
    const message = whyNoClick(web, urls, post);
    reporter.add({ rule: 'unsubscribe-one-click', message, place: placeOfField(mail, post ?? header) });
  }
  checkSigned(mail, post !== null, place, reporter);
  return { url: web, mailto, isOneClick, findings: reporter.findings() };
}

function whyNoClick(web: string | null, urls: readonly string[], post: HeaderField | null): string {
  if (web === null) {
    const hasHttp = urls.some((url) => /^http:/i.test(url));
    return `List-Unsubscribe has no https address${hasHttp ? ', only an http one' : ''}, so one click can’t unsubscribe.`;
  }
  if (post === null) return 'The mail has no List-Unsubscribe-Post header, so one click can’t unsubscribe.';
  return 'List-Unsubscribe-Post is not exactly “List-Unsubscribe=One-Click”.';
}

function checkSigned(mail: CheckedMail, hasPost: boolean, place: MailPlace | null, reporter: Reporter): void {
  const { signatures } = mail.authentication;
  if (signatures.length === 0) return;
  const wanted = ['list-unsubscribe', ...(hasPost ? ['list-unsubscribe-post'] : [])];
  const covered = signatures.some(({ headers }) => wanted.every((name) => headers.includes(name)));
  if (covered) return;
  const message = `No DKIM signature covers ${hasPost ? 'both List-Unsubscribe headers' : 'List-Unsubscribe'}.`;
  reporter.add({ rule: 'unsubscribe-unsigned', message, place });
}

/** Tells whether the mail is bulk mail: a mailing list header, its Precedence or its text shows it. */
export function isToMany({ fields, text, html }: CheckedMail, seen: string): boolean {
  const names = fields.some(({ name }) => name === 'list-unsubscribe' || LIST.has(name));
  const bulk = fields.some(({ name, value }) => name === 'precedence' && BULK.test(value.trim()));
  return names || bulk || OFFERS.test(html === null ? (text ?? '') : seen);
}
