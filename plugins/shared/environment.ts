import type { Ready } from '../../src/client/index.ts';
import { now, RUN_STARTED_AT } from '../../src/client/internal.ts';

/** What a test run tells the code under test, and the processes it starts. */
export type Addresses = Pick<
  Ready,
  'url' | 'apiKey' | 'smtpUrl' | 'smtpHost' | 'smtpPort' | 'workspaceId' | 'mailDomain' | 'webhookBaseUrl'
>;

/** As the client and the code under test look for it. */
export function variablesOf({ url, apiKey, smtpUrl, workspaceId, mailDomain, webhookBaseUrl }: Addresses) {
  return {
    MAILCAP_URL: url,
    MAILCAP_API_KEY: apiKey,
    MAILCAP_WORKSPACE_ID: workspaceId,
    MAILCAP_SMTP_URL: smtpUrl,
    MAILCAP_WEBHOOK_BASE_URL: webhookBaseUrl,
    MAILCAP_MAIL_DOMAIN: mailDomain,
    [RUN_STARTED_AT]: new Date(now()).toISOString(),
  };
}

/**
 * How the code under test reaches a server that was there before the run: in the clear. Such a server offers STARTTLS with a
 * certificate of its own, which Nodemailer refuses unless told to leave it alone, in words that others pass over.
 */
export function inTheClear(smtpUrl: string): string {
  return `${smtpUrl}?ignoreTLS=true`;
}

/** Sets what is not set yet; the return value takes back what it set. */
export function setVariables(variables: Readonly<Record<string, string>>): () => void {
  const missing = Object.entries(variables).filter(([name]) => !process.env[name]);
  for (const [name, value] of missing) process.env[name] = value;
  return () => {
    for (const [name] of missing) delete process.env[name];
  };
}
