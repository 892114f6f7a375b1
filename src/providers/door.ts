import type { IncomingHttpHeaders } from 'node:http';
import type { Context } from '../context.ts';
import type { WorkspaceId } from '../domain/ids.ts';
import type { SuppressionEntry } from '../domain/outbound.ts';
import type { Interaction, ProviderMail, ProviderName, ProviderRecord } from '../domain/provider.ts';
import type { Tx } from '../ports/store.ts';
import { docsPath } from '../text/docs-place.ts';
import type { SignatureScheme } from '../webhooks/schemes.ts';
import type { InboundMail } from './inbound/mail.ts';

// The shape of a provider's API (docs/providers.md). A provider is a folder with its routes, its errors and its events.
// `table.ts` lists the providers, and `src/http/providers.ts` serves them.

/** The API of a mail provider below `/providers/<name>`. */
export interface Door {
  readonly name: ProviderName;
  readonly routes: readonly DoorRoute[];
  /** The largest request body in bytes. */
  readonly bodyLimit: number;
  /** Returns the API key of a request, or null if it has none. */
  keyOf(headers: IncomingHttpHeaders): string | null;
  /** The header fields that hold keys, in lower case. A message shows its request without their values. Left out: Authorization. */
  readonly secrets?: readonly string[];
  /** Creates a refusal that any request can meet, in the provider's words. `url` is the path below the provider's. */
  refusal(problem: DoorProblem, url: string): DoorRefusal;
  /** Returns the API key that a body has, if the header has none. Left out: no body has one. */
  keyIn?(body: DoorBody): string | null;
  /** Leaves the keys out of a body, as a message shows it: JSON, or a form in lines. */
  withoutKeys?(shown: string): string;
  /** The longest Idempotency-Key, and the answer to one that comes with another body. Left out: the provider has none. */
  readonly idempotency?: { readonly longestKey: number; readonly reused: DoorAnswer };
  /** The header fields of an answer to too many requests. `now` is the time in the workspace, in seconds. */
  limitHeaders?(now: number): Readonly<Record<string, string>>;
  /**
   * Returns what happens to a mail to one of the provider's test addresses, or null for any other address. Left out: the
   * provider has none.
   */
  outcomeOf?(address: string): Outcome | null;
  /**
   * Writes an event for a webhook of the app: one or more requests, or none if the webhook does not want it. `now` is the
   * time in the workspace. Left out: the app registers no webhooks.
   */
  eventsFor?(event: EmailEvent, webhook: ProviderRecord, now: number): readonly OutgoingEvent[];
  /** What a reader does that the webhooks can tell. Left out: nothing. */
  readonly interactions?: readonly Interaction[];
  /** Returns the events that the request of the mail or text message asked for, at a URL of its own. Left out: none. */
  callbacksFor?(event: EmailEvent): readonly OutgoingEvent[];
  /**
   * Tells of an event in another way than to webhooks of its own, such as through the API of another provider. Returns the
   * number of requests that will be made.
   */
  publish?(caller: Pick<DoorCall, 'ctx' | 'workspaceId'>, tx: Tx, event: EmailEvent, now: number): Promise<number>;
  /** Hands mail for addresses of the app to the app, if the provider does that. */
  readonly inbound?: InboundPart;
  /** Hands texts that phones send to the numbers of the app to the app, if the provider does that. */
  readonly phoneTexts?: PhoneTextPart;
  /** Signs each try of an event by itself, where the signature holds the time. Absent if `scheme` signs, or nothing. */
  sign?(event: OutgoingEvent, webhook: ProviderRecord, now: number): OutgoingEvent;
}

/** What happens to a mail at a recipient. */
export type Outcome = 'delivered' | 'bounced' | 'complained';

/** Something that happened to an email. */
export interface EmailEvent {
  /** `suppressed`: the recipient is on the suppression list, so that no mail was sent. */
  readonly type: 'scheduled' | 'sent' | 'failed' | 'suppressed' | Outcome | Interaction;
  /** The record of the email. */
  readonly record: ProviderRecord;
  /** The recipient. Null if the event is about all of them. */
  readonly address: string | null;
  /** The link that was clicked. */
  readonly link?: string;
  /** Why the recipient is on the suppression list. */
  readonly reason?: SuppressionEntry['reason'];
}

/** The program that opens mails and follows links, as events name it. */
export const READER = 'Mozilla/5.0 (mailcap)';

