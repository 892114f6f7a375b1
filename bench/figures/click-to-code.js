import { createServer } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { findTool } from '../load.js';
import { told } from '../results.js';
import { startMailcap, startMailDev } from '../servers.js';
import { median, number, percentile, spread } from '../statistics.js';

const POLL_MS = 500;

export const clickToCode = {
  name: 'click-to-code',
  title: 'From `page.click` to the code in hand',
  tools: ['chromium'],
  peers: true,
  async run({ runs, quick, say }) {
    const [{ chromium }, { createClient }] = await Promise.all([import('@playwright/test'), import('mailcap/client')]);
    const [mailcap, maildev] = await Promise.all([startMailcap({ args: ['--ephemeral'] }), startMailDev()]);
    const browser = await chromium.launch({ executablePath: findTool('chromium'), args: ['--no-sandbox'] });
    const times = { mailcap: [], maildev: [] };
    try {
      const client = createClient({ baseUrl: mailcap.url, apiKey: mailcap.apiKey });
      const page = await browser.newPage();
      const inHand = {
        mailcap: async () => {
          const mailbox = await client.mailbox();
          return { address: mailbox.address, wait: () => mailbox.waitForCode() };
        },
        maildev: async (at) => {
          const address = `user-${at}@shop.test`;
          return { address, wait: () => polled(maildev.httpUrl, address) };
        },
      };
      const apps = { mailcap: await startApp(mailcap.smtpPort), maildev: await startApp(maildev.smtpPort) };
      const rounds = quick ? 10 : 30;
      for (let at = 0; at < runs * rounds; at++) {
        for (const name of ['mailcap', 'maildev']) {
          const { address, wait } = await inHand[name](at);
          await page.goto(`${apps[name].url}/?to=${address}`);
          const startedAt = performance.now();
          await page.click('button');
          const code = await wait();
          times[name].push(performance.now() - startedAt);
          if (code !== codeOf(address)) throw new Error(`${name}: ${code} is not the code of ${address}`);
        }
      }
      say(`${runs * rounds} clicks each`);
      for (const app of Object.values(apps)) app.close();
    } finally {
      await browser.close();
      await Promise.all([mailcap.stop(), maildev.stop()]);
    }
    const tell = (ms) => `${spread(ms, 1)} ms, p99 ${number(percentile(ms, 99), 1)} ms`;
    return {
      rows: [
        told({
          figure: 'From `page.click` to the code in hand, of the time a suite takes that polls MailDev every 500 ms',
          value: median(times.mailcap) / median(times.maildev),
          absolute: `${tell(times.mailcap)} against ${tell(times.maildev)}`,
        }),
      ],
      notes: [
        'Click to code: one browser, one app for both, which mails after it answered, taking turns; the poll looks at once and then every 500 ms.',
      ],
    };
  },
};

/** Polls the list of mails, as most test suites do. */
async function polled(url, address) {
  for (;;) {
    const mails = await (await fetch(`${url}/api/email`)).json();
    const mail = mails.find(({ to }) => to.some((one) => one.address === address));
    if (mail !== undefined) return /\b\d{6}\b/.exec(mail.text)?.[0];
    await setTimeout(POLL_MS);
  }
}

/** Starts an app with a page whose button mails a code. */
async function startApp(smtpPort) {
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({ host: '127.0.0.1', port: smtpPort, ignoreTLS: true });
  const server = createServer(async (request, response) => {
    const to = new URL(request.url, 'http://app').searchParams.get('to');
    response.setHeader('Content-Type', 'text/html');
    response.end('<form method="post"><button>Send</button></form>');
    // The mail is sent after the answer, as from a queue.
    if (request.method !== 'POST') return;
    const text = `Your code is ${codeOf(to)}.`;
    await transport.sendMail({ from: 'app@shop.test', to, subject: 'Your code', text });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

function codeOf(address) {
  let sum = 7;
  for (const character of address) sum = (sum * 31 + character.charCodeAt(0)) % 900_000;
  return String(100_000 + sum);
}
