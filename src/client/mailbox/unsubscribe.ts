import { readListUnsubscribe } from '../../extract/list-unsubscribe.ts';
import { after } from '../environment.ts';
import { ContentError } from '../errors.ts';

/** The answer to a one-click unsubscribe. */
export interface Unsubscribed {
  /** The address that the POST went to. */
  readonly url: URL;
  /** The status of the answer, from 200 to 299. */
  readonly status: number;
}

/** The time in milliseconds that the address has to answer. */
const ANSWER_MS = 10_000;

type Headers = Readonly<Record<string, string | readonly string[]>>;

/** Unsubscribes as a mail program does (RFC 8058 3.2). `mail` names the message in errors. */
export async function unsubscribe(headers: Headers, mail: string): Promise<Unsubscribed> {
  const { web, isOneClick } = readListUnsubscribe(
    first(headers['list-unsubscribe']),
    first(headers['list-unsubscribe-post']),
  );
  if (web === null || !isOneClick) throw noOneClick(headers, mail);
  const late = new AbortController();
  const stop = after(ANSWER_MS, () => late.abort(new Error(`no answer within ${ANSWER_MS / 1_000} seconds`)));
  try {
    const { status, body } = await fetch(web, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'List-Unsubscribe=One-Click',
      // RFC 8058 3.1: no cookies, and no redirect, because it would turn the POST into something else.
      credentials: 'omit',
      redirect: 'manual',
      signal: late.signal,
    });
    await body?.cancel();
    if (status < 200 || status > 299) throw failed(mail, web, `answered ${status}`);
    return { url: new URL(web), status };
  } catch (error) {
    if (error instanceof ContentError) throw error;
    throw failed(mail, web, 'did not answer', error);
  } finally {
    stop();
  }
}

function noOneClick(headers: Headers, mail: string): ContentError {
  const header = first(headers['list-unsubscribe']);
  const post = first(headers['list-unsubscribe-post']);
  return new ContentError(
    'no_one_click',
    `${mail} offers no one-click unsubscribe: List-Unsubscribe is ${shownHeader(header)}, List-Unsubscribe-Post is ${shownHeader(post)}.`,
    {
      hint: 'It needs the headers List-Unsubscribe: <https://…> and List-Unsubscribe-Post: List-Unsubscribe=One-Click (RFC 8058).',
    },
  );
}

function failed(mail: string, url: string, what: string, cause?: unknown): ContentError {
  const reason = cause instanceof Error ? ` (${reasonOf(cause)})` : '';
  return new ContentError('unsubscribe_failed', `${mail} could not be unsubscribed: ${url} ${what}${reason}.`, {
    cause,
  });
}

function reasonOf(error: Error): string {
  return error.cause instanceof Error ? error.cause.message : error.message;
}

function shownHeader(text: string | null): string {
  return text === null ? 'missing' : JSON.stringify(text.slice(0, 200));
}

function first(value: string | readonly string[] | undefined): string | null {
  return (typeof value === 'string' ? value : value?.[0]) ?? null;
}
