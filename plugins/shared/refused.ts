import { amend } from './attempt.ts';

/**
 * Explains a refused connection to a common mail port: the code under test may not know the server's address. Returns
 * null for any other error. `remedy` is the runner's advice.
 */
export function whyRefused(message: string, smtpUrl: string | undefined, remedy: string): string | null {
  const [, port] = /ECONNREFUSED\S{0,20}\s{1,10}\S{0,300}?:(\d{1,5})\b/.exec(message) ?? [];
  if (port === undefined || !smtpUrl || !URL.canParse(smtpUrl)) return null;
  const own = new URL(smtpUrl);
  // If the refused port is the server's own, the server does not run, and this advice would not help.
  if (own.port === port || !MAIL_PORTS.has(port)) return null;
  return `Nothing listens on port ${port}. mailcap receives mail at ${own.protocol}//${own.host}, the value of MAILCAP_SMTP_URL. ${remedy}`;
}

/** Explains each error of a test that is such a refusal. `advice` is that of the runner, if it has one. */
export function explainRefused(
  errors: readonly { message?: string | undefined; stack?: string | undefined }[],
  advice: string | null,
): void {
  for (const error of errors) {
    const remedy = advice ?? 'Does the code under test read MAILCAP_SMTP_URL?';
    const why = whyRefused(error.message ?? '', process.env['MAILCAP_SMTP_URL'], remedy);
    if (why !== null) amend(error, why);
  }
}

/** The default ports of mail libraries and of mail servers for tests. */
const MAIL_PORTS = new Set(['25', '465', '587', '1025', '2525']);
