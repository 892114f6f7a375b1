import type { TestProject } from 'vitest/node';
import { createClient } from '../../src/client/index.ts';
import { type Addresses, inTheClear, setVariables, variablesOf } from '../shared/environment.ts';
import { startServer } from '../shared/start-server.ts';
import type {} from './matchers.ts';

/**
 * One server for all of a run, its reruns in watch mode included; or the one at MAILCAP_URL. The code under test finds it by
 * MAILCAP_SMTP_URL.
 */
export async function setup({ provide }: Pick<TestProject, 'provide'>): Promise<() => Promise<void>> {
  if (process.env['MAILCAP_URL']) {
    const client = createClient();
    // The cloud has no SMTP server that it would tell of.
    const smtp = (await client.hasLocalApi())
      ? { MAILCAP_SMTP_URL: inTheClear((await client.local.info()).smtpUrl) }
      : {};
    const undo = setVariables(smtp);
    return async () => undo();
  }
  const { ready, stop } = await startServer();
  const { url, apiKey, smtpUrl, smtpHost, smtpPort, workspaceId, mailDomain, webhookBaseUrl } = ready;
  const addresses: Addresses = { url, apiKey, smtpUrl, smtpHost, smtpPort, workspaceId, mailDomain, webhookBaseUrl };
  const undo = setVariables(variablesOf(addresses));
  provide('mailcap', addresses);
  return async () => {
    undo();
    await stop();
  };
}
