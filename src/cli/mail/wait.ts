import { awaitInTurns } from '../../client/connection/caller.ts';
import { AmbiguityError, isRefusedAs, MailcapError, onRefusal } from '../../client/errors.ts';
import type { Client, LinkKind } from '../../client/index.ts';
import { type AnyMessage, type ReadMessage, wordsOfTexts } from '../../client/mailbox/any-kind.ts';
import { ConfigError, UserError } from '../../config/user-error.ts';
import { harmlessLine } from '../../text/harmless.ts';
import { saidCount } from '../../text/said.ts';
import { isUrl } from '../../text/url.ts';
import { NO_CLIENT, saidMissedTls, saidRefusal } from '../../text/why-not.ts';
import { nameOfMessage } from '../../text/wording.ts';
import { now } from '../clock.ts';
import { type Arguments, durationOf, EXIT } from '../command.ts';
import { connect, findMailbox, type MeantMailbox } from '../connect.ts';
import {
  print,
  printForAgent,
  printJson,
  printMessage,
  printMessageForAgent,
  say,
  surestCode,
  writeTimeOfDay,
} from '../output.ts';

const DEFAULT_SECONDS = 30;
const KINDS: readonly LinkKind[] = ['verify', 'magic', 'reset', 'invite', 'unsubscribe', 'other'];

/**
 * Runs `mailcap messages wait`: prints only the code, the link or the message. The exit code is 3 if none came in time.
 */
export async function waitForMessage(args: Arguments): Promise<number> {
  if (args.isOn('code') && args.isGiven('link'))
    throw new ConfigError('--code and --link exclude each other: give one of them.');
  const kind = kindOf(args);
  const seconds = args.seconds('timeout') ?? DEFAULT_SECONDS;
  const client = await connect(args);
  const filter = filterOf(args);
  const mailbox = await findMailbox(client, args.text('mailbox'));
  const since = await sinceOf(client, args.text('since'));
  // If `since` is null, each await looks back five seconds (docs/api.md#messages), so that no message falls between two.
  const message = await awaitInTurns(seconds * 1_000, (timeout) =>
    receive(client, mailbox.id, filter, { ...(since === null ? {} : { since }), timeout }, args.isOn('sms')),
  );
  if (message === null) {
    const asked = diagnose(client, mailbox, { ...filter, ...(since === null ? {} : { since }) });
    if (args.isOn('agent')) await printMissForAgent(await asked);
    else say(await whyNothingCame(client, mailbox, filter, await asked.catch(() => null), seconds, args.isOn('sms')));
    return EXIT.timedOut;
  }
  const json = args.isOn('json');
  const extract = args.isOn('code') ? 'code' : args.isGiven('link') ? 'link' : 'none';
  if (args.isOn('agent')) await printMessageForAgent(message, extract, kind ?? undefined);
  else if (args.isOn('code')) await printCode(message, json);
  else if (args.isGiven('link')) await printLink(message, kind, json);
  else if (json) printJson(message);
  else await printMessage(message);
  return EXIT.done;
}

/**
 * Waits for a message and reads it. A mailcap server answers the wait with the whole message, so that one request does
 * both. Only the local API looks into bodies, takes search words, and has text messages.
 */
async function receive(
  client: Client,
  mailboxId: string,
  filter: WaitFilter,
  bounds: { readonly since?: string; readonly timeout: number },
  isText: boolean,
): Promise<ReadMessage | null> {
  const { body, query, ...ofCloud } = filter;
  const needsLocalApi = isText || body !== undefined || query !== undefined;
  if (needsLocalApi || (await client.hasLocalApi())) {
    try {
      return await client.local.awaitWholeMessage(mailboxId, {
        ...filter,
        ...bounds,
        ...(isText ? { kind: 'sms' } : {}),
      });
    } catch (error) {
      if (needsLocalApi || !isRefusedAs(error, 'unauthorized')) throw error;
    }
  }
  const summary = await client.awaitMessage(mailboxId, { ...ofCloud, ...bounds });
  return summary && client.getMessage(mailboxId, summary.id);
}

function kindOf(args: Arguments): LinkKind | null {
  const given = args.text('link');
  if (given === null) return null;
  const kind = KINDS.find((one) => one === given);
  if (kind === undefined)
    throw new ConfigError(`--link: expected one of ${KINDS.join(', ')}, or no value, got ${given}.`);
  return kind;
}

