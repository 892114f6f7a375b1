import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import twilioSdk from 'twilio';
import { describe, expect, onTestFinished } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { test as base } from '../support/mailcap.ts';

// What an app may answer to a text of a phone: it is bytes from outside.

const SID = `AC${'0'.repeat(32)}`;
const test = base
  .extend('twilio', ({ mailcap }) => {
    const sdk = twilioSdk(SID, 'any-token');
    sdk.api.baseUrl = `${mailcap.url}/providers/twilio`;
    return sdk;
  })
  .extend('client', ({ mailcap }) =>
    createClient({ baseUrl: mailcap.url, apiKey: mailcap.apiKey, workspaceId: mailcap.workspaceId }),
  );

let last = 0;
const number = () => `+1202555${String(7_000 + last++)}`;

/** Starts an app that answers each text with the same bytes. */
async function startApp(body: string | Buffer, type: string | null = 'text/xml', status = 200) {
  const paths: string[] = [];
  const server = createServer((req, res) => {
    paths.push(req.url ?? '');
    req.resume().on('end', () => {
      if (paths.length > 1) {
        res.setHeader('Content-Type', 'text/xml').end(said('From the fallback'));
        return;
      }
      if (type !== null) res.setHeader('Content-Type', type);
      res.writeHead(status).end(body);
    });
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, paths };
}

function said(body: string, attributes = ''): string {
  return `<Response><Message${attributes}>${body}</Message></Response>`;
}
const LAUGHS = `<!DOCTYPE r [<!ENTITY a "ha">${Array.from({ length: 20 }, (_, at) => `<!ENTITY a${at} "${`&a${at === 0 ? '' : at - 1};`.repeat(10)}">`).join('')}]>`;

describe('an answer that sends nothing, after which the fallback is asked', () => {
  test.for([
    ['entities that blow up', `${LAUGHS}${said('&a19;')}`],
    ['an entity of a file', `<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]>${said('&a;')}`],
    ['a root that is no Response', '<html><body>Hi</body></html>'],
    ['two roots', `${said('x')}${said('y')}`],
    ['an end that is missing', '<Response><Message>x'],
    ['text behind the root', `${said('x')} y`],
    ['a control character', said('a&#1;b')],
    ['half of a surrogate pair', said('a&#xD800;b')],
    ['levels without end', `<Response>${'<a>'.repeat(50_000)}`],
    ['fifty-one messages', `<Response>${'<Message>x</Message>'.repeat(51)}</Response>`],
    ['an empty message', said('')],
    ['a message that is too long', said('x'.repeat(1_601))],
    ['a recipient that is no number', said('x', ' to="Acme"')],
    ['itself as the recipient', said('x', ' to="+15005550006" from="+15005550006"')],
    ['a medium that is no URL', said('<Body>x</Body><Media>file:///etc/passwd</Media>')],
    ['a medium of a script', said('<Media>javascript:alert(1)</Media>')],
    ['a file of megabytes', said('x'.repeat(5_000_000))],
    ['JSON', '{"Response":{"Message":"x"}}', 'application/json'],
    ['a picture', Buffer.from([0x89, 0x50, 0x4e, 0x47]), 'image/png'],
    ['a text that is too long', 'x'.repeat(1_601), 'text/plain'],
    ['an attribute that is there twice', said('x', ' to="+12025550001" to="+12025550002"')],
    [
      'bytes that are no UTF-8',
      Buffer.concat([Buffer.from('<Response><Message>'), Buffer.from([0xff, 0xfe]), Buffer.from('<')]),
    ],
    ['an error', said('x'), 'text/xml', 500],
    ['a refusal', said('x'), 'text/xml', 403],
  ] as const)('%s', async ([, body, type = 'text/xml', status = 200], { client, twilio }) => {
    const [own, phone] = [number(), number()];
    const app = await startApp(body, type, status);
    const smsUrl = `${app.url}/sms`;
    await twilio.incomingPhoneNumbers.create({ phoneNumber: own, smsUrl, smsFallbackUrl: `${app.url}/fallback` });
    const mailbox = await client.mailbox({ phones: [phone] });
    await mailbox.sendSms({ to: own, body: 'Hi' });
    await expect.poll(() => app.paths, { timeout: 10_000 }).toEqual(['/sms', '/fallback']);
    expect((await mailbox.waitForSms()).body).toBe('From the fallback');
    expect((await client.local.searchMessages(mailbox.id)).items).toHaveLength(1);
    await mailbox.delete();
  });
});

describe('an answer that sends', () => {
  test.for([
    ['a byte order mark', `\ufeff<?xml version="1.0" encoding="UTF-8"?>${said('Grüße')}`, 'Grüße'],
    [
      'a verb that is passed over',
      `<Response><Redirect>/x</Redirect><Message>yes</Message><Play>z</Play></Response>`,
      'yes',
    ],
    ['comments and CDATA', said('<!-- no --><Body><![CDATA[a <b> & c]]></Body>'), 'a <b> & c'],
    ['lines that look like header fields', said('a\r\nBcc: c@x.test\r\n\r\nb'), 'a\nBcc: c@x.test\n\nb'],
    ['markup of a page', said('&lt;script&gt;alert(1)&lt;/script&gt;'), '<script>alert(1)</script>'],
    ['no type', said('yes'), 'yes', null],
    ['the type of a page', said('yes'), 'yes', 'text/html; charset=utf-8'],
    ['a text', 'plain <b>', 'plain <b>', 'text/plain'],
    ['a name as the sender', said('yes', ' from="Acme"'), 'yes'],
    ['as long as it may be', said('x'.repeat(1_600)), 'x'.repeat(1_600)],
  ] as const)('%s', async ([, body, expected, type = 'text/xml'], { client, twilio }) => {
    const [own, phone] = [number(), number()];
    const app = await startApp(body, type);
    await twilio.incomingPhoneNumbers.create({ phoneNumber: own, smsUrl: app.url });
    const mailbox = await client.mailbox({ phones: [phone] });
    await mailbox.sendSms({ to: own, body: 'Hi' });
    const sms = await mailbox.waitForSms();
    expect(sms.body.replaceAll('\r\n', '\n')).toBe(expected);
    expect(sms.to).toBe(phone);
    await mailbox.delete();
  });
});

test.for([
  ['digits of another script', { to: '+١٢٠٢٥٥٥٧٧٧٧', body: 'x' }],
  ['half of a surrogate pair', { to: '+12025557777', body: '\ud800' }],
  ['a number that is too long', { to: `+${'1'.repeat(40)}`, body: 'x' }],
  ['a number in a list', { to: ['+12025557777'], body: 'x' }],
  ['eleven media', { to: '+12025557777', media: Array.from({ length: 11 }, () => 'https://acme.test/a') }],
  ['a medium with a line break', { to: '+12025557777', media: ['https://acme.test/a\r\nX: y'] }],
  ['a field that is not there', { to: '+12025557777', body: 'x', text: 'y' }],
  ['the prototype', JSON.parse('{"to":"+12025557777","body":"x","__proto__":{"from":"+1"}}')],
] as const)('a text of a phone is refused: %s', async ([, given], { client, mailcap }) => {
  const mailbox = await client.mailbox({ phones: [number()] });
  const json = JSON.stringify(given).replace('\\\\ud800', '\\ud800');
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${mailcap.apiKey}` };
  const url = `${mailcap.url}/_mailcap/mailboxes/${mailbox.id}/texts`;
  const answer = await fetch(url, { method: 'POST', headers, body: json });
  expect([400, 409]).toContain(answer.status);
  expect((await client.local.searchMessages(mailbox.id)).items).toEqual([]);
  await mailbox.delete();
});
