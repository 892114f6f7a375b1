import { Agent, request } from 'node:http';
import type { TestServer } from '../support/mailcap.ts';

/** Everything that a caller sees of an answer, without the values that differ between any two requests. */
export interface Seen {
  readonly status: number;
  /** Header names and values in turn, as sent. */
  readonly headers: readonly string[];
  readonly body: string;
}

export interface Asked {
  readonly method?: string;
  readonly path: string;
  readonly key: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** Headers whose values differ between requests. Their presence and their positions must be the same. */
const VARYING = new Set(['x-request-id', 'date', 'ratelimit-remaining', 'ratelimit-reset']);

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

/** Sends a request and returns the answer as it was on the wire. */
export function ask({ url }: TestServer, asked: Asked): Promise<Seen> {
  const { method = 'GET', path, key, headers = {}, body } = asked;
  const type =
    body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const req = request(
      url + path,
      { method, agent, headers: { authorization: `Bearer ${key}`, ...type, ...headers } },
      (res) => {
        let text = '';
        res.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        res.on('end', () => resolve({ status: res.statusCode ?? 0, headers: steady(res.rawHeaders), body: text }));
      },
    );
    req.on('error', reject).end(body);
  });
}

function steady(rawHeaders: readonly string[]): string[] {
  return rawHeaders.map((text, at) =>
    at % 2 === 1 && VARYING.has(rawHeaders[at - 1]?.toLowerCase() ?? '') ? '-' : text,
  );
}