function filterOf(args: Arguments): WaitFilter {
  const given = (['subject', 'from', 'to', 'body', 'query'] as const).flatMap((name) => {
    const value = args.text(name);
    return value === null ? [] : [[name, value]];
  });
  return Object.fromEntries(given);
}

/**
 * Converts `--since` to a time for the API. A duration is counted back from the server's clock, which a test may have
 * set.
 */
async function sinceOf(client: Client, given: string | null): Promise<string | null> {
  if (given === null) return null;
  const seconds = durationOf(given);
  if (seconds === null) {
    if (Number.isNaN(Date.parse(given)))
      throw new ConfigError(`--since: expected a time, or how long ago as in 2m, got ${given}.`);
    return new Date(given).toISOString();
  }
  return new Date((await timeOfServer(client)) - seconds * 1_000).toISOString();
}

/** Returns the time of the server. A caller who may not ask for it gets the time of this machine. */
async function timeOfServer(client: Client): Promise<number> {
  if (!(await client.hasLocalApi())) return now();
  const clock = await client.local.getClock().catch(onRefusal('unauthorized', null));
  return clock === null ? now() : Date.parse(clock.now);
}

async function printCode(message: ReadMessage, json: boolean): Promise<void> {
  // The finders of this process take longer to load than all else.
  const code = surestCode(message.codes ?? []) ?? (await codeFoundHere(message));
  if (json) printJson({ code, messageId: message.id });
  else print(code);
}

async function codeFoundHere(message: AnyMessage): Promise<string> {
  const { codesOf, chooseCode, titleOf } = await import('./find-in-message.ts');
  const title = `"${titleOf(message, 80)}"`;
  return chosen(message, title, 'code', () => chooseCode(codesOf(message), {}, title));
}

async function printLink(message: ReadMessage, kind: LinkKind | null, json: boolean): Promise<void> {
  const link = linkOfServer(message, kind) ?? (await linkFoundHere(message, kind));
  if (json) printJson({ url: link.url, kind: link.kind, messageId: message.id });
  else print(link.url);
}

interface ChosenLink {
  readonly url: string;
  readonly kind: LinkKind | null;
}

/** Returns the link that the server found. Null if it found none or several, and if it does not tell. */
function linkOfServer({ links = [] }: ReadMessage, kind: LinkKind | null): ChosenLink | null {
  const meant = links.filter((link) =>
    kind === null ? link.rank === 1 && link.kind !== 'unsubscribe' : link.kind === kind,
  );
  const [only, ...others] = meant;
  // A relative link is refused with a hint.
  return only === undefined || others.length > 0 || !isUrl(only.url) ? null : only;
}

async function linkFoundHere(message: AnyMessage, kind: LinkKind | null): Promise<ChosenLink> {
  const { linksOf, chooseLink, titleOf } = await import('./find-in-message.ts');
  const links = linksOf(message);
  const title = `"${titleOf(message, 80)}"`;
  const href = chosen(message, title, 'link', () => chooseLink(links, kind ?? undefined, title));
  return { url: href, kind: links.find(({ url }) => url === href)?.kind ?? kind };
}

/** Replaces an error message for programmers by one for users of the command line. */
function chosen<T>({ id }: AnyMessage, title: string, what: 'code' | 'link', choose: () => T): T {
  try {
    return choose();
  } catch (error) {
    if (!(error instanceof MailcapError)) throw error;
    const look = `\`mailcap messages show ${id}\` shows it`;
    if (error.code === `several_${what}s` && error instanceof AmbiguityError) {
      const candidates = error.candidates.slice(0, 5).map((line) => `\n  ${harmlessLine(line, 200)}`);
      const which =
        what === 'link' ? 'several links; name a kind, as in --link verify' : 'several codes that are equally likely';
      throw new UserError(`${title} holds ${which}:${candidates.join('')}`, 1, { cause: error });
    }
    throw new UserError(`${title} came, but holds no such ${what}; ${look}.`, 1, { cause: error });
  }
}

const SHOWN = 3;

interface WaitFilter {
  readonly subject?: string;
  readonly from?: string;
  readonly to?: string;
  readonly body?: string;
  readonly query?: string;
}

/**
 * Explains why a wait ended without a message: it lists mail that did not match, mail in other mailboxes, and refusals
 * by SMTP. `diagnosis` is null if this caller gets none.
 */
