import { openWorker } from '../shared/worker.ts';
import { createTasks, type MailcapTasks } from './tasks.ts';

export type { CyTasks } from './cy-task.ts';
export type { MailcapTasks, MessageQuery, PlainMessage, PlainRequest, RequestQuery } from './tasks.ts';

/** What Cypress hands to `setupNodeEvents`, as far as it is needed. */
export interface PluginEvents {
  (event: 'task', tasks: Readonly<Record<string, (arg: never) => unknown>>): void;
  (event: 'after:run', act: () => Promise<void>): void;
}

/** Which server the tasks use. */
export interface MailcapCypressOptions {
  /** `{base_url}`; MAILCAP_URL if left out, else the server that runs here or above; else one is started, which ends with Cypress. */
  readonly url?: string | undefined;
  /** MAILCAP_API_KEY if left out. */
  readonly apiKey?: string | undefined;
}

/**
 * Registers the tasks `mailcap:mailbox`, `mailcap:code` and so on, for `cy.task`. Returns them, for tests of your own. Where no server runs
 * it starts one, and MAILCAP_SMTP_URL says where, for what Cypress's process starts after it.
 *
 * @example
 * setupNodeEvents: async (on) => {
 *   await mailcap(on);
 * }
 */
export async function mailcap(on: PluginEvents, options: MailcapCypressOptions = {}): Promise<MailcapTasks> {
  const { client, close } = await openWorker({ ...options, name: `cypress ${process.pid}` });
  const tasks = createTasks(client);
  on('task', tasks);
  on('after:run', close);
  return tasks;
}
