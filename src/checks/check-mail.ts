import { MAX_CHARACTERS } from '../extract/bounds.ts';
import type { LinkKind } from '../extract/link-kinds.ts';
import { findLinks } from '../extract/links.ts';
import { visibleText } from '../extract/visible-text.ts';
import { authenticateMail, type Verification } from '../mail/authenticate.ts';
import { parseMail } from '../mail/parse.ts';
import type { ClientId } from './clients/named.ts';
import { type Finding, type ReportAt, Reporter } from './finding.ts';
import { type CheckedMail, Lines, readHeaderFields, readSource, reportIn } from './mail.ts';
import { readPage } from './page.ts';
import { Accessibility } from './rules/accessibility.ts';
import { checkAuthentication } from './rules/authentication.ts';
import { ClientSupport } from './rules/client-support.ts';
import { Contrast } from './rules/contrast.ts';
import { checkBodies, checkHeader, checkSource } from './rules/hygiene.ts';
import { activeContent, checkTextLinks, pageLinks } from './rules/links.ts';
import { checkTextPlaceholders, PagePlaceholders } from './rules/placeholders.ts';
import { isToMany, readUnsubscribe, type Unsubscribe } from './rules/unsubscribe.ts';
import { StyleReader } from './styles.ts';
import { type NamedTarget, PageTargets } from './targets.ts';

/** The scope of a check, and the DNS records for the verification of signatures. */
export interface RawCheckOptions extends Verification, CheckScope {}

/** Parses a mail and checks it. It makes no request, and rejects only if something unexpected fails. */
export async function checkRaw(
  raw: Buffer,
  { clients, reach, ...verification }: RawCheckOptions,
): Promise<CheckResult> {
  const { mail } = await parseMail(raw);
  const fields = readHeaderFields(raw);
  const { subject, textBody: text, htmlBody: html, parseError } = mail;
  const source = readSource(raw, fields);
  const authentication = await authenticateMail(raw, verification);
  const checked = checkMail({ subject, text, html, fields, source, authentication }, { clients, reach });
  return parseError === null ? checked : { ...checked, notChecked: [parseError, ...checked.notChecked] };
}

/** The result of the checks of a mail. It is plain data, because threads exchange it. */
export interface CheckResult {
  /** Errors first, then warnings, then notes. */
  readonly findings: readonly Finding[];
  /** The number of findings that were dropped because an answer has a limit. */
  readonly leftOut: number;
  readonly unsubscribe: Unsubscribe;
  /** The links that a reader can follow; empty unless `reach` is set. */
  readonly links: readonly CheckedLink[];
  /** Every web address of the mail: links, style sheets, pictures, and those of the text; empty unless `reach` is set. */
  readonly targets: readonly NamedTarget[];
  /** The number of elements of the HTML. */
  readonly elements: number;
  /** Sentences that name what was not checked. */
  readonly notChecked: readonly string[];
}

export interface CheckedLink {
  readonly url: string;
  /** Its text in the mail. */
  readonly text: string;
  readonly kind: LinkKind;
  /** Tells whether following it has an effect: it signs in, verifies or unsubscribes. */
  readonly acts: boolean;
}

interface CheckScope {
  readonly clients: readonly ClientId[];
  /** Tells whether to return the links, so that their targets can be requested. */
  readonly reach: boolean;
}

/** Gmail hides the HTML after this many bytes behind "View entire message". */
const GMAIL_BYTES = 102_400;

/**
 * Checks a mail. The result is deterministic, and the function makes no request. It reads the first 512 Ki characters
 * of each body in linear time. No content makes it throw.
 */
function checkMail(mail: CheckedMail, { clients, reach }: CheckScope): CheckResult {
  const reporter = new Reporter();
  const html = mail.html?.slice(0, MAX_CHARACTERS) ?? null;
  const text = mail.text?.slice(0, MAX_CHARACTERS) ?? null;
  const bounded = { ...mail, html, text };
  const lines = {
    html: html === null ? null : new Lines('html', () => html),
    text: text === null ? null : new Lines('text', () => text),
  };
  checkHeader(bounded, reporter);
  checkSource(bounded, reporter);
  const inText = lines.text === null ? null : reportIn(lines.text, reporter);
  checkTextPlaceholders(bounded, inText, reporter);
  // The links of a text part are mostly those of the HTML, which is what most readers see.
  if (html === null && text !== null && inText !== null) checkTextLinks(text, inText);
  const targets = new PageTargets();
  if (html !== null && lines.html !== null) checkHtml(html, clients, reportIn(lines.html, reporter), targets);
  checkSize(mail.html, lines.html, reporter);
  const seen = html === null ? '' : visibleText(html).text;
  checkBodies(bounded, seen, lines, reporter);
  checkAuthentication(bounded, reporter);
  const unsubscribe = readUnsubscribe(bounded);
  if (isToMany(bounded, seen)) for (const finding of unsubscribe.findings) reporter.add(finding);
  return {
    findings: reporter.findings(),
    leftOut: reporter.leftOut,
    unsubscribe,
    links: reach
      ? findLinks({ subject: null, text, html }, 'followed').map(({ url, kind, text: said }) => ({
          ...{ url, kind, text: said, acts: kind !== 'other' },
        }))
      : [],
    targets: reach ? targets.all(text) : [],
    elements: targets.elements,
    notChecked: notChecked(mail),
  };
}

function checkHtml(html: string, clients: readonly ClientId[], report: ReportAt, targets: PageTargets): void {
  const support = new ClientSupport(report, clients);
  const contrast = new Contrast(report);
  readPage(html, [
    // The styles are read first, because the contrast of an element depends on its styles.
    new StyleReader([support, contrast]),
    new PagePlaceholders(report),
    pageLinks(report),
    activeContent(report),
    new Accessibility(report),
    contrast,
    support,
    targets,
  ]);
}

function checkSize(html: string | null, lines: Lines | null, reporter: Reporter): void {
  if (html === null || lines === null) return;
  const sizeBytes = Buffer.byteLength(html);
  if (sizeBytes <= GMAIL_BYTES) return;
  const cut = cutAt(html, GMAIL_BYTES);
  const size = sizeBytes.toLocaleString('en-US');
  const message = `The HTML has ${size} bytes, but Gmail shows only the first ${GMAIL_BYTES.toLocaleString('en-US')}.`;
  reporter.add({ rule: 'gmail-clip', message, place: lines.at(cut, cut + 120) });
}

/** Returns the position in the text after which `bytes` bytes of UTF-8 end. */
function cutAt(text: string, bytes: number): number {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes));
  return read;
}

function notChecked({ text, html, authentication }: CheckedMail): string[] {
  const long = [text, html].some((body) => body !== null && body.length > MAX_CHARACTERS);
  const { unchecked } = authentication;
  return [
    ...(long ? [`Only the first ${MAX_CHARACTERS / 1024} Ki characters of a body are read.`] : []),
    ...(unchecked === null ? [] : [unchecked]),
  ];
}
