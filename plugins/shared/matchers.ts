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
import { CALL, checkOptions, peekOf, textOrPattern, writeFilter } from '../../src/client/internal.ts';
import { sitedMatcher } from './call-site.ts';

/** What a matcher says: the message is that of a failure, also of one under `not`. */
export interface Verdict {
  readonly pass: boolean;
  message(): string;
}

/** What a runner tells a matcher. */
export interface State {
  readonly isNot: boolean;
}

export type Receiver = Mailbox | Webhook;
/** What has come must be like: a message's filter, or a request's. */
export type ReceiverFilter = MessageFilter | RequestFilter;

/**
 * Waits until something that matches has come, whether a wait has returned it or not; under `not` it is what has come until
 * now that counts. Nothing is taken from the waits that follow.
 */
export const toHaveReceived = sitedMatcher(async function (
  this: State,
  receiver: Receiver,
  filter: ReceiverFilter = {},
  options: { readonly timeout?: number | undefined } = {},
): Promise<Verdict> {
  checkOptions('The options object of toHaveReceived', options, CALL);
  const peek = peekOf(object(receiver));
  if (peek === null) throw wrongSubject('toHaveReceived', 'a mailbox or a webhook', 'expect(mailbox)');
  if (this.isNot) {
    const came = await cameTo(receiver, filter);
    return verdict(
      came.length > 0,
      () => `${whereOf(receiver)} was not to have received ${writeFilter(filter)}:\n${lines(came)}`,
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

/** Watches for so many milliseconds that nothing comes, nor is there already. */
export const toStayEmpty = sitedMatcher(
  async (receiver: Receiver, options: { readonly for: number }): Promise<Verdict> => {
    if (peekOf(object(receiver)) === null)
      throw wrongSubject('toStayEmpty', 'a mailbox or a webhook', 'expect(mailbox)');
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

/** A code that a person sees in the message; this one, where one is given. */
export const toHaveCode = sitedMatcher((message: Message, code?: string | RegExp): Verdict => {
  checkMessage('toHaveCode', message);
  if (code !== undefined) textOrPattern('The code', code);
  const { codes } = message;
  const found = codes.filter((one) => code === undefined || isThe(code, one.code) || isThe(code, one.written));
  const there = codes.length === 0 ? 'none' : codes.map(({ written, reason }) => `\n  ${written} (${reason})`).join('');
  const wanted = code === undefined ? 'a code' : `the code ${code}`;
  return verdict(found.length > 0, (not) => `${nameOf(message)} was ${not}to have ${wanted}. Codes it has: ${there}`);
});

/** A link of a kind, or that a filter describes. */
export const toHaveLink = sitedMatcher((message: Message, filter?: LinkFilter): Verdict => {
  checkMessage('toHaveLink', message);
  try {
    const url = message.link(filter);
    return verdict(true, () => `${nameOf(message)} was not to have the link ${url}`);
  } catch (error) {
    // Several are more than the one that was asked for.
    if (error instanceof AmbiguityError) return verdict(true, () => error.message);
    if (error instanceof ContentError) return verdict(false, () => error.message);
    throw error;
  }
});

/** An attachment of that file name, in any case. */
export const toHaveAttachment = sitedMatcher((message: Message, name: string | RegExp): Verdict => {
  checkMessage('toHaveAttachment', message);
  textOrPattern('The name of the attachment', name);
  const names = message.attachments.map(({ filename }) => filename ?? '');
  const there = names.map((one) => JSON.stringify(one)).join(', ') || 'none';
  const pass = names.some((one) => isThe(name, one));
  return verdict(
    pass,
    (not) => `${nameOf(message)} was ${not}to have the attachment ${name}. Attachments it has: ${there}`,
  );
});

/** A signature by the secret over the request's exact bytes. */
export const toHaveValidSignature = sitedMatcher(
  (request: CapturedRequest, scheme: SignatureScheme, secret: string): Verdict => {
    if (!('verify' in object(request)))
      throw wrongSubject('toHaveValidSignature', 'a captured request', 'expect(await webhook.waitForRequest())');
    const { ok, reason } = request.verify(scheme, secret);
    const what = `${request.method} ${request.path}`;
    return verdict(ok, (not) =>
      ok
        ? `${what} was ${not}to have a valid signature, and has one.`
        : `The signature of ${what} is not valid: ${reason}.`,
    );
  },
);

function verdict(pass: boolean, message: (not: '' | 'not ') => string): Verdict {
  return { pass, message: () => message(pass ? 'not ' : '') };
}

async function cameTo(receiver: Receiver, filter: ReceiverFilter): Promise<string[]> {
  if ('requests' in receiver) {
    // Unknown keys of a filter are refused by the handle.
    const came = await receiver.requests(filter as RequestFilter);
    return came.map(({ receivedAt, method, path }) => `${receivedAt.toISOString()} ${method} ${path}`);
  }
  const came = await receiver.messages(filter as MessageFilter);
  return came.map(({ receivedAt, subject, from }) => `${receivedAt.toISOString()} "${subject ?? ''}" from ${from}`);
}

function whereOf(receiver: Receiver): string {
  return 'address' in receiver ? receiver.address : receiver.url;
}

function nameOf({ subject, id }: Message): string {
  return subject === null ? `The message ${id}` : `"${subject}"`;
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `  ${text}`).join('\n');
}

function isThe(wanted: string | RegExp, text: string): boolean {
  if (typeof wanted === 'string') return wanted.toLowerCase() === text.toLowerCase();
  return new RegExp(wanted.source, wanted.flags.replace(/[gy]/g, '')).test(text);
}

function checkMessage(matcher: string, message: Message): void {
  if (!('codes' in object(message))) throw wrongSubject(matcher, 'a message', 'expect(await mailbox.waitForMessage())');
}

function object(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}

function wrongSubject(matcher: string, what: string, example: string): OptionError {
  return new OptionError(`${matcher} is about ${what}: ${example}.${matcher}(...)`);
}
