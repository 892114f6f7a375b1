import {
  AmbiguityError,
  type CapturedRequest,
  ContentError,
  type LinkFilter,
  type Mailbox,
  type Message,
  type MessageFilter,
  OptionError,
  type RequestFilter,
  type SignatureScheme,
  UnexpectedError,
  WaitTimeoutError,
  type Webhook,
} from '../../src/client/index.ts';
import {
  CALL,
  checkOptions,
  nonConsumingWaitOf,
  stateless,
  textOrPattern,
  writeFilter,
} from '../../src/client/internal.ts';
import { sitedMatcher } from './call-site.ts';
import { messageName } from './message-name.ts';

/** The result of a matcher. `message` returns the failure message, also under `not`. */
export interface MatcherResult {
  readonly pass: boolean;
  message(): string;
}

/** The state that a runner passes to a matcher. */
export interface MatcherState {
  readonly isNot: boolean;
}

/** A handle that receives messages or requests. */
export type Receiver = Mailbox | Webhook;
/** The filter of a mailbox or of a webhook. */
export type ReceiverFilter = MessageFilter | RequestFilter;

/**
 * Waits until a message or request matches, even if a wait has returned it. Under `not` it looks once, without waiting,
 * at what has come. It takes nothing from later waits. Throws an OptionError if the receiver is not a mailbox or
 * webhook.
 */
export const toHaveReceived = sitedMatcher(async function (
  this: MatcherState,
  receiver: Receiver,
  filter: ReceiverFilter = {},
  options: { readonly timeout?: number | undefined } = {},
): Promise<MatcherResult> {
  checkOptions('The options object of toHaveReceived', options, CALL);
  const peek = nonConsumingWaitOf(object(receiver));
  if (peek === null) throw wrongSubject('toHaveReceived', 'a mailbox or a webhook', 'expect(mailbox)');
  if (this.isNot) {
    const came = await cameTo(receiver, filter);
    return verdict(
      came.length > 0,
      () => `${whereOf(receiver)} should not have received ${writeFilter(filter)}:\n${lines(came)}`,
    );
  }
  try {
    await peek(filter, options);
    return verdict(true, () => `${whereOf(receiver)} has received ${writeFilter(filter)}.`);
  } catch (error) {
    if (error instanceof WaitTimeoutError) return verdict(false, () => error.message);
    throw error;
  }
});

/**
 * Watches for `for` milliseconds, and fails if a message or request comes. It also fails for one that came before and
 * that no wait has returned.
 */
export const toStayEmpty = sitedMatcher(
  async (receiver: Receiver, options: { readonly for: number }): Promise<MatcherResult> => {
    if (nonConsumingWaitOf(object(receiver)) === null)
      throw wrongSubject('toStayEmpty', 'a mailbox or a webhook', 'expect(mailbox)');
    if (options?.for === undefined)
      throw new OptionError('toStayEmpty needs the length of the watch in milliseconds: { for: 500 }.');
    try {
      if ('expectNoMessage' in receiver) await receiver.expectNoMessage({}, options);
      else await receiver.expectNoRequest({}, options);
      return verdict(true, () => `${whereOf(receiver)} stayed empty for ${options.for} ms.`);
    } catch (error) {
      if (error instanceof UnexpectedError) return verdict(false, () => error.message);
      throw error;
    }
  },
);

/** Checks that the message has a visible code: the given one, or any. */
export const toHaveCode = sitedMatcher((message: Message, code?: string | RegExp): MatcherResult => {
  checkMessage('toHaveCode', message);
  if (code !== undefined) textOrPattern('The code', code);
  const { codes } = message;
  const found = codes.filter((one) => code === undefined || isThe(code, one.code) || isThe(code, one.written));
  const there = codes.length === 0 ? 'none' : codes.map(({ written, reason }) => `\n  ${written} (${reason})`).join('');
  const wanted = code === undefined ? 'a code' : `the code ${code}`;
  return verdict(found.length > 0, (not) => `${messageName(message)} should ${not}have ${wanted}. Its codes: ${there}`);
});

/** Checks that the message has a link of a kind, a link that matches a filter, or without either a link to follow. */
export const toHaveLink = sitedMatcher((message: Message, filter?: LinkFilter): MatcherResult => {
  checkMessage('toHaveLink', message);
  try {
    const url = message.link(filter);
    return verdict(true, () => `${messageName(message)} should not have the link ${url}`);
  } catch (error) {
    // Several links match, so there is at least one.
    if (error instanceof AmbiguityError) return verdict(true, () => error.message);
    if (error instanceof ContentError) return verdict(false, () => error.message);
    throw error;
  }
});

/** Checks that the message has an attachment with this file name. A text is compared in any case. */
export const toHaveAttachment = sitedMatcher((message: Message, name: string | RegExp): MatcherResult => {
  checkMessage('toHaveAttachment', message);
  textOrPattern('The name of the attachment', name);
  const names = message.attachments.map(({ filename }) => filename ?? '');
  const there = names.map((one) => JSON.stringify(one)).join(', ') || 'none';
  const pass = names.some((one) => isThe(name, one));
  return verdict(
    pass,
    (not) => `${messageName(message)} should ${not}have the attachment ${name}. Its attachments: ${there}`,
  );
});

/** Checks that the secret signed the exact bytes of the request. */
export const toHaveValidSignature = sitedMatcher(
  (request: CapturedRequest, scheme: SignatureScheme, secret: string): MatcherResult => {
    if (!('verify' in object(request)))
      throw wrongSubject('toHaveValidSignature', 'a captured request', 'expect(await webhook.waitForRequest())');
    const { ok, reason } = request.verify(scheme, secret);
    const what = `${request.method} ${request.path}`;
    return verdict(ok, (not) =>
      ok
        ? `${what} should ${not}have a valid signature, but it has one.`
        : `The signature of ${what} is not valid: ${reason}.`,
    );
  },
);

function verdict(pass: boolean, message: (not: '' | 'not ') => string): MatcherResult {
  return { pass, message: () => message(pass ? 'not ' : '') };
}

async function cameTo(receiver: Receiver, filter: ReceiverFilter): Promise<string[]> {
  if ('requests' in receiver) {
    // The handle itself refuses unknown fields of a filter.
    const came = await receiver.requests(filter as RequestFilter);
    return came.map(({ receivedAt, method, path }) => `${receivedAt.toISOString()} ${method} ${path}`);
  }
  const came = await receiver.messages(filter as MessageFilter);
  return came.map(({ receivedAt, subject, from }) => `${receivedAt.toISOString()} "${subject ?? ''}" from ${from}`);
}

function whereOf(receiver: Receiver): string {
  return 'address' in receiver ? receiver.address : receiver.url;
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `  ${text}`).join('\n');
}

function isThe(wanted: string | RegExp, text: string): boolean {
  if (typeof wanted === 'string') return wanted.toLowerCase() === text.toLowerCase();
  return stateless(wanted).test(text);
}

function checkMessage(matcher: string, message: Message): void {
  if (!('codes' in object(message))) throw wrongSubject(matcher, 'a message', 'expect(await mailbox.waitForMessage())');
}

function object(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}

function wrongSubject(matcher: string, what: string, example: string): OptionError {
  return new OptionError(`${matcher} needs ${what}: ${example}.${matcher}(...)`);
}
