import { type CheckResult, checkRaw } from '../../src/checks/check-mail.ts';
import { clientsNamed } from '../../src/checks/clients/named.ts';

/** The header of a mail without faults. */
const HEADER = {
  From: 'shop@shop.example',
  To: 'ada@mail.example',
  Subject: 'Your order',
  Date: 'Sun, 22 Nov 2026 10:00:00 +0000',
  'Message-ID': '<1@shop.example>',
  'MIME-Version': '1.0',
} as const;

type Header = Readonly<Record<string, string | null>>;

/** Builds a mail. A header of null is left out. */
export function mailOf(header: Header, body: string): Buffer {
  const fields = Object.entries({ ...HEADER, ...header } as Header).filter(([, value]) => value !== null);
  return Buffer.from(`${fields.map(([name, value]) => `${name}: ${value}`).join('\r\n')}\r\n\r\n${body}\r\n`);
}

/** Builds a mail with HTML and the same words as text. */
export function mailOfHtml(html: string, text = 'Hello.', header: Header = {}): Buffer {
  const part = (type: string, body: string) =>
    `--b\r\nContent-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n${wrapped(body)}\r\n`;
  const parts = `${part('text/plain', text)}${part('text/html', html)}--b--`;
  return mailOf({ 'Content-Type': 'multipart/alternative; boundary=b', ...header }, parts);
}

export function wrapped(body: string): string {
  return Buffer.from(body).toString('base64').replace(/.{76}/g, '$&\r\n');
}

/** A whole document without faults around a body. */
export function documentOf(body: string, head = ''): string {
  return `<!doctype html><html lang="en"><head><title>T</title>${head}</head><body>${body}</body></html>`;
}

export function check(raw: Buffer, clients: readonly string[] = [], more: object = {}): Promise<CheckResult> {
  return checkRaw(raw, { clients: clientsNamed(clients) ?? [], reach: false, zone: null, spfDomain: null, ...more });
}

/** Returns the findings of a mail that count, as `rule` or `rule:detail`. Notes have a `~` before. */
export async function rulesOf(raw: Buffer, clients: readonly string[] = []): Promise<string[]> {
  const { findings } = await check(raw, clients);
  // Most tests are about other rules than what the clients of most readers lack.
  const wanted = clients.length > 0 ? findings : findings.filter(({ rule }) => rule !== 'client-support');
  return wanted.map(({ rule, detail, severity }) => {
    const name = rule === 'client-support' ? `${rule}:${detail}` : rule;
    return severity === 'note' ? `~${name}` : name;
  });
}
