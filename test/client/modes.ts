import { test as base, expect, vi } from 'vitest';
import { type Client, createClient, type Mailbox } from '../../src/client/index.ts';
import { putMail, type Summary } from '../http/support.ts';
import { startServer, type TestServer } from '../support/mailcap.ts';
import { asCloud, startProxy, type TestProxy } from '../support/proxy.ts';

/** `local` uses the server directly. `cloud` uses a proxy of it that has no local API. */
export const MODES = ['local', 'cloud'] as const;
export type Mode = (typeof MODES)[number];

/** The test function that {@link testsOf} returns. */
export type StageTest = ReturnType<typeof testsOf>;

/** The parts that tests of one mode share. Every request of a handle passes the proxy. */
export interface Stage {
  readonly mode: Mode;
  readonly mailcap: TestServer;
  readonly proxy: TestProxy;
  readonly client: Client;
  /** Puts a mail into the mailbox of a handle. */
  put(to: Mailbox, fields?: Record<string, string>, text?: string): Promise<Summary>;
  /** Resolves when the server holds this many awaits. */
  armed(count?: number): Promise<void>;
}

/** Creates the test function of one mode. Each file has one server and one proxy, and each test has its own handle. */
export function testsOf(mode: Mode) {
  return (
    base
      // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the needed fixtures from the pattern
      .extend('stage', { scope: 'file' }, async ({}, { onCleanup }) => {
        const mailcap = await startServer();
        const proxy = await startProxy(mailcap.url, mode === 'cloud' ? asCloud : undefined);
        onCleanup(async () => {
          await proxy[Symbol.asyncDispose]();
          await mailcap.close();
        });
        return stageOf(mode, mailcap, proxy);
      })
      .extend('mailbox', ({ stage }) => stage.client.mailbox())
  );
}

export function stageOf(mode: Mode, mailcap: TestServer, proxy: TestProxy): Stage {
  const client = createClient({
    baseUrl: proxy.url,
    apiKey: mailcap.apiKey,
    workspaceId: mailcap.workspaceId,
    ...(mode === 'cloud' && { mailDomain: mailcap.mailDomain, webhookBaseUrl: `${mailcap.url}/hooks` }),
  });
  return {
    mode,
    mailcap,
    proxy,
    client,
    put: ({ id, address }, fields, text) => putMail(mailcap, id, { To: address, ...fields }, text),
    armed: async (count = 1) => {
      const { waiters } = mailcap.ctx;
      await vi.waitFor(() => expect(waiters.size).toBeGreaterThanOrEqual(count), { timeout: 15_000, interval: 5 });
    },
  };
}

/** Returns the error with which a promise rejects. */
export async function failure(promise: Promise<unknown>): Promise<Error> {
  const error: unknown = await promise.then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof Error)) throw new Error(`it failed with ${String(error)}`);
  return error;
}
