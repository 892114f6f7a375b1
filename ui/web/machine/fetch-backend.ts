import { type Backend, BackendError, type QueryParams } from '../app/ports.ts';
import { readToken } from './token.ts';

/** The backend that calls the local API of the server which served the page. */
export const fetchBackend: Backend = {
  async get<T>(path: string, query: QueryParams = {}, signal?: AbortSignal): Promise<T> {
    const response = await ask(pathWithQuery(path, query), signal === undefined ? {} : { signal });
    // A 204 has no body. Otherwise the server's own schemas guarantee the type.
    return (response.status === 204 ? undefined : await response.json()) as T;
  },

  async send<T>(method: string, path: string, body?: unknown): Promise<T> {
    const json = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = body === undefined ? {} : { 'Content-Type': 'application/json' };
    // A deletion is finished even if the reader leaves the page.
    const response = await ask(path, { method, headers, ...json, keepalive: method === 'DELETE' });
    return (response.status === 204 ? undefined : await response.json()) as T;
  },

  async bytes(path: string, signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
    const response = await ask(path, signal === undefined ? {} : { signal });
    return new Uint8Array(await response.arrayBuffer());
  },
};

async function ask(path: string, init: RequestInit): Promise<Response> {
  const token = readToken();
  const headers = { ...init.headers, ...(token === null ? {} : { Authorization: `Bearer ${token}` }) };
  let response: Response;
  try {
    response = await fetch(path, {
      ...init,
      headers,
      credentials: 'omit',
      cache: 'no-store',
      referrerPolicy: 'no-referrer',
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new BackendError('unreachable', 0, 'the server does not answer.');
  }
  if (response.ok) return response;
  throw await refusalOf(response);
}

async function refusalOf(response: Response): Promise<BackendError> {
  const body: unknown = await response.json().catch(() => null);
  const extra: Record<string, unknown> = typeof body === 'object' && body !== null ? { ...body } : {};
  const code = typeof extra['error'] === 'string' ? extra['error'] : String(response.status);
  return new BackendError(code, response.status, await sentenceOf(code, extra), extra);
}

/** Returns the sentence for an error code. It loads the table of sentences only when one is needed. */
async function sentenceOf(code: string, extra: Readonly<Record<string, unknown>>): Promise<string> {
  try {
    const { sentenceOfCode } = await import('../../../src/text/refusals.ts');
    return sentenceOfCode(code, extra, 'page');
  } catch {
    return `the server refused it: ${code.replaceAll('_', ' ')}.`;
  }
}

/** Returns a path with its query. Parameters without a value are left out. */
function pathWithQuery(path: string, query: QueryParams): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === null || value === undefined || value === '' ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

// The server embeds the answers to the page's first requests in the page, so that the list appears as soon as the code
// runs. A page that must send the admin token gets no answers.

interface First {
  /** The position in the feed at which the answers were made. */
  readonly since: string;
  readonly answers: Readonly<Record<string, unknown>>;
}

/** Returns the feed position of the first answers, and a backend that returns these answers without a request. */
export function withFirstAnswers(backend: Backend): { readonly since: string | null; readonly backend: Backend } {
  const text = document.getElementById('first')?.textContent ?? '';
  if (text === '') return { since: null, backend };
  // The server wrote this, so it has this type.
  const { since, answers } = JSON.parse(text) as First;
  const left = new Map(Object.entries(answers));
  // Each answer is used once, and only at the start, because it may be out of date later.
  setTimeout(() => left.clear());
  return {
    since,
    backend: {
      ...backend,
      async get<T>(path: string, query = {}, signal?: AbortSignal): Promise<T> {
        const asked = pathWithQuery(path, query);
        if (!left.has(asked)) return backend.get<T>(path, query, signal);
        const answer = left.get(asked);
        left.delete(asked);
        return answer as T;
      },
    },
  };
}
