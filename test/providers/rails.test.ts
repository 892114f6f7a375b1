import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import Mailgun from 'mailgun.js';
import nodemailer from 'nodemailer';
import { ServerClient } from 'postmark';
import { expect } from 'vitest';
import { startServer, type TestServer, test } from '../support/mailcap.ts';
import { BY_DAY } from '../support/night.ts';
import { runs } from '../support/programs.ts';
import { unless } from '../support/unless.ts';

/** The fields of a mail that the mailbox of the app tells. */
interface Told {
  readonly [field: string]: unknown;
}

/** Starts the Rails app with an ingress. */
async function railsApp(ingress: string, env: Readonly<Record<string, string>>) {
  const child = spawn('ruby', [join(import.meta.dirname, 'rails.rb')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env, INGRESS: ingress, RAILS_ENV: 'production' },
  });
  const lines = createInterface(child.stdout);
  const told: Told[] = [];
  const [first] = (await once(lines, 'line')) as [string];
  lines.on('line', (line) => told.push(JSON.parse(line) as Told));
  const { port } = JSON.parse(first) as { port: number };
  return {
    told,
    urlOf: (credentials: string, path = '') =>
      `http://${credentials}127.0.0.1:${port}/rails/action_mailbox/${ingress}/inbound_emails${path}`,
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await once(child, 'exit');
    },
  };
}

const PASSWORD = { RAILS_INBOUND_EMAIL_PASSWORD: 'secret' };
const BASIC = 'actionmailbox:secret@';

/** How the mail of a domain is brought to an ingress of the app, as the guide of Rails has it. */
const INGRESSES = {
  sendgrid: async ({ url }: TestServer, hostname: string) => {
    const app = await railsApp('sendgrid', PASSWORD);
    await fetch(`${url}/providers/sendgrid/v3/user/webhooks/parse/settings`, {
      method: 'POST',
      headers: { authorization: 'Bearer any', 'content-type': 'application/json' },
      body: JSON.stringify({ hostname, url: app.urlOf(BASIC), send_raw: true }),
    });
    return app;
  },
  mailgun: async ({ url }: TestServer, domain: string) => {
    const authorization = `Basic ${Buffer.from('api:any').toString('base64')}`;
    const answer = await fetch(`${url}/providers/mailgun/v5/accounts/http_signing_key`, { headers: { authorization } });
    const { http_signing_key: key } = (await answer.json()) as { http_signing_key: string };
    const app = await railsApp('mailgun', { MAILGUN_INGRESS_SIGNING_KEY: key });
    const mailgun = new Mailgun(FormData).client({ username: 'api', key: 'any', url: `${url}/providers/mailgun` });
    const expression = `match_recipient(".*@${domain}")`;
    await mailgun.routes.create({ priority: 0, expression, action: [`forward("${app.urlOf('', '/mime')}")`] });
    return app;
  },
  postmark: async ({ url }: TestServer, InboundDomain: string) => {
    const app = await railsApp('postmark', PASSWORD);
    const requestHost = `${new URL(url).host}/providers/postmark`;
    const client = new ServerClient('any', { useHttps: false, requestHost });
    await client.editServer({ InboundHookUrl: app.urlOf(BASIC), InboundDomain, RawEmailEnabled: true });
    return app;
  },
};

function lackingRails(): string | null {
  const parts = ['rails', 'active_storage/engine', 'action_mailbox/engine', 'sqlite3', 'rack/handler/webrick'];
  const hasAll = runs('ruby', parts.map((name) => `-r${name}`).concat('-e', ''));
  return hasAll ? null : 'ruby-rails or ruby-sqlite3 is not installed here';
}

unless(test, BY_DAY ?? lackingRails()).for([
  ['sendgrid', ['support+7@rails.acme.test']],
  ['mailgun', ['support+7@rails.acme.test']],
  ['postmark', []],
] as const)(
  'Rails’ Action Mailbox takes the mail that %s brings',
  { timeout: 120_000 },
  async ([ingress, original]) => {
    await using mailcap = await startServer();
    await using app = await INGRESSES[ingress](mailcap, 'rails.acme.test');
    const transport = nodemailer.createTransport({ ...mailcap.smtp, secure: false });
    const { messageId } = await transport.sendMail({
      ...{ from: 'Zoë <zoe@sender.test>', to: 'support+7@rails.acme.test', subject: 'Grüße ✓' },
      ...{ text: 'Ja, gern – für 5 €.', html: '<p>Ja, gern.</p>' },
      attachments: [{ filename: 'Grüße.bin', content: Buffer.from([0xff, 0, 0x0d, 0x0a]) }],
    });
    await expect.poll(() => app.told, { timeout: 30_000 }).toHaveLength(1);
    expect(app.told).toEqual([
      {
        ...{ from: ['zoe@sender.test'], to: ['support+7@rails.acme.test'], subject: 'Grüße ✓', original },
        ...{ id: messageId.slice(1, -1), text: 'Ja, gern – für 5 €.', files: [['Grüße.bin', 4]] },
      },
    ]);
    await expect.poll(() => mailcap.ctx.store.read.providerRecords.due()).toEqual([]);
  },
);
