import { createTransport } from 'nodemailer';
import { expect, onTestFinished, test, vi } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { banner } from '../../src/cli/banner.ts';
import { createClient } from '../../src/client/index.ts';
import { createMailcap } from '../../src/index.ts';
import { mailcap, temporaryDirectory } from '../support/cli.ts';
import { command } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';
import { blockOf } from '../support/pages.ts';

// No container engine is needed: the command of each service runs as a process, with the service's variables. The name
// `mailcap` stands for loopback.

const Variables = z.record(z.string(), z.string());
const Compose = z.object({
  services: z.object({
    mailcap: z.object({
      command: z.string(),
      environment: Variables,
      healthcheck: z.object({ test: z.array(z.string()) }),
    }),
    app: z.object({ environment: Variables }),
    tests: z.object({ environment: Variables }),
  }),
});

test('the services of the compose file work together: the app sends, and the tests read with the key and the token', async () => {
  const { services } = Compose.parse(parse(blockOf('docs/docker.md', 'compose')));
  const cwd = await temporaryDirectory();
  const [port, smtpPort] = [await freePort(), await freePort()];
  const here = (text = '') =>
    text.replace('mailcap:8025', `127.0.0.1:${port}`).replace('mailcap:1025', `127.0.0.1:${smtpPort}`);
  const [, words = ''] = /^npx --yes mailcap (.*)$/.exec(services.mailcap.command) ?? [];
  const env = {
    ...services.mailcap.environment,
    MAILCAP_PORT: String(port),
    MAILCAP_SMTP_PORT: String(smtpPort),
    MAILCAP_JSON: '1',
  };
  const running = mailcap(words.split(' '), { cwd, env });
  onTestFinished(() => void running.child.kill());
  await running.ready();

  const [, npx, program, ...check] = services.mailcap.healthcheck.test;
  expect([npx, program]).toEqual(['npx', 'mailcap']);
  expect((await command(check, { cwd, env })).code).toBe(0);

  const { MAILCAP_URL, MAILCAP_API_KEY, MAILCAP_ADMIN_TOKEN } = services.tests.environment;
  const client = createClient({ baseUrl: here(MAILCAP_URL), apiKey: MAILCAP_API_KEY, adminToken: MAILCAP_ADMIN_TOKEN });
  const mailbox = await client.mailbox();
  await createTransport(here(services.app.environment['MAILCAP_SMTP_URL'])).sendMail({
    from: 'app@x.test',
    to: mailbox.address,
    subject: 'Hi',
    text: 'Your code is 234815.',
  });
  expect(await mailbox.waitForCode()).toBe('234815');
  expect((await client.local.getInfo()).smtpPort).toBe(smtpPort);
}, 60_000);

test('commands that name a server on all addresses by its URL and key find its token in .mailcap', async () => {
  const cwd = await temporaryDirectory();
  const running = mailcap(['dev', '--host', '0.0.0.0', '--port', '0', '--smtp-port', '0', '--json'], { cwd });
  onTestFinished(() => void running.child.kill());
  const { url, apiKey } = await running.ready();
  const env = { MAILCAP_URL: url, MAILCAP_API_KEY: apiKey };
  for (const args of [['status'], ['env'], ['reset', '--yes']])
    expect(await command(args, { cwd, env }), args.join(' ')).toMatchObject({ code: 0 });
  expect((await command(['env'], { cwd, env })).stdout).toContain('MAILCAP_ADMIN_TOKEN=');
  // Elsewhere nothing tells the token.
  expect((await command(['status'], { cwd: await temporaryDirectory(), env })).code).not.toBe(0);
}, 60_000);

test('the banner of a server on all addresses names those that containers reach', () => {
  const server = { url: 'http://127.0.0.1:8025', apiUrl: '', apiKey: '', mailDomain: 'x.test', version: '1' };
  const smtp = { smtpHost: '127.0.0.1', smtpPort: 1025, smtpsUrl: null };
  const shown = (host: string) => banner({ ...server, ...smtp }, { adminToken: 't', keys: null, host });
  expect(shown('0.0.0.0')).toContain('http://host.docker.internal:8025 and smtp://host.docker.internal:1025');
  expect(shown('127.0.0.1')).not.toContain('host.docker.internal');
});

test('mailcapWebServer on all addresses tells the tests its token', async () => {
  const names = ['URL', 'API_KEY', 'ADMIN_TOKEN', 'SMTP_URL', 'SMTP_HOST', 'SMTP_PORT', 'RUNNER', 'RUN_STARTED_AT'];
  for (const name of names) vi.stubEnv(`MAILCAP_${name}`, undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { mailcapWebServer } = await import('../../plugins/playwright/web-server.ts');
  const { env } = mailcapWebServer({ host: '0.0.0.0' }) as { env: Record<string, string> }; // an entry with a server
  const { options } = JSON.parse(env['MAILCAP_SERVE'] ?? '');
  expect(process.env['MAILCAP_URL']).toMatch(/^http:\/\/127\.0\.0\.1:/);
  await using server = await createMailcap({ ...options, logLevel: 'silent' });
  expect(server.adminToken).toBe(process.env['MAILCAP_ADMIN_TOKEN']);
  expect((await createClient().local.getInfo()).url).toBe(process.env['MAILCAP_URL']);
});
