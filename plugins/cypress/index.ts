import type { Client } from '../../src/client/index.ts';
import { keepingOf, keeps } from '../shared/kept.ts';
import { openWorker } from '../shared/worker.ts';
import { createTasks, type MailcapTasks } from './tasks.ts';

export type { CyTasks } from './cy-task.ts';
export type { MailcapTasks, MailToSend, MessageQuery, PlainMessage, PlainRequest, RequestQuery } from './tasks.ts';

/** The `on` function that Cypress passes to `setupNodeEvents`, with the one event that mailcap uses. */
export interface PluginEvents {
  // Cypress's own type of it takes no narrower ones.
  // biome-ignore lint/suspicious/noExplicitAny: each task takes what its own type says
  (event: 'task', tasks: Readonly<Record<string, (arg: any) => unknown>>): void;
  (event: 'after:run', act: (results?: object) => Promise<void>): void;
}

/** The options of `mailcap(on)`. They name the server that the tasks use. */
export interface MailcapCypressOptions {
  /**
   * The base URL of the server. Default: `MAILCAP_URL`, else the server that runs in this directory or above. If there
   * is none, mailcap starts a server, which ends with Cypress.
   */
  readonly url?: string | undefined;
  /** The API key. Default: `MAILCAP_API_KEY`, else the key of the server that was found. */
  readonly apiKey?: string | undefined;
}

/**
 * Registers the tasks `mailcap:mailbox`, `mailcap:code` and others for `cy.task`, and returns them for use in your own
 * tasks. It starts a server if none runs. It also sets `MAILCAP_SMTP_URL`, `MAILCAP_SMTP_HOST` and
 * `MAILCAP_SMTP_PORT` for processes that Cypress's process starts later. Throws a MailcapError if the server can't be
 * reached or started.
 *
 * @example
 * setupNodeEvents: async (on) => {
 *   await mailcap(on);
 * }
 */
export async function mailcap(on: PluginEvents, options: MailcapCypressOptions = {}): Promise<MailcapTasks> {
  const { client, close } = await openWorker({
    ...options,
    name: `cypress ${process.pid}`,
    project: { runner: 'cypress', path: process.cwd() },
  });
  const tasks = createTasks(client);
  on('task', tasks);
  on('after:run', async (results = {}) => {
    await tasks['mailcap:removeFaults']();
    const hasFailed = 'totalFailed' in results && Number(results.totalFailed) > 0;
    // The errors contain URLs of the mailboxes.
    if (hasFailed && keeps(undefined) && (await keepingOf(client)?.keep()) === true) await release(client);
    await close();
  });
  return tasks;
}

/** Ends the claims of all mailboxes, so that the next run can claim the same addresses. */
async function release(client: Client): Promise<void> {
  for (const { id } of await client.listMailboxes()) await client.local.claimAddresses(id, []);
}
