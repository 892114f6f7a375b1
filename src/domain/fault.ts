import { isObject } from '../text/unknown.ts';
import { framesMessage } from './content.ts';
import { Flaw, parseEach, refuse } from './errors.ts';
import { type Glob, matchesGlob, parseGlob } from './glob.ts';
import { type FaultId, type MailboxId, parseUlid } from './ids.ts';
import { SMTP_STAGES, type SmtpReply, type SmtpStage } from './smtp.ts';

// Fault rules (docs/faults.md). They are tried in order, and the first that applies acts. A rule applies if:
//   - its stage and all its conditions match;
//   - it has not been applied `times` times yet, or a random draw falls within `probability`.

export const FAULT_STAGES = [...SMTP_STAGES, 'http'] as const;

export type FaultStage = (typeof FAULT_STAGES)[number];

/** The properties that a rule can match by a glob. */
type MatchKey = 'clientAddress' | 'helo' | 'user' | 'from' | 'to' | 'method' | 'path';

/** The properties that each stage knows. A rule with another condition could never apply. */
const KNOWN_AT: Readonly<Record<FaultStage, readonly (MatchKey | 'mailboxId')[]>> = {
  connect: ['clientAddress'],
  helo: ['clientAddress', 'helo'],
  auth: ['clientAddress', 'helo', 'user', 'mailboxId'],
  mail: ['clientAddress', 'helo', 'user', 'from', 'mailboxId'],
  rcpt: ['clientAddress', 'helo', 'user', 'from', 'to', 'mailboxId'],
  data: ['clientAddress', 'helo', 'user', 'from', 'to', 'mailboxId'],
  end: ['clientAddress', 'helo', 'user', 'from', 'to', 'mailboxId'],
  http: ['clientAddress', 'method', 'path', 'mailboxId'],
};

export interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The reply of a rule at a stage. */
export type ReplyAt<Stage extends FaultStage> = Stage extends 'http' ? HttpReply : SmtpReply;

/** The effect of a rule: a delay, then a reply or a drop. With only a delay, processing continues as usual. */
export interface FaultAction<Reply = SmtpReply | HttpReply> {
  readonly delayMs: number;
  readonly reply: Reply | null;
  readonly drop: boolean;
}

interface Rule<Stage extends FaultStage, Reply> {
  readonly stage: Stage;
  readonly globs: Readonly<Partial<Record<MatchKey, Glob>>>;
  /** Restricts the rule to events of this mailbox. Null means no restriction. */
  readonly mailboxId: MailboxId | null;
  readonly action: FaultAction<Reply>;
  /** The number of times it applies. Null means no limit. */
  readonly times: number | null;
  /** The probability from 0 to 1. Null means always. */
  readonly probability: number | null;
}

export type FaultRule = Rule<SmtpStage, SmtpReply> | Rule<'http', HttpReply>;

/** A rule with the id by which it can be removed. */
export interface NamedFault {
  readonly id: FaultId;
  readonly rule: FaultRule;
}

/** A rule with the number of times it was applied. */
export interface CountedFault extends NamedFault {
  readonly applied: number;
}

/** A rule that was applied to an event, with its counts after it. */
export interface AppliedFault<Reply = SmtpReply | HttpReply> {
  readonly id: FaultId;
  /** The position of the rule in the list. */
  readonly index: number;
  readonly action: FaultAction<Reply>;
  readonly applied: number;
  readonly remaining: number | null;
}

/** An event that rules may match. A glob matches if any of several texts does. */
export interface FaultEvent<Stage extends FaultStage = FaultStage> {
  readonly stage: Stage;
  readonly texts: Readonly<Partial<Record<MatchKey, string | readonly string[] | null>>>;
  readonly mailboxIds: readonly MailboxId[];
}

export function consumed(fault: CountedFault): CountedFault {
  return { ...fault, applied: fault.applied + 1 };
}

/** Describes the rule at an index after it was applied. */
export function toAppliedFault(index: number, fault: CountedFault): AppliedFault {
  return { id: fault.id, index, action: fault.rule.action, applied: fault.applied, remaining: remaining(fault) };
}

/** Returns the number of times the rule still applies. Null means no limit. */
export function remaining({ rule, applied }: CountedFault): number | null {
  return rule.times === null ? null : Math.max(0, rule.times - applied);
}

/**
 * Returns the index of the first rule that applies to the event, or -1. `draw` returns a random number from 0 to below
 * 1.
 */
export function applicable(faults: readonly CountedFault[], event: FaultEvent, draw: () => number): number {
  // The texts are lower-cased once for all rules.
  const texts = new Map(Object.entries(event.texts).map(([key, text]) => [key, lower(text)]));
  return faults.findIndex(
    (fault) =>
      fault.rule.stage === event.stage &&
      remaining(fault) !== 0 &&
      isAbout(fault.rule, texts, event.mailboxIds) &&
      (fault.rule.probability === null || draw() < fault.rule.probability),
  );
}

