import type { TestProject } from 'vitest/node';
import { createClient } from '../../src/client/index.ts';
import {
  type AnnouncedAddresses,
  inTheClear,
  setVariables,
  smtpVariables,
  variablesOf,
} from '../shared/environment.ts';
import { startServer } from '../shared/start-server.ts';
import type {} from './matchers.ts';

/**
 * Starts one server for the whole run, including reruns in watch mode, or uses the server at `MAILCAP_URL`. It sets
 * `MAILCAP_SMTP_URL`, `MAILCAP_SMTP_HOST` and `MAILCAP_SMTP_PORT` for the code under test. The returned function stops
 * the server. Throws a MailcapError if the server does not start.
 *
 * @example test: { globalSetup: ['mailcap/vitest/global-setup'] }
 */
export async function setup({ provide }: Pick<TestProject, 'provide'>): Promise<() => Promise<void>> {
  if (process.env['MAILCAP_URL']) {
    const client = createClient();
    // The cloud has no SMTP server to announce.
    const smtp = (await client.hasLocalApi()) ? smtpVariables(inTheClear((await client.local.getInfo()).smtpUrl)) : {};
    const undo = setVariables(smtp);
    return async () => undo();
  }
  const { ready, stop } = await startServer();
  const { url, apiKey, smtpUrl, smtpHost, smtpPort, workspaceId, mailDomain, webhookBaseUrl } = ready;
  const addresses: AnnouncedAddresses = {
    url,
    apiKey,
    smtpUrl,
    smtpHost,
    smtpPort,
    workspaceId,
    mailDomain,
    webhookBaseUrl,
  };
  const undo = setVariables(variablesOf(addresses));
  provide('mailcap', addresses);
  return async () => {
    undo();
    await stop();
  };
}
