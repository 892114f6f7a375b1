import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { GenericContainer } from 'testcontainers';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { MailcapContainer, type StartedMailcapContainer } from '../../plugins/testcontainers/index.ts';
import { makeProject } from '../plugins/project.ts';
import { DOCKERFILE, imageConfig } from '../support/dockerfile.ts';
import { type FakeEngine, startFakeEngine } from '../support/fake-engine.ts';
import { blockOf } from '../support/pages.ts';

// MAILCAP_TEST_IMAGE names an image of the Dockerfile on an engine that DOCKER_HOST leads to. Without it an engine of
// this process answers, which runs no container: a server of this process has the variables of one.

const IMAGE = process.env['MAILCAP_TEST_IMAGE'];
const image = IMAGE ?? 'mailcap:test';
let engine: FakeEngine | null = null;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'mailcap-engine-'));
  process.env['TESTCONTAINERS_RYUK_DISABLED'] = 'true';
  if (IMAGE !== undefined) return;
  engine = await startFakeEngine(directory);
  process.env['DOCKER_HOST'] = engine.url;
});
afterAll(async () => {
  await engine?.close();
  await rm(directory, { recursive: true, force: true });
});

async function started(container = new MailcapContainer(image)): Promise<StartedMailcapContainer> {
  const running = await container.start();
  onTestFinished(async () => {
    await running.stop();
  });
  return running;
}

describe('a container of testcontainers', () => {
  test('takes mail at its SMTP URL, and its client reads it', async () => {
    const mailcap = await started();
    const mailbox = await mailcap.client().mailbox();
    const app = createTransport(`${mailcap.getSmtpUrl()}?ignoreTLS=true`);
    await app.sendMail({ from: 'a@x.test', to: mailbox.address, subject: 'Your code', text: 'Your code is 234815.' });
    expect(await mailbox.waitForCode({ subject: 'your code' })).toBe('234815');
    expect(mailcap.getSmtpUrl()).toBe(`smtp://${mailcap.getSmtpHost()}:${mailcap.getSmtpPort()}`);
    expect(mailcap.getApiUrl()).toBe(`${mailcap.getUrl()}/v1`);
  });

  test('captures webhooks at a URL that this machine reaches', async () => {
    const mailcap = await started();
    const webhook = await mailcap.client().webhook();
    expect(webhook.url.startsWith(`${mailcap.getUrl()}/hooks/`)).toBe(true);
    await fetch(webhook.url, { method: 'POST', body: '{"paid":true}' });
    expect((await webhook.waitForRequest()).json()).toEqual({ paid: true });
  });

  test('has the given domain, key and token, and refuses other keys', async () => {
    const wished = new MailcapContainer(image)
      .withMailDomain('mail.example')
      .withApiKey('svc_live_ci')
      .withAdminToken('admin-token-of-ci');
    const mailcap = await started(wished);
    expect([mailcap.getApiKey(), mailcap.getAdminToken()]).toEqual(['svc_live_ci', 'admin-token-of-ci']);
    expect((await mailcap.client().mailbox()).address).toMatch(/\.mail\.example$/);
    await expect(mailcap.client({ apiKey: 'svc_live_other' }).listMailboxes()).rejects.toMatchObject({ status: 401 });
    expect((await fetch(`${mailcap.getUrl()}/_mailcap/info`)).status).toBe(401);
  });

  test('has its own random key if none is given', async () => {
    const [one, other] = await Promise.all([started(), started()]);
    expect(one.getApiKey()).not.toBe(other.getApiKey());
    await expect(one.client({ apiKey: other.getApiKey() }).listMailboxes()).rejects.toMatchObject({ status: 401 });
  });

  test('applies its fault rules from the start', async () => {
    const rule = { stage: 'rcpt', action: { reply: '451 4.7.1 try later' }, times: 1 } as const;
    const mailcap = await started(new MailcapContainer(image).withFaults([rule]));
    const app = createTransport(`${mailcap.getSmtpUrl()}?ignoreTLS=true`);
    const send = () => app.sendMail({ from: 'a@x.test', to: 'b@x.test', subject: 'Hi', text: 'Hello.' });
    await expect(send()).rejects.toThrow('451');
    await send();
  });

  test('is stopped if a rule is wrong', async () => {
    const before = engine?.left;
    const wrong = new MailcapContainer(image).withFaults([{ stage: 'rcpt', action: {} }]);
    await expect(wrong.start()).rejects.toMatchObject({ code: 'invalid_faults' });
    expect(engine?.left).toBe(before);
  });

  test('that ends at its start is an error at once, with its log', async () => {
    const wrong = new MailcapContainer(image).withEnvironment({ MAILCAP_LIMITS: 'some' });
    await expect(wrong.start()).rejects.toThrow(/MAILCAP_LIMITS.*expected/s);
  });

  test('hands its variables to the fixtures and the app', async () => {
    const mailcap = await started();
    expect(mailcap.getVariables()).toEqual({
      MAILCAP_URL: mailcap.getUrl(),
      MAILCAP_API_KEY: mailcap.getApiKey(),
      MAILCAP_ADMIN_TOKEN: mailcap.getAdminToken(),
      MAILCAP_SMTP_URL: mailcap.getSmtpUrl(),
      MAILCAP_SMTP_HOST: mailcap.getSmtpHost(),
      MAILCAP_SMTP_PORT: String(mailcap.getSmtpPort()),
      MAILCAP_WEBHOOK_BASE_URL: `${mailcap.getUrl()}/hooks`,
      RESEND_BASE_URL: `${mailcap.getUrl()}/providers/resend/`,
      RESEND_API_URL: `${mailcap.getUrl()}/providers/resend`,
      AWS_ENDPOINT_URL_SES: `${mailcap.getUrl()}/providers/ses`,
      AWS_ENDPOINT_URL_SESV2: `${mailcap.getUrl()}/providers/ses`,
      AWS_ENDPOINT_URL_SNS: `${mailcap.getUrl()}/providers/sns`,
    });
  });

  test('the program of docs/testcontainers.md prints the code', async () => {
    const project = await makeProject();
    onTestFinished(project.remove);
    const program = blockOf('docs/testcontainers.md', 'testcontainers');
    await project.write('test.mjs', program.replace('registry.example.com/mailcap', image));
    const { DOCKER_HOST = '', TESTCONTAINERS_HOST_OVERRIDE = '127.0.0.1' } = process.env;
    const env = { DOCKER_HOST, TESTCONTAINERS_HOST_OVERRIDE, TESTCONTAINERS_RYUK_DISABLED: 'true' };
    expect(await project.node(['test.mjs'], env).exit).toMatchObject({ code: 0, stdout: '234815\n' });
  });

  test('that is reused needs a fixed key and token', async () => {
    await expect(new MailcapContainer(image).withReuse().start()).rejects.toThrow('withApiKey');
  });
});

