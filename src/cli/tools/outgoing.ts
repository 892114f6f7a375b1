import { type IncomingMessage, request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { ConfigError } from '../../config/user-error.ts';
import { fileText } from '../../text/file-text.ts';
import type { DeliveryReply, DeliveryRequest } from '../../webhooks/deliver.ts';
import { beginningOf, type HttpTarget, joinedHeaders, targetFor } from '../../webhooks/exchange.ts';
import { type SignatureScheme, WebhookError } from '../../webhooks/schemes.ts';
import { isOwnHeader } from '../../webhooks/signed-webhook.ts';
import type { Arguments } from '../command.ts';
import { variable } from '../connect.ts';
import { readGiven } from '../read-given.ts';
import { whyUnreached } from '../unreachable.ts';

const SECRET_VARIABLE = 'MAILCAP_WEBHOOK_SECRET';
/** The largest file of a secret that is read. */
const MAX_SECRET_BYTES = 64 * 1024;
const HMAC = /^hmac(?:-(sha1|sha256|sha512))?(?:-(hex|base64))?:([^:]+)(?::(.*))?$/;

/**
 * Returns the secret of --secret-file, of --secret or of MAILCAP_WEBHOOK_SECRET; null if none is given. Throws a
 * UserError if the file can't be read.
 */
export async function secretOf(args: Arguments): Promise<string | null> {
  const [file, typed] = [args.text('secretFile'), args.text('secret')];
  if (file !== null && typed !== null) throw new ConfigError('give --secret or --secret-file, not both.');
  // The title replaces the arguments in the list of processes, which every user of the machine may read.
  if (typed !== null || args.isGiven('header')) process.title = 'mailcap webhooks';
  if (file === null) return typed ?? variable(SECRET_VARIABLE);
  const text = await readGiven(file, MAX_SECRET_BYTES, `--secret-file: ${file}`);
  return fileText(text).replace(/\r?\n$/, '');
}

/**
 * Reads `--scheme`: a name, or `hmac:<header>` with the prefix of the signature after another colon. The hash and
 * encoding are before the first colon, as in `hmac-sha1-base64:X-Signature`. Returns null if it was not given.
 */
export function schemeFlag(args: Arguments): SignatureScheme | 'none' | null {
  const text = args.text('scheme');
  const [, algorithm = 'sha256', encoding = 'hex', header, prefix = ''] = HMAC.exec(text ?? '') ?? [];
  if (header === undefined) {
    // The cast is checked later: the table of schemes refuses an unknown name.
    return text as SignatureScheme | 'none' | null;
  }
  const isBase64 = encoding === 'base64';
  const hash = algorithm === 'sha1' || algorithm === 'sha512' ? algorithm : 'sha256';
  return { header, algorithm: hash, encoding: isBase64 ? 'base64' : 'hex', prefix };
}

/** Reads each `--header 'Name: value'`. Throws a {@link ConfigError}. */
export function headerFlags(args: Arguments): [name: string, value: string][] {
  return args.texts('header').map((text) => {
    const mark = text.indexOf(':');
    // A value may be a secret, so it is not shown.
    if (mark <= 0) throw new ConfigError("--header: expected 'Name: value'.");
    return [text.slice(0, mark).trim(), text.slice(mark + 1).trim()];
  });
}

/** Runs a function, and throws a {@link WebhookError} of it as a {@link ConfigError}. */
export async function asConfigError<T>(run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    throw new ConfigError(`${error.message}${error.message.endsWith('the secret') ? HOW_TO_GIVE : ''}.`);
  }
}

const HOW_TO_GIVE = `: give it with --secret-file, in ${SECRET_VARIABLE} or with --secret`;

/** The most bytes of an answer that are read. */
const MOST_BYTES = 1024 * 1024;

/** Returns the target below a URL, byte for byte: the sub-path and the query are appended, as in a forward. */
export function targetBelow(to: string, path: string | null, query: string | null): HttpTarget {
  return targetFor(to, { path: path ?? '/', query: query || null });
}

/**
 * Sends a request once, with its headers in their order and case. It follows no redirect, and reads at most 1 MiB of the
 * answer. A target that does not answer gives a reply with an error.
 */
export async function exchange(
  target: HttpTarget,
  { method, headers, body, timeoutMs }: DeliveryRequest,
): Promise<DeliveryReply> {
  const { origin, path } = target;
  const signal = AbortSignal.timeout(timeoutMs);
  const kept = headers.filter(([name]) => !isOwnHeader(name));
  const length = body.length > 0 || /^(POST|PUT|PATCH)$/i.test(method) ? [['Content-Length', `${body.length}`]] : [];
  const url = new URL(origin);
  const send = url.protocol === 'https:' ? overHttps : overHttp;
  const nothing = { status: null, headers: {}, beginning: new Uint8Array() };
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const options = { method, path, headers: [['Host', url.host], ...kept, ...length].flat(), signal };
      const sent = send(url, options, resolve).once('error', reject);
      // This program asks for no other protocol. Without a listener the request would end without an answer or an error.
      sent.once('upgrade', (response, socket) => {
        socket.destroy();
        resolve(response);
      });
      sent.end(body);
    });
    const status = response.statusCode ?? null;
    const beginning = await beginningOf(response, MOST_BYTES);
    return { status, headers: joinedHeaders(response.headers), beginning, isLate: false, error: null };
  } catch (error) {
    if (signal.aborted) return { ...nothing, isLate: true, error: `no answer within ${timeoutMs / 1_000} s` };
    const why = error instanceof Error ? whyUnreached(error) || 'it refused' : String(error);
    return { ...nothing, isLate: false, error: why };
  }
}