/** An event as the provider sends it. */
export interface OutgoingEvent {
  readonly url: string;
  /** Left out: POST. */
  readonly method?: 'GET' | 'POST';
  readonly body: string | Buffer;
  /** How a request is signed, and by which secret. Absent: it is not, or by {@link Door.sign}. */
  readonly scheme?: SignatureScheme | 'none';
  readonly secret?: string | null;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The pauses before the second try and the later ones, in seconds. Absent: those of the scheme. */
  readonly delays?: readonly number[];
  /** The first and the last status of an answer that ends the tries, although it is no success. Absent: none does. */
  readonly ends?: readonly [first: number, last: number];
  /** The id of the email that it is about. What is about one email goes to a URL in its order, one at a time. */
  readonly about?: string;
}

/** How a provider hands mail for addresses of the app to the app: by requests, or in another way. */
export interface InboundPart {
  /** Returns the rules of a workspace that take mail for a recipient. */
  rulesFor(rules: readonly ProviderRecord[], recipient: string): readonly ProviderRecord[];
  /** Writes the request for one try. Its URL may have a user name and a password. */
  write?(mail: InboundMail, rule: ProviderRecord, now: number): Promise<OutgoingEvent>;
  publish?(
    caller: Pick<DoorCall, 'ctx' | 'workspaceId'>,
    tx: Tx,
    mail: InboundMail,
    rule: ProviderRecord,
    now: number,
  ): Promise<void>;
}

/** A text that a phone sends to a number of the app. */
export interface PhoneText {
  /** The phone, in the form of E.164. With `whatsapp:` before it, the text comes by WhatsApp; so with `to`. */
  readonly from: string;
  readonly to: string;
  readonly body: string;
  /** The URLs of the pictures and other files that come with the text. */
  readonly media: readonly string[];
}

/** How a provider hands a text of a phone to the app. */
export interface PhoneTextPart {
  /** Returns the rule by which texts for a number come to the app; null if no app has it. */
  ruleFor(rules: readonly ProviderRecord[], number: string): ProviderRecord | null;
  /** Returns the id that the provider gives a text, and the fields that its API gives back. `ulid` is new. */
  received(text: PhoneText, rule: ProviderRecord, ulid: string): { readonly id: string; readonly fields: object };
  /** Writes the request for one try. `number` is 1 for the first. */
  write(text: ProviderRecord, rule: ProviderRecord, number: number): OutgoingEvent;
  /** Returns the texts that the answer of the app sends. Throws a {@link BadAnswer}. Left out: none. */
  answersIn?(
    answer: AppAnswer,
    text: ProviderRecord,
    rule: ProviderRecord,
    newUlid: () => string,
  ): Promise<AnswerText[]>;
}

/** A text that the app answers with, and the fields that the API gives back. */
export interface AnswerText {
  readonly mail: ProviderMail;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The answer of the app to a request. */
export interface AppAnswer {
  /** The media type, in lower case; empty if there is none. */
  readonly type: string;
  readonly body: string;
}

/** The app answered something that the provider can't act on. */
export class BadAnswer extends Error {
  override readonly name = 'BadAnswer';
}

/** A refusal that any request can meet. */
export interface DoorProblem {
  readonly kind: ProblemKind;
  readonly status: number;
  /** A sentence for the developer. */
  readonly message: string;
  /** The address of the sender, if it is about that. */
  readonly sender?: string;
}

export const PROBLEMS = {
  missing_key: [401, 'The API key is missing.'],
  wrong_key: [401, 'The API key is none of this server: off loopback it has to be an API key of mailcap.'],
  foreign_page: [403, 'The Host is not allowed, or a page of another site sends the request.'],
  not_found: [404, `mailcap does not have this part of the API: ${docsPath('providers')} lists what it has.`],
  method_not_allowed: [405, 'This path does not have this method.'],
  bad_body: [400, 'The body could not be parsed.'],
  bad_key: [400, 'The key must be between 1-256 chars.'],
  wrong_type: [415, 'The Content-Type of the body is not one that this API takes, or the body is compressed.'],
  too_large: [413, 'The mail is too large.'],
  too_large_to_wait: [422, 'mailcap schedules mails up to 256 KB: this one is larger.'],
  no_such_mailbox: [400, 'No mailbox takes mail for one of the recipients, and --catch-all is off.'],
  limit_reached: [429, 'The mailbox of a recipient has got all the mail that its plan allows for today.'],
  too_many_scheduled: [429, 'Too many emails are scheduled: at most 1,000 wait at a time.'],
  rate_limited: [429, 'Too many requests. Wait a second, and try again.'],
  broken: [500, 'Something went wrong at the provider: a fault rule of mailcap says so.'],
  unverified_sender: [403, 'The domain of the sender is no identity of the workspace, which demands one.'],
  storage_full: [429, 'The mail of the workspace fills the storage of its plan.'],
  unavailable: [503, 'The server starts or stops, or its disk refused the write. Nothing was stored: try again.'],
} as const satisfies Readonly<Record<string, readonly [status: number, message: string]>>;
export type ProblemKind = keyof typeof PROBLEMS;

export function problemOf(kind: ProblemKind): DoorProblem {
  const [status, message] = PROBLEMS[kind];
  return { kind, status, message };
}

export interface DoorRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path below the provider's, such as `/emails/:id`. */
  readonly path: string;
  /** Takes requests without a key: those that follow a URL of a message. They stand for no workspace of their own. */
  readonly isOpen?: true;
  /** Throws {@link DoorRefusal}, or a refusal that {@link Door.refusal} words. */
  handle(call: DoorCall): Promise<DoorAnswer>;
}