/** Makes a number from 0 to below 1 of four random bytes. */
export function roll(bytes: Uint8Array): number {
  return Buffer.from(bytes).readUInt32BE() / 2 ** 32;
}

/** Tells whether all conditions of the rule match. An unknown property matches nothing. */
function isAbout(
  { globs, mailboxId }: FaultRule,
  texts: ReadonlyMap<string, readonly string[]>,
  mailboxIds: readonly MailboxId[],
): boolean {
  if (mailboxId !== null && !mailboxIds.includes(mailboxId)) return false;
  for (const [key, glob] of Object.entries(globs)) {
    if (!texts.get(key)?.some((text) => matchesGlob(glob, text))) return false;
  }
  return true;
}

function lower(text: string | readonly string[] | null): string[] {
  return (typeof text === 'string' ? [text] : (text ?? [])).map((one) => one.toLowerCase());
}

export const MAX_FAULTS = 1_000;
const MAX_PATTERN = 1_000;
const MAX_REPLY = 500;
const MAX_HEADERS = 50;
const MAX_DELAY_MS = 600_000;

/**
 * Parses the fault rules of a request, in their order. Throws `invalid_faults` with the `index` of the first invalid
 * rule and a `message`, a sentence that says what is wrong.
 */
export function parseFaults(given: readonly unknown[]): FaultRule[] {
  return parseEach(given, { code: 'invalid_faults', most: MAX_FAULTS, what: 'rules' }, parseFault);
}

/** Parses one fault rule. Throws `invalid_faults` as {@link parseFaults} does, with the `index` 0. */
export function parseOneFault(given: unknown): FaultRule {
  const [rule] = parseFaults([given]);
  if (rule === undefined) throw new Error('a list of one rule has one');
  return rule;
}

/** Refuses a rule that is one too many, with the index that it would have. */
export function tooManyFaults(): Error {
  return refuse('invalid_faults', { index: MAX_FAULTS, message: `There are more than ${MAX_FAULTS} rules.` });
}

/** Checks that every mailbox that a rule is bound to exists. Throws `invalid_faults`, because the rule never applies. */
export async function checkMailboxes(
  rules: readonly FaultRule[],
  exists: (id: MailboxId) => Promise<boolean>,
): Promise<void> {
  for (const [index, { mailboxId }] of rules.entries())
    if (mailboxId !== null && !(await exists(mailboxId)))
      throw refuse('invalid_faults', { index, message: `There is no mailbox ${mailboxId}.` });
}

function parseFault(given: unknown): FaultRule {
  if (!isObject(given)) throw new Flaw('A rule is an object.');
  const stage = FAULT_STAGES.find((stage) => stage === given['stage']);
  if (stage === undefined) throw new Flaw(`stage is one of ${FAULT_STAGES.join(', ')}.`);
  const match = parseMatch(stage, given['match'] ?? {}, given['mailboxId'] ?? null);
  const times = numberOr(given['times'], (times) => Number.isSafeInteger(times) && times >= 1);
  if (times === undefined) throw new Flaw('times is a whole number from 1.');
  const probability = numberOr(given['probability'], (probability) => probability >= 0 && probability <= 1);
  if (probability === undefined) throw new Flaw('probability is a number from 0 to 1.');
  // `times` counts and `probability` is random. Together neither would have a clear meaning.
  if (times !== null && probability !== null) throw new Flaw('A rule has times or a probability, not both.');
  const rest = { ...match, times, probability };
  if (stage === 'http') return { stage, action: parseAction(given['action'], parseHttpReply, HTTP_REPLY), ...rest };
  return { stage, action: parseAction(given['action'], parseSmtpReply, SMTP_REPLY), ...rest };
}

const SMTP_REPLY = `The reply of an SMTP rule is a line with a 4xx or 5xx code, such as "451 4.7.1 try later", of at most ${MAX_REPLY} characters.`;
const HTTP_REPLY =
  'The reply of an http rule is a text such as "503 try later", or {"status","body","headers"} with a status from 200 to 599, no body at 204, 205 and 304, and headers that are texts and do not frame the body.';

/**
 * Parses the conditions of a rule. A key that the stage does not know is an error, because ignoring it would widen the
 * rule.
 */
