import type { Ready } from '../../src/client/index.ts';
import { now, providerVariables, RUN_STARTED_AT } from '../../src/client/internal.ts';

/** The addresses that a test run announces to the code under test and to the processes it starts. */
export type AnnouncedAddresses = Pick<
  Ready,
  'url' | 'apiKey' | 'smtpUrl' | 'smtpHost' | 'smtpPort' | 'workspaceId' | 'mailDomain' | 'webhookBaseUrl'
>;

/** Returns the environment variables that the client and the code under test read. */
export function variablesOf({ url, apiKey, smtpUrl, workspaceId, mailDomain, webhookBaseUrl }: AnnouncedAddresses) {
  return {
    MAILCAP_URL: url,
    MAILCAP_API_KEY: apiKey,
    MAILCAP_WORKSPACE_ID: workspaceId,
    ...sendingVariables(url, smtpUrl),
    MAILCAP_WEBHOOK_BASE_URL: webhookBaseUrl,
    MAILCAP_MAIL_DOMAIN: mailDomain,
    [RUN_STARTED_AT]: new Date(now()).toISOString(),
  };
}

/**
 * Returns the variables by which the code under test sends to the server at a URL: by SMTP, and by the SDKs of providers
 * that read one. If `AWS_ENDPOINT_URL` is set, the AWS SDKs send to the emulator that it names.
 */
export function sendingVariables(url: string, smtpUrl: string): Readonly<Record<string, string>> {
  const hasEmulator = Boolean(process.env['AWS_ENDPOINT_URL']);
  const ofProviders = Object.entries(providerVariables(url)).filter(([name]) => !(hasEmulator && /^AWS_/.test(name)));
  return { ...smtpVariables(smtpUrl), ...Object.fromEntries(ofProviders) };
}

/**
 * Returns the variables for an SMTP URL: the URL itself, and its host and port for an app that is configured with the
 * two. If MAILCAP_SMTP_URL is already set, host and port are taken from it.
 */
export function smtpVariables(smtpUrl: string): Readonly<Record<string, string>> {
  const inForce = process.env['MAILCAP_SMTP_URL'] || smtpUrl;
  const { hostname, port } = URL.canParse(inForce) ? new URL(inForce) : { hostname: '', port: '' };
  return {
    MAILCAP_SMTP_URL: smtpUrl,
    ...(hostname !== '' &&
      port !== '' && { MAILCAP_SMTP_HOST: hostname.replace(/^\[|\]$/g, ''), MAILCAP_SMTP_PORT: port }),
  };
}

/**
 * Returns the SMTP URL for code under test that connects to a server from before the run. `ignoreTLS` makes Nodemailer
 * connect without TLS, because it would refuse the server's self-signed certificate. Other libraries ignore the
 * parameter.
 */
export function inTheClear(smtpUrl: string): string {
  return `${smtpUrl}?ignoreTLS=true`;
}

/** Sets the variables that are not set yet. The returned function removes them again. */
export function setVariables(variables: Readonly<Record<string, string>>): () => void {
  const missing = Object.entries(variables).filter(([name]) => !process.env[name]);
  for (const [name, value] of missing) process.env[name] = value;
  return () => {
    for (const [name] of missing) delete process.env[name];
  };
}
