import type { SignatureScheme } from '../../webhooks/schemes.ts';
import { signedHeaders } from '../../webhooks/schemes.ts';
import { WebhookError } from '../../webhooks/webhook-error.ts';
import { now, randomName } from '../environment.ts';
import { OptionError } from '../errors.ts';
import { asServerSays, checkOptions, filledText, time } from '../options/check-options.ts';
import { shown } from '../options/shown.ts';
import { located } from '../waiting/call-site.ts';
import { loadHmac } from './load-hmac.ts';
import { schemeRules } from './signature.ts';

/** The body that {@link sign} signs, its secret and its scheme. */
export interface SignOptions {
  /** The scheme: the name of a service, or the header of an HMAC. */
  readonly scheme: SignatureScheme;
  /** The secret as the service shows it; `whsec_...` for Svix and Standard Webhooks. */
  readonly secret: string;
  /** The exact body that is sent. */
  readonly body: string | Uint8Array;
  /** The time of the signature, for schemes that sign a time; now if left out. */
  readonly timestamp?: Date | string | undefined;
  /** The id of the message, for schemes that sign an id; a new id if left out. */
  readonly id?: string | undefined;
}

const OPTIONS = { scheme: asServerSays, secret: asServerSays, body: asServerSays, timestamp: time, id: filledText };

/**
 * Signs a body as a service does, and returns the headers to send with it. It needs no server. `request.verify()` and
 * the service's own library accept the signature. Throws an OptionError for an unknown scheme, a secret that the scheme
 * does not allow, or a body that is neither a string nor bytes.
 *
 * @example
 * const headers = await sign({ scheme: 'stripe', secret: 'whsec_test', body });
 * await fetch('http://127.0.0.1:3000/stripe', { method: 'POST', headers, body });
 */
export const sign: (options: SignOptions) => Promise<Record<string, string>> = located(async (options) => {
  checkOptions('The argument of sign()', options, OPTIONS, "Write sign({ scheme: 'stripe', secret, body }).");
  const { scheme, secret, body, timestamp = new Date(now()), id = `msg_${randomName(24)}` } = options;
  // An error message must never contain the secret.
  if (typeof secret !== 'string') throw new OptionError('The secret must be a string.');
  const at = new Date(timestamp).getTime();
  if (Number.isNaN(at)) throw new OptionError(`timestamp must be a time; it is ${shown(timestamp)}.`);
  const stamp = { id, timestamp: String(Math.floor(at / 1_000)) };
  const hmac = await loadHmac();
  return asOptionError(() =>
    Object.fromEntries(signedHeaders(schemeRules(scheme), { secret, body: bytesOf(body), stamp }, hmac)),
  );
});

/** Returns the bytes of a body. Throws an OptionError for anything but a string and bytes. */
export function bytesOf(body: unknown): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  if (body instanceof Uint8Array) return body;
  throw new OptionError(
    `The body must be a string or bytes; it is ${shown(body)}.`,
    'A signature covers the exact bytes that are sent: call JSON.stringify once, then sign and send its result.',
  );
}

/** Runs a function, and converts a {@link WebhookError} that it throws to an OptionError. */
export function asOptionError<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    const { message } = error;
    throw new OptionError(`${message.slice(0, 1).toUpperCase()}${message.slice(1)}.`);
  }
}
