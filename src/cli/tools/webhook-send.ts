import { clockOf } from '../../client/clock.ts';
import { loadHmac } from '../../client/webhook/signature.ts';
import { harmlessLine } from '../../text/harmless.ts';
import { type DeliveryResult, deliver, type Try } from '../../webhooks/deliver.ts';
import { fractionOf, freshOf, parseOverride } from '../../webhooks/sample.ts';
import { SAMPLES, sampleNamed } from '../../webhooks/samples.ts';
import { isSuccess } from '../../webhooks/senders.ts';
import {
  MAX_BODY_BYTES,
  MAX_RETRIES,
  type SignedWebhook,
  signWebhook,
  targetUrl,
} from '../../webhooks/signed-webhook.ts';
import { now, randomBytes, steady } from '../clock.ts';
import { type Arguments, EXIT } from '../command.ts';
import { connect, lookUp } from '../connect.ts';
import { print, printJson, say } from '../output.ts';
import { readData } from '../read-given.ts';
import { printList } from '../table.ts';
import { asConfigError, exchange, headerFlags, schemeFlag, secretOf } from './outgoing.ts';
import { bodyText } from './whole-request.ts';

const SHOWN_OF_ANSWER = 300;

/**
 * Runs `mailcap webhooks send`: sends a signed event, with retries as its service makes them. The exit code is 1
 * unless the target accepted it.
 */
export async function sendWebhook(args: Arguments): Promise<number> {
  const json = args.isOn('json');
  const retries = retriesOf(args);
  const secret = await secretOf(args);
  const body = await readData(args, MAX_BODY_BYTES);
  const { url, signed } = await asConfigError(async () => {
    const spec = {
      ...{ secret, body, retries, event: args.text('event'), id: args.text('id'), scheme: schemeFlag(args) },
      set: args.texts('set').map(parseOverride),
      headers: headerFlags(args),
    };
    return {
      url: targetUrl(args.operand() ?? ''),
      signed: signWebhook(spec, freshOf(now(), chance), await loadHmac()),
    };
  });
  const clock = await pausesOf(args, retries);
  const delivered = await deliver(signed, {
    ...clock,
    realNow: now,
    steady,
    post: (request) => exchange({ origin: url.origin, path: url.pathname + url.search }, request),
    tried: (one) => {
      if (!json) showTry(one, clock.isShared);
    },
  });
  if (json) printJson(written(url, signed, delivered));
  return delivered.state === 'delivered' ? EXIT.done : EXIT.failed;
}

/** Runs `mailcap webhooks samples`: lists the sample events, or prints the body of one. */
export async function samples(args: Arguments): Promise<number> {
  const name = args.operand();
  if (name !== null) {
    const { body } = await asConfigError(() => sampleNamed(name).make(freshOf(now(), chance)));
    print(JSON.stringify(body, null, args.isOn('json') ? 0 : 2));
    return EXIT.done;
  }
  return printList(
    args,
    SAMPLES.map(({ name: event, sender, about }) => ({ name: event, sender, about })),
    [
      { title: 'EVENT', of: (sample) => sample.name },
      { title: 'SCHEME', of: ({ sender }) => sender },
      { title: 'WHAT HAPPENED', of: ({ about }) => about, flexible: true, from: 60 },
    ],
    'there are none.',
  );
}

/** Returns a random number from 0 to below 1. */
export function chance(): number {
  return fractionOf(randomBytes(4));
}

/** Returns the clock of the server that the command line names, else that of this machine. */
async function pausesOf(args: Arguments, retries: number) {
  const named = { url: args.text('url'), dataDir: args.text('dataDir'), readsConfig: true };
  const isThere = retries > 0 && (await lookUp(named)) !== null;
  return clockOf(isThere ? await connect(args) : null, new AbortController().signal);
}

function retriesOf(args: Arguments): number {
  if (!args.isGiven('retries')) return 0;
  return args.value('retries') === '' ? MAX_RETRIES : Math.min(MAX_RETRIES, args.count('retries') ?? 0);
}

function showTry({ number, status, error, durationMs, answer, nextAt, at }: Try, isShared: boolean): void {
  const came = status === null ? `no answer: ${harmlessLine(error ?? '', 200)}` : `${status}`;
  print(`try ${number}: ${came}, ${durationMs} ms`);
  const text = bodyText(Buffer.from(answer)).trim();
  if (!isSuccess(status) && text !== '') say(`it said: ${harmlessLine(text, SHOWN_OF_ANSWER)}`);
  if (nextAt === null) return;
  const seconds = Math.round((nextAt.getTime() - at.getTime()) / 1_000);
  const clock = isShared ? ' by the clock of the server, which `PUT /_mailcap/clock` sets' : '';
  say(`try ${number + 1} follows in ${saidDuration(seconds)}, at ${nextAt.toISOString()}${clock}.`);
}

function saidDuration(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 360) / 10} h`;
}

function written({ href }: URL, { id, body }: SignedWebhook, { state, tries }: DeliveryResult) {
  return { id, url: href, state, tries, body: bodyText(body) };
}
