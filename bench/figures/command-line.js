import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import nodemailer from 'nodemailer';
import { told } from '../results.js';
import { startMailcap } from '../servers.js';
import { median, spread } from '../statistics.js';

const BIN = fileURLToPath(new URL('../../bin/mailcap.js', import.meta.url));

export const commandLine = {
  name: 'command-line',
  title: 'The command line',
  tools: [],
  peers: false,
  async run({ runs, say }) {
    const server = await startMailcap();
    const figures = { help: [], env: [], wait: [] };
    try {
      const env = { ...process.env, MAILCAP_URL: server.url, MAILCAP_API_KEY: server.apiKey };
      // The first run of each fills the system's file cache and is not counted.
      for (let run = -1; run < runs * 4; run++) {
        const measured = {
          help: await timeOf(['--help'], env),
          env: await timeOf(['env'], env),
          wait: await waitForCode(server, env),
        };
        if (run >= 0) for (const [name, ms] of Object.entries(measured)) figures[name].push(ms);
      }
    } finally {
      await server.stop();
    }
    say(`${runs * 4} runs of each`);
    const inMs = (figure, values) =>
      told({ figure, value: median(values), unit: ' ms', digits: 0, absolute: `${spread(values)} ms` });
    return {
      rows: [
        inMs('`mailcap messages wait --code`: `sendMail()` to the code printed', figures.wait),
        inMs('`mailcap --help`, process start to end', figures.help),
        inMs('`mailcap env`, process start to end', figures.env),
      ],
      notes: [
        'Command line: `node` is started directly, without npx; the wait is held by the server before the mail is sent.',
      ],
    };
  },
};

async function timeOf(args, env) {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [BIN, ...args], { env, stdio: 'ignore' });
  await once(child, 'close');
  return performance.now() - startedAt;
}

async function waitForCode({ url, smtpPort }, env) {
  const args = ['messages', 'wait', '--code', '--to', 'bench', '--since', new Date().toISOString()];
  const child = spawn(process.execPath, [BIN, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const printed = once(child.stdout, 'data');
  while ((await waitersOf(url)) === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const transport = nodemailer.createTransport({ host: '127.0.0.1', port: smtpPort, ignoreTLS: true });
  const startedAt = performance.now();
  await transport.sendMail({
    from: 'app@example.com',
    to: 'bench@inbox.mailcap.example.com',
    subject: 'Sign in',
    text: 'Your code is 481516.',
  });
  const [chunk] = await printed;
  const ms = performance.now() - startedAt;
  if (`${chunk}` !== '481516\n') throw new Error(`it printed ${chunk}`);
  await once(child, 'close');
  return ms;
}

async function waitersOf(url) {
  const { counts } = await (await fetch(`${url}/_mailcap/info`)).json();
  return counts.waiters;
}