// Plain JavaScript passes anything. What is empty would count as none in the container alone.
test.each<[string, (given: never) => unknown]>([
  ['the image', (given) => new MailcapContainer(given)],
  ['withApiKey', (given) => new MailcapContainer(image).withApiKey(given)],
  ['withAdminToken', (given) => new MailcapContainer(image).withAdminToken(given)],
  ['withMailDomain', (given) => new MailcapContainer(image).withMailDomain(given)],
  ['withFaults', (given) => new MailcapContainer(image).withFaults(given)],
])('%s refuses what is empty or of another type before anything starts', (what, make) => {
  for (const given of ['', ' ', null, undefined, 7]) expect(() => make(given as never)).toThrow(`${what}`);
});

// A real engine has variables of its own.
if (IMAGE === undefined) {
  test('a container exposes the ports of the image and asks it for nothing that its owner did not set', async () => {
    const container = new MailcapContainer(image).withEnvironment({ MAILCAP_PLAN: 'free', MAILCAP_LIMITS: 'cloud' });
    expect(container).toBeInstanceOf(GenericContainer);
    await started(container);
    const { ExposedPorts: exposed = {}, Env: env = [] } = engine?.asked.at(-1) ?? {};
    const ports = imageConfig(DOCKERFILE).ports.map((port) => `${port}/tcp`);
    expect(Object.keys(exposed).sort()).toEqual(ports.sort());
    const names = env.map((pair) => pair.split('=')[0]);
    expect(names.sort()).toEqual([
      'MAILCAP_ADMIN_TOKEN',
      'MAILCAP_API_KEY',
      'MAILCAP_EPHEMERAL',
      'MAILCAP_LIMITS',
      'MAILCAP_PLAN',
    ]);
    expect(env).toEqual(expect.arrayContaining(['MAILCAP_LIMITS=cloud', 'MAILCAP_EPHEMERAL=true']));
  });
}
