import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { loadConfig, variableOf } from '../../src/config/load.ts';
import { OPTIONS } from '../../src/config/options.ts';
import type { Served } from '../faults/served.ts';
import { temporaryDirectory } from '../support/cli.ts';
import { clusterOfTests } from '../support/cluster-of-tests.ts';
import { freePort } from '../support/free-port.ts';
import { ROOT } from '../support/pages.ts';
import { NO_POSTGRES } from '../support/postgres-cluster.ts';
import { lacking, PATH } from '../support/programs.ts';
import { unless } from '../support/unless.ts';
import { measured, serveOn } from './servers.ts';

const EXAMPLE = join(ROOT, 'examples', 'several-servers');
const OPTION_NAMES = Object.keys(OPTIONS).map(variableOf);

/** Starts Debian's HAProxy with the configuration of the example. */
async function startBalancer(env: Readonly<Record<string, string>>): Promise<void> {
  const child = spawn('haproxy', ['-db', '-f', join(EXAMPLE, 'haproxy.cfg')], {
    env: { PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text));
  onTestFinished(async () => {
    if (child.exitCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  child.once('exit', (code) => measured(`haproxy ended with ${code}: ${said}`));
}

unless(describe, NO_POSTGRES ?? lacking('haproxy'))('two servers behind HAProxy', () => {
  const cluster = clusterOfTests();

  test('each is restarted in turn under load: nothing is lost, and nothing refused', { timeout: 180_000 }, async () => {
    const url = cluster.url('rolling');
    const [http, smtp] = [await freePort(), await freePort()];
    const places = await Promise.all(
      [0, 1].map(async () => ({ http: String(await freePort()), smtp: String(await freePort()) })),
    );
    const start = (at: number): Promise<Served> => {
      const { http: port = '', smtp: smtpPort = '' } = places[at] ?? {};
      const own = ['--port', port, '--smtp-port', smtpPort];
      return serveOn(
        url,
        ...own,
        '--public-url',
        `http://127.0.0.1:${http}`,
        '--public-smtp',
        `127.0.0.1:${smtp}`,
        '--drain',
        '4',
      );
    };
    const servers = [await start(0), await start(1)];
    const [first] = servers;
    if (first === undefined) throw new Error('no server');
    expect(first.ready).toMatchObject({ url: `http://127.0.0.1:${http}`, smtpPort: smtp });
    await startBalancer({
      BIND_HTTP: `127.0.0.1:${http}`,
      BIND_SMTP: `127.0.0.1:${smtp}`,
      ONE_HTTP: `127.0.0.1:${places[0]?.http}`,
      TWO_HTTP: `127.0.0.1:${places[1]?.http}`,
      ONE_SMTP: `127.0.0.1:${places[0]?.smtp}`,
      TWO_SMTP: `127.0.0.1:${places[1]?.smtp}`,
      ONE_HEALTH_PORT: places[0]?.http ?? '',
      TWO_HEALTH_PORT: places[1]?.http ?? '',
    });
    const get = (path: string) =>
      fetch(`http://127.0.0.1:${http}${path}`, { headers: { authorization: `Bearer ${first.ready.apiKey}` } });
    await vi.waitFor(async () => expect((await get('/_mailcap/health')).status).toBe(200), { timeout: 15_000 });

    let over = false;
    const acknowledged: string[] = [];
    const failures: string[] = [];
    let reads = 0;
    const transport = createTransport({ host: '127.0.0.1', port: smtp, ignoreTLS: true });
    const senders = Array.from({ length: 4 }, async (_, sender) => {
      for (let i = 0; !over; i++) {
        const subject = `${sender}-${i}`;
        await transport.sendMail({ from: 'a@x.test', to: 'b@mailcap.example.com', subject, text: subject }).then(
          () => acknowledged.push(subject),
          (error: unknown) => failures.push(`${subject}: ${String(error)}`),
        );
      }
    });
    const readers = Array.from({ length: 2 }, async () => {
      while (!over) {
        const path = `/v1/mailboxes/${first.ready.mailboxId}/messages?limit=1`;
        const status = await get(path).then(
          (answer) => answer.arrayBuffer().then(() => answer.status),
          (error: unknown) => String(error),
        );
        reads += 1;
        if (status !== 200) failures.push(`read: ${status}`);
      }
    });
    const more = () => {
      const from = acknowledged.length;
      return vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(from + 100), { timeout: 60_000 });
    };
    await more();
    for (const at of [0, 1, 0, 1]) {
      expect(await servers[at]?.end('SIGTERM')).toBe(0);
      await more();
      servers[at] = await start(at);
      await more();
    }
    over = true;
    await Promise.all([...senders, ...readers]);
    const stored = new Set((await firstOf(servers).messages()).map(({ subject }) => subject));
    const missing = acknowledged.filter((subject) => !stored.has(subject));
    measured(
      `four restarts in turn: ${acknowledged.length} mails acknowledged, ${missing.length} missing, ${reads} reads, ${failures.length} failures ${failures.slice(0, 3).join('; ')}`,
    );
    expect({ missing, failures }).toEqual({ missing: [], failures: [] });
  });
});

function firstOf(servers: readonly Served[]): Served {
  const [server] = servers;
  if (server === undefined) throw new Error('no server');
  return server;
}

const Server = z.looseObject({
  build: z.literal('.'),
  environment: z.record(z.string(), z.string()),
  depends_on: z.strictObject({ postgres: z.strictObject({ condition: z.literal('service_healthy') }) }),
});

test('compose.postgres.yaml has two equal servers, and sets options that exist', async () => {
  const compose = z
    .strictObject({
      'x-server': Server,
      services: z.strictObject({ one: Server, two: Server, balancer: z.looseObject({}), postgres: z.looseObject({}) }),
      secrets: z.strictObject({ store: z.strictObject({ environment: z.string() }) }),
      volumes: z.strictObject({ postgres: z.null() }),
    })
    .parse(parse(readFileSync(join(ROOT, 'compose.postgres.yaml'), 'utf8'), { merge: true }));
  const { one, two } = compose.services;
  expect(one).toEqual(two);
  expect(OPTION_NAMES).toEqual(expect.arrayContaining(Object.keys(one.environment)));
  const { MAILCAP_PUBLIC_URL, MAILCAP_PUBLIC_SMTP } = Object.fromEntries(
    Object.entries(one.environment).map(([name, value]) => [name, value.replace(/^\$\{\w+:-(.*)\}$/, '$1')]),
  );
  const config = await loadConfig(
    { publicUrl: MAILCAP_PUBLIC_URL, publicSmtp: MAILCAP_PUBLIC_SMTP },
    {},
    '/',
    'programs',
  );
  expect(config).toMatchObject({ publicUrl: 'http://127.0.0.1:8025', publicSmtp: { host: '127.0.0.1', port: 1025 } });
});

test('the Kubernetes example has readiness, a budget, and options that exist', async () => {
  const documents = parseAllDocuments(readFileSync(join(EXAMPLE, 'kubernetes.yaml'), 'utf8'));
  for (const { errors } of documents) expect(errors).toEqual([]);
  const [deployment, budget, service] = documents.map((document): unknown => document.toJS());
  const labels = { app: 'mailcap' };
  expect(deployment).toMatchObject({
    kind: 'Deployment',
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels } } },
  });
  expect(budget).toMatchObject({ kind: 'PodDisruptionBudget', spec: { selector: { matchLabels: labels } } });
  expect(service).toMatchObject({ kind: 'Service', spec: { selector: labels } });
  const Pod = z.object({
    containers: z.tuple([
      z.object({
        env: z.array(z.object({ name: z.string(), value: z.string() })),
        readinessProbe: z.object({ httpGet: z.object({ path: z.literal('/_mailcap/health'), port: z.string() }) }),
        volumeMounts: z.array(z.object({ name: z.string() })),
      }),
    ]),
    volumes: z.array(z.looseObject({ name: z.string() })),
  });
  const pod = z.object({ spec: z.object({ template: z.object({ spec: Pod }) }) }).parse(deployment).spec.template.spec;
  const [{ env, volumeMounts }] = pod.containers;
  expect(OPTION_NAMES).toEqual(expect.arrayContaining(env.map(({ name }) => name)));
  expect(pod.volumes.map(({ name }) => name)).toEqual(volumeMounts.map(({ name }) => name));
  const cwd = await temporaryDirectory();
  const values = Object.fromEntries(env.map(({ name, value }) => [name, value]));
  await expect(loadConfig({}, values, cwd, 'programs')).rejects.toThrow(
    /--store-file: \/run\/secrets\/mailcap\/store /,
  );
});
