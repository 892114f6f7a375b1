import type { KindInWords, SaidKind } from './link-kinds.ts';

// The rules about the address of a link: what it does, and whether it is meant for one reader alone.

const IN_URL: readonly (readonly [SaidKind, string])[] = [
  ['unsubscribe', 'unsubscribe unsub optout opt-out list-unsubscribe email-preferences'],
  ['unlock', 'unlock unlock-account unlockaccount'],
  [
    'reset',
    'reset reset-password password-reset resetpassword passwordreset forgot forgot-password forgotpassword recover recovery new-password change-password changepassword lost-password lostpassword resetpass rp reset-credentials recover-account recover-password',
  ],
  [
    'invite',
    'invite invites invitation invitations accept-invite accept-invitation acceptinvite accept-organization join-organization',
  ],
  ['magic', 'magic magiclink magic-link magic-login passwordless email-login'],
  [
    'verify',
    'verify verification confirm confirmation activate activation verify-email verifyemail email-verification confirm-email confirmemail signup finish-signup validate-email email-change',
  ],
  ['magic', 'login signin sign-in log-in'],
];
const BY_NAME = new Map<string, readonly [SaidKind, number]>();
for (const [rank, [kind, names]] of IN_URL.entries()) {
  for (const name of names.split(' ')) BY_NAME.set(name, [kind, rank]);
}
/** Names of pages that many actions share: a sign-in page, or one that verifies tokens of all kinds. */
const PAGE = new Set(['login', 'signin', 'sign-in', 'log-in', 'signup', 'verify', 'confirm', 'verification']);
const TELLING = new Set(
  'type mode action flow do task act op cmd step purpose intent event view entry-point ticket-type'.split(' '),
);
/** Parameter names that reveal the kind, such as `reset_password_token`. */
const TELLING_NAME: readonly (readonly [SaidKind, RegExp])[] = [
  ['reset', /^reset.*token$/],
  ['verify', /^(?:confirmation|verification|activat).*(?:token|string|key|hash)$/],
  ['unlock', /^unlock.*token$/],
  ['invite', /^invit.*(?:token|code|id)$/],
  ['unsubscribe', /^unsub(?:scribe)?(?:-token)?$/],
  ['magic', /^(?:log-?in|sign-?in)[-.](?:token|key|code)$/],
];
/** A parameter that any action may have that is confirmed by mail, such as `confirm_hash`. */
const CONFIRMS = /^(?:confirm|verify).*(?:token|string|key|hash)$/;
const SECRET = /^(?=[^0-9]*[0-9])(?=[^A-Za-z]*[A-Za-z])[A-Za-z0-9_.~+/=-]{12,}$/;
const SECRET_NAME =
  /^(?:t|tok|code|key|otp|hash|h|sig|signature|ticket|secret|jwt|nonce|oobcode|confirmation|activation)$|token$/i;
/** The value of a parameter such as `t=reg` or `key=settings`, which names a topic. */
const A_TOPIC = /^[a-z]{1,12}$/;
/** Parameters of campaigns and pages, which every reader gets alike. */
const COMMON = /^(?:utm_.*|ref|source|campaign|lang|locale|v|version|q|query|page|redirect.*|return.*|next|continue)$/i;
/** A page title in an address: words joined by hyphens. */
const SLUG = /(?:^|-)[a-z]{3,}-[a-z]{3,}(?:-|$)/;
/** Path segments of pages that only inform. */
const HELP =
  /^(?:help|support|docs?|documentation|faq|blog|kb|hc|articles?|guides?|learn|privacy|terms|legal|policies)$/;
const MAX_PARAMETERS = 50;

/** The parts of an address that rules read. A hash route such as `#/reset?token=1` counts like a path. */
interface Parts {
  readonly segments: readonly string[];
  readonly parameters: readonly (readonly [string, string])[];
}

/** The parts of the addresses that were read. Several rules ask for those of one. */
const PARTS = new WeakMap<URL, Parts>();