/** A request to the API of a provider. */
export interface DoorCall {
  readonly ctx: Context;
  readonly door: Door;
  /** The workspace that the records of the request belong to. */
  readonly workspaceId: WorkspaceId;
  readonly method: string;
  /** The path below the provider's, with the query. */
  readonly url: string;
  /** The URL of the server as the app reaches it. */
  readonly origin: string;
  /** The header fields as they came, without keys. */
  readonly shownHeaders: readonly (readonly [name: string, value: string])[];
  readonly headers: IncomingHttpHeaders;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: DoorBody;
  readonly clientAddress: string | null;
  readonly clientPort: number | null;
  /**
   * Runs a change in a transaction, which also records the answer for the request's Idempotency-Key. `discard` releases
   * what the change would have used if it did not run.
   */
  once(change: (tx: Tx) => Promise<DoorAnswer>, discard?: () => void): Promise<DoorAnswer>;
}

/** The body of a request. `shown` is how a message shows it. */
export type DoorBody =
  | { readonly kind: 'none'; readonly shown: string }
  | { readonly kind: 'json'; readonly value: unknown; readonly shown: string }
  | { readonly kind: 'form'; readonly fields: readonly DoorField[]; readonly shown: string };

/** A field of a form. A file has its name, media type and bytes. */
export interface DoorField {
  readonly name: string;
  readonly value: string;
  readonly file?: { readonly name: string; readonly type: string; readonly content: Buffer };
}

/** An answer. A body that is no text is written as JSON. */
export interface DoorAnswer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The media type of a body that is a text. */
  readonly type?: string;
  /** A file in the place of a body. */
  readonly file?: { readonly name: string; readonly type: string; readonly content: Buffer };
}

/** Refuses a request with an answer of the provider. */
export class DoorRefusal extends Error {
  override readonly name = 'DoorRefusal';
  readonly answer: DoorAnswer;

  constructor(answer: DoorAnswer) {
    super(`the API of the provider answers ${answer.status}`);
    this.answer = answer;
  }
}

/** Returns the token of `Authorization: Bearer <token>`, or null. */
export function bearerOf({ authorization }: IncomingHttpHeaders): string | null {
  return /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? null;
}

/** Returns what reads the key of a request from the first of some header fields that is there. */
export function keyInHeader(...names: readonly string[]): Door['keyOf'] {
  return (headers) => names.map((name) => headers[name]).find(isFilled) ?? null;
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** Returns `name:password` of `Authorization: Basic`, which has to be base64; empty without it. */
export function signedInAs({ authorization }: IncomingHttpHeaders): string {
  const [, credentials = ''] = /^basic +([A-Za-z0-9+/=]+)$/i.exec(authorization ?? '') ?? [];
  return Buffer.from(credentials, 'base64').toString('utf8');
}

/**
 * Returns what tells of the test addresses at a domain: what happens at names, also with a text behind a plus sign, and at
 * any other name.
 */
export function testAddresses(
  domain: string,
  outcomes: Readonly<Record<string, Outcome>>,
  other: Outcome | null = null,
): NonNullable<Door['outcomeOf']> {
  const known = new Map(Object.entries(outcomes));
  return (address) => {
    const [, name = '', host = ''] = /^([a-z]+)(?:\+[^@]*)?@(.+)$/i.exec(address) ?? [];
    return host.toLowerCase() === domain ? (known.get(name.toLowerCase()) ?? other) : null;
  };
}

/** Returns the text of an answer's body; null if it has none. */
export function answerText({ body }: DoorAnswer): string | null {
  return body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body);
}
