import { request } from 'node:http';
import { connect } from 'node:net';
import type { TestServer } from '../support/mailcap.ts';

/** Returns the status of an answer and its JSON, or null if it has no body. */
export async function outcome(answer: Promise<Response> | Response): Promise<{ status: number; body: unknown }> {
  const response = await answer;
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : JSON.parse(text) };
}

/** Returns the JSON of an answer. The test claims its type. */
export async function json<T>(answer: Promise<Response> | Response): Promise<T> {
  return (await (await answer).json()) as T;
}

export interface Summary {
  readonly id: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly subject: string | null;
  readonly receivedAt: string;
  readonly sizeBytes: number;
  readonly attachmentCount: number;
}

/** Returns a mail with these header fields and this text. */
export function mail(fields: Record<string, string>, text = 'Hello'): string {
  const head = { From: 'Shop <shop@x.test>', To: 'user@box.mailcap.example.com', Subject: 'Hi', ...fields };
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}`);
  return [...lines, '', text, ''].join('\r\n');
}

/** Puts a mail into a mailbox through the local API. */
export function put(server: TestServer, mailboxId: string, raw: string | Uint8Array<ArrayBuffer>): Promise<Response> {
  const headers = { 'content-type': 'message/rfc822' };
  return server.api(`/_mailcap/mailboxes/${mailboxId}/messages`, { method: 'POST', headers, body: raw });
}

/** Puts a mail into a mailbox, and throws if the server refuses it. */
export async function putMail(
  server: TestServer,
  mailboxId: string,
  fields: Record<string, string> = {},
  text?: string,
): Promise<Summary> {
  const response = await put(server, mailboxId, mail(fields, text));
  if (response.status !== 201) throw new Error(`not taken: ${response.status} ${await response.text()}`);
  // The cloud API has no kinds, copies and marks, and most tests compare with its answers.
  const {
    kind: _kind,
    copyKey: _copyKey,
    read: _read,
    starred: _starred,
    tags: _tags,
    ...summary
  } = await json<Summary & Record<string, unknown>>(response);
  return summary;
}

/** Creates a workspace with a key, for tests that must not affect others. */
export async function addWorkspace(
  server: TestServer,
  fields: Record<string, unknown> = {},
): Promise<{ id: string; key: string; headers: { authorization: string } }> {
  const { id } = await json<{ id: string }>(server.api('/_mailcap/workspaces', { json: fields }));
  const key = await addKey(server, id);
  return { id, key, headers: { authorization: `Bearer ${key}` } };
}

export async function addKey(server: TestServer, workspaceId: string, scopes: unknown = {}): Promise<string> {
  const { key } = await json<{ key: string }>(
    server.api(`/_mailcap/workspaces/${workspaceId}/keys`, { json: { scopes } }),
  );
  return key;
}

/** Sends a request exactly as it is written; fetch would change or refuse it. */
export function send(
  server: TestServer,
  options: { method?: string; path: string; headers?: Record<string, string>; body?: string },
): Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: string }> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const { body, ...rest } = options;
    const req = request({ host: hostname, port, agent: false, ...rest }, (res) => {
      let text = '';
      res.setEncoding('utf8');
      res.on('data', (chunk: string) => {
        text += chunk;
      });
      res.on('end', () => resolve({ status: res.statusCode ?? 0, headers: res.headers, body: text }));
    });
    req.on('error', reject);
    req.end(body);
  });
}

/** Sends bytes and returns everything that the server sends until it closes the connection. */
export function raw(server: TestServer, bytes: string): Promise<string> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      text += chunk;
    });
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });
}