function partsOf(url: URL): Parts {
  const known = PARTS.get(url);
  if (known !== undefined) return known;
  const parts = readParts(url);
  PARTS.set(url, parts);
  return parts;
}

function readParts(url: URL): Parts {
  const hash = url.hash.replace(/^#!?/, '');
  const [written, query] = hash.includes('?') ? splitAt(hash, '?') : hash.includes('=') ? ['', hash] : [hash, ''];
  // Any other fragment is the place of a heading.
  const path = written.startsWith('/') || SECRET.test(written) ? written : '';
  return {
    segments: path === '' ? segmentsOf(url.pathname) : [...segmentsOf(url.pathname), ...segmentsOf(path)],
    parameters: [...parametersOf(url.search), ...parametersOf(query)].slice(0, MAX_PARAMETERS),
  };
}

function parametersOf(query: string): Iterable<[string, string]> {
  return query === '' ? [] : new URLSearchParams(query);
}

function splitAt(text: string, sign: string): [string, string] {
  const at = text.indexOf(sign);
  return [text.slice(0, at), text.slice(at + 1)];
}

function segmentsOf(path: string): string[] {
  return path.split('/', MAX_PARAMETERS).filter((segment) => segment !== '');
}

/** Returns the kind that the path or a parameter reveals. Null if neither does. */
export function kindInUrl(url: URL): KindInWords | null {
  const { segments, parameters } = partsOf(url);
  const names = parameters.map(([name]) => dashed(name));
  for (const [kind, named] of TELLING_NAME) {
    const words = names.find((name) => named.test(name));
    if (words !== undefined) return { kind, words, isWeak: false };
  }
  const confirms = names.find((name) => CONFIRMS.test(name));
  const confirming: KindInWords | null =
    confirms === undefined ? null : { kind: 'verify', words: confirms, isWeak: true };
  // Parameters come first: they name the action, while a path often names only the page.
  const values = parameters.flatMap(([, value], at) => (TELLING.has(names[at] ?? '') ? [value] : []));
  const named = namedBy(values) ?? namedBy(segments);
  if (named !== null && !named.isWeak) return named;
  // A name such as `userEmailConfirm` tells what its token does.
  const carrying = names.filter((_, at) => isToken(parameters[at]?.[1] ?? ''));
  return kindInWords(values) ?? kindInWords(segments) ?? kindInWords(carrying) ?? named ?? confirming;
}

/** Writes `userEmail_confirm` as `user-email-confirm`. */
function dashed(name: string): string {
  return name
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replaceAll('_', '-');
}

function namedBy(names: readonly string[]): KindInWords | null {
  let best: readonly [SaidKind, number, string] | null = null;
  for (const written of names) {
    const name = dashed(written).replace(/\.[a-z]{2,4}$/, '');
    const known = BY_NAME.get(name);
    if (known !== undefined && (best === null || known[1] < best[1])) best = [...known, name];
  }
  return best === null ? null : { kind: best[0], words: best[2], isWeak: PAGE.has(best[2]) };
}

/** Words of one path segment, or of two that follow one another, that reveal a kind together: `doVerifyEmail`. */
const TOGETHER: readonly (readonly [SaidKind, readonly RegExp[]])[] = [
  ['unsubscribe', [/^unsubscribe$/]],
  [
    'reset',
    [/^(?:reset|forgot|forgotten|recover|change|new|set|choose|lost|init|edit)$/, /^(?:password|passwd|pwd|pass)$/],
  ],
  [
    'invite',
    [/^(?:invite|invited|invitation|invitations)$/, /^(?:accept|join|user|team|complete|signup|member|link)$/],
  ],
  ['invite', [/^(?:accept|join)$/, /^(?:organi[sz]ation|team|workspace|emergency|family|provider)$/]],
  ['magic', [/^magic$/, /^(?:link|login|signin|auth|token)$/]],
  ['magic', [/^(?:login|signin|logon)$/, /^(?:token|link|e?mail|complete)$/]],
  [
    'verify',
    [
      /^(?:verify|verification|confirm|confirmation|activate|activation|validate)$/,
      /^(?:do|e?mail|account|user|address|signup|registration|complete|token|link|identity|subscription)$/,
    ],
  ],
  ['verify', [/^(?:signup|register|registration)$/, /^(?:complete|confirm|finish|verify)$/]],
];
/** The number of words of a segment. A segment with more is a page title. */
const MOST_WORDS = 4;

/** Returns the kind that the words of one segment, or of two neighbours, reveal together. */
function kindInWords(segments: readonly string[]): KindInWords | null {
  const split = segments.map((segment) =>
    segment
      .replace(/([a-z])([A-Z])/g, '$1_$2')
      .toLowerCase()
      .split(/[-_.]/),
  );
  for (const [at, words] of split.entries()) {
    const next = split[at + 1] ?? [];
    const two = words.length === 1 && next.length === 1 ? [...words, ...next] : [];
    for (const [some, said] of [
      [words, segments[at] ?? ''],
      [two, `${segments[at]}/${segments[at + 1]}`],
    ] as const) {
      if (some.length < 2 || some.length > MOST_WORDS) continue;
      const told = TOGETHER.find(
        ([kind, all]) =>
          (some === words || kind !== 'magic') && all.every((one) => some.some((word) => one.test(word))),
      );
      if (told !== undefined) return { kind: told[0], words: said, isWeak: false };
    }
  }
  return null;
}

/** Letters that change their case at every few signs, as words do not: `RaZlwmszMdJDIDzyT`. */
const MIXED = /^[A-Za-z]{16,40}$/;
const LETTERS_A_CHANGE = 5;

function isToken(value: string): boolean {
  if (SECRET.test(value) || value.length >= 40) return true;
  return MIXED.test(value) && (value.match(/[a-z][A-Z]/g)?.length ?? 0) * LETTERS_A_CHANGE >= value.length;
}

/** Returns the secrets in an address: tokens, keys and signatures. General pages have none. */
export function secretsIn(url: URL): string[] {
  const { segments, parameters } = partsOf(url);
  const own = parameters.filter(([name, value]) => value !== '' && !COMMON.test(name));
  return [
    ...own.filter(([name, value]) => (SECRET_NAME.test(name) && !A_TOPIC.test(value)) || isToken(value)).map(last),
    ...segments.filter((segment) => isToken(segment) && !isTitle(segment)),
  ];
}

const last = ([, value]: readonly [string, string]) => value;

/** Tells whether a segment is a page title. A token has no words between its hyphens. */
function isTitle(segment: string): boolean {
  return SLUG.test(segment) || segment.includes('%20');
}

/** Tells whether an address carries a secret. A magic link does, and a general sign-in page does not. */
export function carriesSecret(url: URL): boolean {
  return secretsIn(url).length > 0;
}

/**
 * Tells whether an address is a magic link with a token, such as `/magic-link/abc123`, and not a page about such links.
 */
export function isMagicAddress(url: URL): boolean {
  const segments = partsOf(url).segments.map((segment) => segment.toLowerCase().replaceAll('_', '-'));
  const at = segments.findIndex((segment) => /^(?:magic|magic-?link|magic-login|passwordless)$/.test(segment));
  return at >= 0 && (at < segments.length - 1 || carriesSecret(url));
}

/** Tells whether an address is the home page of its host. */
export function isHomePage({ pathname, search, hash }: URL): boolean {
  return pathname === '/' && search === '' && hash === '';
}

/** Tells whether an address is a help or legal page. Following it has no effect, whatever its text says. */
export function isHelpPage(url: URL): boolean {
  const isHelp =
    /^(?:help|support|docs|faq|blog)\./.test(url.hostname) || segmentsOf(url.pathname).some((each) => HELP.test(each));
  return isHelp && !carriesSecret(url);
}
