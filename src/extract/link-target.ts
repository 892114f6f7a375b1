import { isUrl } from '../text/url.ts';
import { MAX_URL_CHARACTERS } from './autolinks.ts';

/**
 * The links to find: only http and https, or also app schemes and relative links, or all that a reader can follow: app
 * schemes, mail addresses and phone numbers.
 */
export type Which = 'web' | 'every' | 'followed';

/** The target of a link. */
export interface Target {
  readonly url: string;
  /** The target as a web address, which the rules judge. */
  readonly judged: URL;
  readonly form?: 'app' | 'relative';
}

/** Reads the target of a link. Null if it is none of the wanted ones. */
export function targetOf(href: string, base: string | null, which: Which): Target | null {
  const trimmed = href.trim();
  if (trimmed === '' || trimmed.length > MAX_URL_CHARACTERS) return null;
  const web = webUrl(trimmed, base);
  if (web !== null) return { url: web.href, judged: web };
  if (which === 'web') return null;
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(trimmed)?.[1]?.toLowerCase();
  if (scheme !== undefined) return appTarget(trimmed, scheme, which);
  if (which === 'followed') return null;
  const judged = trimmed.startsWith('#') ? null : webUrl(trimmed, ELSEWHERE);
  return judged === null ? null : { url: trimmed, judged, form: 'relative' };
}

/** A base URL that no server has. It makes a relative link absolute, so that the rules can judge its path. */
const ELSEWHERE = 'http://relative.invalid/';
/** Schemes that belong to no app. They open no page, or something a mail must not open. */
const NO_APP = new Set(
  'http https mailto tel sms mms fax callto geo webcal javascript vbscript data cid mid file ftp sftp blob about view-source ws wss'.split(
    ' ',
  ),
);

/** Schemes that a mail or phone program follows. */
const FOLLOWED = new Set(['mailto', 'tel', 'sms']);

function appTarget(href: string, scheme: string, which: Which): Target | null {
  const isFollowed = !NO_APP.has(scheme) || (which === 'followed' && FOLLOWED.has(scheme));
  if (!isFollowed || !isUrl(href)) return null;
  const rest = href.slice(scheme.length + 1);
  if (FOLLOWED.has(scheme) && /^(?:\?|$)/.test(rest)) return null;
  const judged = webUrl(`${ELSEWHERE}${rest.replace(/^\/+/, '')}`, null);
  return judged === null ? null : { url: new URL(href).href, judged, form: 'app' };
}

/** Reads an http or https address. */
export function webUrl(href: string, base: string | null): URL | null {
  if (base === null && !/^https?:/i.test(href)) return null;
  try {
    const url = base === null ? new URL(href) : new URL(href, base);
    return (url.protocol === 'http:' || url.protocol === 'https:') && url.hostname !== '' ? url : null;
  } catch {
    // A text that is no URL is no link.
    return null;
  }
}

/** Returns the address by which a link is judged. A relative link and an app link are treated like web addresses. */
export function judgedUrl({ url }: { readonly url: string }): URL {
  return targetOf(url, null, 'every')?.judged ?? new URL(ELSEWHERE);
}

// The hosts, with their subdomains, that track clicks and then redirect.
const HOSTS = new Map(
  Object.entries({
    SendGrid: 'sendgrid.net',
    Mailchimp: 'list-manage.com',
    Mandrill: 'mandrillapp.com',
    'Amazon SES': 'awstrack.me',
    Mailjet: 'mjt.lu',
    Brevo: 'sendibm1.com sendibt2.com sendibt3.com sibautomation.com',
    HubSpot: 'hubspotlinks.com hubspotemail.net hs-sites.com',
    Klaviyo: 'klclick.com klclick1.com klclick2.com klclick3.com',
    'Customer.io': 'customeriomail.com',
    'Salesforce Marketing Cloud': 'exct.net exacttarget.com',
    Postmark: 'pstmrk.it',
    Mailgun: 'mailgun.org',
    SparkPost: 'sparkpostmail.com spgo.io',
    'Constant Contact': 'rs6.net',
    'Campaign Monitor': 'createsend.com cmail19.com cmail20.com',
    Intercom: 'intercom-clicks.com intercom-mail.com',
    Kit: 'convertkit-mail.com convertkit-mail2.com',
    beehiiv: 'beehiiv.com',
    ActiveCampaign: 'activehosted.com',
    MailerLite: 'mlsend.com',
    Loops: 'loops.so',
    Resend: 'resend-clicks.com',
    'Microsoft Safe Links': 'safelinks.protection.outlook.com',
    Proofpoint: 'urldefense.com urldefense.proofpoint.com',
    Bitly: 'bit.ly',
    X: 't.co',
    LinkedIn: 'lnkd.in',
  }).flatMap(([service, hosts]) => hosts.split(' ').map((host) => [host, service] as const)),
);
const REDIRECTS = new Set('url u q target dest destination link redirect goto to r'.split(' '));
const CLICKS = new Set('click clicks track redirect redir url l c r ck cl0 go out'.split(' '));

/** Returns the service that tracks a click on this link, or null if none is known. It makes no request. */
export function trackerOf(url: URL): string | null {
  const labels = url.hostname.split('.').slice(-6);
  for (let from = 0; from < labels.length - 1; from++) {
    const service = HOSTS.get(labels.slice(from).join('.'));
    if (service !== undefined) return service;
  }
  const segments = url.pathname.toLowerCase().split('/', 6);
  if (segments[1] === 'ls' && segments[2] === 'click') return 'SendGrid';
  if (!segments.some((segment) => CLICKS.has(segment))) return null;
  for (const [name, value] of [...url.searchParams].slice(0, 50)) {
    if (REDIRECTS.has(name.toLowerCase()) && /^https?:\/\//i.test(value)) return `the parameter ${name}`;
  }
  return null;
}