function parseMatch(stage: FaultStage, value: unknown, beside: unknown): Pick<FaultRule, 'globs' | 'mailboxId'> {
  if (!isObject(value)) throw new Flaw('match is an object.');
  const { mailboxId: within = null, ...texts } = value;
  if (within !== null && beside !== null && within !== beside)
    throw new Flaw('The mailboxId in match and the one beside it differ.');
  const bound = within ?? beside;
  const known: readonly string[] = KNOWN_AT[stage];
  const mailboxId = typeof bound === 'string' ? parseUlid<MailboxId>(bound) : null;
  if (bound !== null && mailboxId === null) throw new Flaw('mailboxId is no id of a mailbox.');
  if (bound !== null && !known.includes('mailboxId')) throw new Flaw(notKnown(stage, 'mailboxId'));
  const globs: Partial<Record<MatchKey, Glob>> = {};
  for (const [key, pattern] of Object.entries(texts)) {
    if (pattern === null) continue;
    if (!known.includes(key)) throw new Flaw(notKnown(stage, key));
    if (typeof pattern !== 'string' || pattern === '' || pattern.length > MAX_PATTERN)
      throw new Flaw(`${key} in match is a text of 1 to ${MAX_PATTERN} characters.`);
    globs[key as MatchKey] = parseGlob(pattern); // `known` holds only match keys and mailboxId
  }
  return { globs, mailboxId };
}

function notKnown(stage: FaultStage, key: string): string {
  return `The stage ${stage} does not know ${JSON.stringify(key.slice(0, 40))}; it knows ${KNOWN_AT[stage].join(', ')}.`;
}

function parseAction<Reply>(
  value: unknown,
  parseReply: (reply: unknown) => Reply | null,
  replies: string,
): FaultAction<Reply> {
  if (!isObject(value)) throw new Flaw('action is an object with reply, drop or delayMs.');
  const { reply: givenReply = null, delayMs: givenDelay, drop = null, ...others } = value;
  const [other] = Object.keys(others);
  if (other !== undefined)
    throw new Flaw(`action has reply, drop and delayMs, but no ${JSON.stringify(other.slice(0, 40))}.`);
  if (drop !== null && typeof drop !== 'boolean') throw new Flaw('drop is true or false.');
  const delayMs = numberOr(givenDelay, (ms) => Number.isInteger(ms) && ms >= 0 && ms <= MAX_DELAY_MS);
  if (delayMs === undefined) throw new Flaw(`delayMs is a whole number from 0 to ${MAX_DELAY_MS}.`);
  const reply = givenReply === null ? null : parseReply(givenReply);
  if (givenReply !== null && reply === null) throw new Flaw(replies);
  if (drop === true && reply !== null) throw new Flaw('A dropped client gets no reply: leave out reply or drop.');
  if (drop !== true && reply === null && delayMs === null) throw new Flaw('action has no reply, drop or delayMs.');
  return { reply, delayMs: delayMs ?? 0, drop: drop === true };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: a reply that held one could be split in two
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** Parses an SMTP refusal with a 4xx or 5xx code, such as `451 4.7.1 try later`. */
function parseSmtpReply(value: unknown): SmtpReply | null {
  if (typeof value !== 'string' || value.length > MAX_REPLY || CONTROL.test(value)) return null;
  const match = /^([45]\d\d)(?: (.*))?$/.exec(value);
  return match === null ? null : { code: Number(match[1]), text: match[2] ?? '' };
}

/** Parses an HTTP reply: `{"status","body"?,"headers"?}`, or a text such as `503 try later`. */
function parseHttpReply(value: unknown): HttpReply | null {
  if (typeof value === 'string') {
    const match = /^(\d{3})(?: (.*))?$/s.exec(value);
    return match === null ? null : httpReply(Number(match[1]), match[2] ?? '', {}, 'text/plain; charset=utf-8');
  }
  const { status, body = null, headers = null, ...others } = isObject(value) ? value : {};
  const texts = parseHeaders(headers ?? {});
  if (Object.keys(others).length > 0 || texts === null) return null;
  const isText = body === null || typeof body === 'string';
  const type = isText ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8';
  return httpReply(status, isText ? (body ?? '') : JSON.stringify(body), texts, type);
}

function httpReply(status: unknown, body: string, headers: Record<string, string>, type: string): HttpReply | null {
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 200 || status > 599) return null;
  // These statuses have no body (RFC 9110 6.4.1).
  if (body !== '' && (status === 204 || status === 205 || status === 304)) return null;
  const hasType = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
  return { status, body, headers: body === '' || hasType ? headers : { ...headers, 'Content-Type': type } };
}

function parseHeaders(value: unknown): Record<string, string> | null {
  if (!isObject(value)) return null;
  const texts: [string, string][] = [];
  for (const [name, text] of Object.entries(value)) {
    // The syntax of RFC 9110 5.1 and 5.5, restricted to ASCII.
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/.test(name) || framesMessage(name)) return null;
    if (typeof text !== 'string' || !/^[\t\x20-\x7e]{0,4000}$/.test(text)) return null;
    texts.push([name, text]);
  }
  return texts.length > MAX_HEADERS ? null : Object.fromEntries(texts);
}

/** Reads an optional number. Returns null if it is absent, and undefined if it is invalid. */
function numberOr(value: unknown, isGood: (value: number) => boolean): number | null | undefined {
  if (value === undefined || value === null) return null;
  return typeof value === 'number' && isGood(value) ? value : undefined;
}