async function whyNothingCame(
  client: Client,
  { subdomain }: MeantMailbox,
  filter: WaitFilter,
  diagnosis: Diagnosis | null,
  seconds: number,
  isText: boolean,
): Promise<string> {
  const what = Object.entries(filter).map(([name, value]) => `${name} "${value}"`);
  const kind = isText ? 'no text message' : 'no message';
  const wanted = what.length === 0 ? kind : `${kind} with ${what.join(' and ')}`;
  return [
    `${wanted} came to ${subdomain} within ${seconds} s.`,
    ...(diagnosis === null ? [] : await found(client, diagnosis, seconds, isText)),
  ].join('\n  ');
}

type Diagnosis = Awaited<ReturnType<Client['local']['diagnoseMailbox']>>;

/** Asks for a diagnosis; null if there is no local API. */
async function diagnose(
  client: Client,
  { id }: MeantMailbox,
  query: WaitFilter & { readonly since?: string },
): Promise<Diagnosis | null> {
  return (await client.hasLocalApi()) ? client.local.diagnoseMailbox(id, query) : null;
}

async function printMissForAgent(diagnosis: Diagnosis | null): Promise<void> {
  await printForAgent(({ diagnosisResult }, fenceId) => {
    const told = diagnosis === null ? { reason: '', content: '' } : diagnosisResult(diagnosis, fenceId, () => false);
    return { found: false, ...told };
  });
}

async function found(client: Client, diagnosis: Diagnosis, seconds: number, isText: boolean): Promise<string[]> {
  const { messages, elsewhere, refusals, lastConnection, until } = diagnosis;
  const [here, there] = [messages.items.slice(0, SHOWN), elsewhere.items.slice(0, SHOWN)];
  // A text that was deleted meanwhile has no words.
  const words = await wordsOfTexts(client.local, [...here, ...there]).catch(() => new Map<string, string>());
  const title = (message: (typeof here | typeof there)[number]) =>
    quoted(message.subject || words.get(message.id) || nameOfMessage(message, 80));
  return [
    ...here.map((message) => {
      const { kind, receivedAt, refusedBy } = message;
      const why = refusedBy.map((one) => saidRefusal(one, quoted));
      const reason = why.length === 0 ? whenItCame(Date.parse(receivedAt), Date.parse(until), seconds) : why.join(', ');
      return `${title(message)} of ${writeTimeOfDay(receivedAt)}: ${ofOtherKind(kind, isText) ?? reason}.`;
    }),
    ...there.map((message) => `${title(message)} went to ${message.subdomain} (--mailbox ${message.subdomain}).`),
    ...refusals.items
      .slice(0, SHOWN)
      .map(
        ({ reply, recipient, at }) =>
          `SMTP refused ${quoted(recipient)} at ${writeTimeOfDay(at)}: ${harmlessLine(reply, 200)}.`,
      ),
    ...(isText ? [] : [lastConnectionOf(lastConnection)]),
  ];
}

/** Says that the wait takes messages of the other kind; null if it takes this one. */
function ofOtherKind(kind: 'email' | 'sms', isText: boolean): string | null {
  if ((kind === 'sms') === isText) return null;
  return isText ? 'it is an email, and --sms waits for texts' : 'it is a text message, and --sms waits for those';
}

/** A message that matches and was not found came outside the wait's window. `--since` reaches further back. */
function whenItCame(receivedAt: number, endedAt: number, seconds: number): string {
  const minutes = Math.max(1, Math.ceil((endedAt - receivedAt) / 60_000) + 1);
  const when = receivedAt < endedAt - seconds * 1_000 ? 'it came before the wait' : 'it came just as the wait ended';
  return `${when}; --since ${minutes}m finds it`;
}

function lastConnectionOf(connection: Diagnosis['lastConnection']): string {
  if (connection === null) return `${NO_CLIENT} Does the app send to this server? \`mailcap env\` prints its address.`;
  const { openedAt, clientAddress, accepted, tls } = connection;
  const missed = saidMissedTls(connection);
  const asked = tls === 'asked' ? '; it asked for TLS and left, so it probably refuses the certificate' : '';
  const left = missed === '' ? asked : `; ${missed}`;
  return `The last SMTP client connected at ${writeTimeOfDay(openedAt)} from ${clientAddress} and sent ${saidCount(accepted, 'mail')}${left}.`;
}

function quoted(text: string | null): string {
  return `"${harmlessLine(text ?? '', 80)}"`;
}
