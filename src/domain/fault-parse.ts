import { refuse } from './errors.ts';
import { type FaultAction, type FaultRule, type FaultStage, type HttpReply, KNOWN_AT, type MatchKey } from './fault.ts';
import { type Glob, parseGlob } from './glob.ts';
import { type MailboxId, parseUlid } from './ids.ts';
import { SMTP_STAGES, type SmtpReply } from './smtp-stage.ts';

export const MAX_FAULTS = 1_000;
const MAX_PATTERN = 1_000;
const MAX_REPLY = 500;
const MAX_HEADERS = 50;
const MAX_DELAY_MS = 600_000;

/**
 * Parses the fault rules of a request, in their order. Throws `invalid_faults` with the `index` of the first invalid
 * rule.
 */
export function parseFaults(given: readonly unknown[]): FaultRule[] {
  if (given.length > MAX_FAULTS) throw refuse('invalid_faults', { index: MAX_FAULTS });
  return given.map((value, index) => {
    const rule = parseFault(value);
    if (rule === null) throw refuse('invalid_faults', { index });
    return rule;
  });
}

function parseFault(value: unknown): FaultRule | null {
  const given = membersOf(value);
  const stage = stageOf(given?.['stage']);
  if (given === null || stage === null) return null;
  const match = parseMatch(stage, given['match'] ?? {}, given['mailboxId'] ?? null);
  const times = numberOr(given['times'], (times) => Number.isSafeInteger(times) && times >= 1);
  const probability = numberOr(given['probability'], (probability) => probability >= 0 && probability <= 1);
  if (match === null || times === undefined || probability === undefined) return null;
  // `times` counts and `probability` is random. Together neither would have a clear meaning.
  if (times !== null && probability !== null) return null;
  const rest = { ...match, times, probability };
  if (stage === 'http') {
    const action = parseAction(given['action'], parseHttpReply);
    return action === null ? null : { stage, action, ...rest };
  }
  const action = parseAction(given['action'], parseSmtpReply);
  return action === null ? null : { stage, action, ...rest };
}

function stageOf(value: unknown): FaultStage | null {
  const stages: readonly FaultStage[] = [...SMTP_STAGES, 'http'];
  return stages.find((stage) => stage === value) ?? null;
}

/**
 * Parses the conditions of a rule. A key that the stage does not know is an error, because ignoring it would widen the
 * rule.
 */
function parseMatch(stage: FaultStage, value: unknown, beside: unknown): Pick<FaultRule, 'globs' | 'mailboxId'> | null {
  const members = membersOf(value);
  if (members === null) return null;
  const { mailboxId: within = null, ...texts } = members;
  if (within !== null && beside !== null && within !== beside) return null;
  const bound = within ?? beside;
  const known: readonly string[] = KNOWN_AT[stage];
  const mailboxId = typeof bound === 'string' ? parseUlid<MailboxId>(bound) : null;
  if (bound !== null && (mailboxId === null || !known.includes('mailboxId'))) return null;
  const globs: Partial<Record<MatchKey, Glob>> = {};
  for (const [key, pattern] of Object.entries(texts)) {
    if (pattern === null) continue;
    if (!known.includes(key) || typeof pattern !== 'string') return null;
    if (pattern === '' || pattern.length > MAX_PATTERN) return null;
    globs[key as MatchKey] = parseGlob(pattern); // `known` holds only match keys and mailboxId
  }
  return { globs, mailboxId };
}

function parseAction<Reply>(value: unknown, parseReply: (reply: unknown) => Reply | null): FaultAction<Reply> | null {
  const { reply: givenReply = null, delayMs: givenDelay, drop = null, ...others } = membersOf(value) ?? {};
  if (Object.keys(others).length > 0 || (drop !== null && typeof drop !== 'boolean')) return null;
  const delayMs = numberOr(givenDelay, (ms) => Number.isInteger(ms) && ms >= 0 && ms <= MAX_DELAY_MS);
  const reply = givenReply === null ? null : parseReply(givenReply);
  if (delayMs === undefined || (givenReply !== null && reply === null)) return null;
  // A dropped client gets no reply, and an action must do something.
  if (drop === true ? reply !== null : reply === null && delayMs === null) return null;
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
  const { status, body = null, headers = null, ...others } = membersOf(value) ?? {};
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

/** The header fields that frame a message. Only the server may set them. */
const FRAMING: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

function parseHeaders(value: unknown): Record<string, string> | null {
  const members = Object.entries(membersOf(value) ?? { '': null });
  const texts: [string, string][] = [];
  for (const [name, text] of members) {
    // The syntax of RFC 9110 5.1 and 5.5, restricted to ASCII.
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/.test(name) || FRAMING.has(name.toLowerCase())) return null;
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

function membersOf(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
}
