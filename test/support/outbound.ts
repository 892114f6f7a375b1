import { expect, vi } from 'vitest';
import type { MessageDetailResponse } from '../../src/client/index.ts';
import { json } from '../http/support.ts';
import type { ApiInit, TestServer } from './mailcap.ts';

export interface Accepted {
  readonly outboundSendId: string;
  readonly messageId: string;
  readonly status: string;
}

/** The state of a send in the local API. */
export interface SendState {
  readonly id: string;
  readonly mailboxId: string;
  readonly messageId: string;
  readonly from: string;
  readonly state: string;
  readonly recipients: readonly {
    readonly address: string;
    readonly state: string;
    readonly attempts: number;
    readonly nextAttemptAt: string | null;
    readonly lastReply: string | null;
  }[];
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Sends a complete email by POST. `fields` replaces some of its fields. */
export function post(
  server: TestServer,
  mailboxId: string,
  fields: Record<string, unknown>,
  init: ApiInit = {},
): Promise<Response> {
  const email = { from: `app@${server.mailDomain}`, subject: 'Hi', textBody: 'Hello', ...fields };
  return server.api(`/v1/mailboxes/${mailboxId}/send`, { ...init, json: email });
}

/** Sends an email, and throws if the server refuses it. */
export async function sendMail(
  server: TestServer,
  mailboxId: string,
  fields: Record<string, unknown>,
  init: ApiInit = {},
): Promise<Accepted> {
  const response = await post(server, mailboxId, fields, init);
  if (response.status !== 202) throw new Error(`not accepted: ${response.status} ${await response.text()}`);
  return json<Accepted>(response);
}

export function stateOf(server: TestServer, sendId: string): Promise<SendState> {
  return json<SendState>(server.api(`/_mailcap/sends/${sendId}`));
}

/** Returns the send when `claim` holds. By default, none of its recipients may be queued. */
export function eventually(
  server: TestServer,
  sendId: string,
  claim: (send: SendState) => void = ({ state }) => expect(state).not.toBe('queued'),
): Promise<SendState> {
  return vi.waitFor(
    async () => {
      const send = await stateOf(server, sendId);
      claim(send);
      return send;
    },
    { timeout: 20_000, interval: 40 },
  );
}

export function detail(server: TestServer, mailboxId: string, id: string): Promise<MessageDetailResponse> {
  return json<MessageDetailResponse>(server.api(`/v1/mailboxes/${mailboxId}/messages/${id}`));
}

/** Returns the messages of a mailbox, newest first. */
export function messagesIn(server: TestServer, mailboxId: string): Promise<{ id: string; subject: string | null }[]> {
  return json(server.api(`/v1/mailboxes/${mailboxId}/messages?limit=200`));
}

export async function rawOf(server: TestServer, messageId: string): Promise<Buffer> {
  return Buffer.from(await (await server.api(`/_mailcap/messages/${messageId}/raw`)).arrayBuffer());
}
