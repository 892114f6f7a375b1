import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createTransport } from 'nodemailer';
import { expect, onTestFinished, test } from 'vitest';
import { serve } from '../faults/served.ts';
import { temporaryDirectory } from '../support/cli.ts';
import { scriptedSpamd, spamdAnswer } from '../support/scripted-spamd.ts';
import { attacked } from './attacked.ts';

const MAILS = 20;
const AT_ONCE = 200;
/** The most processor time in milliseconds that may pass before health is answered: beside other tests twice as much. */
const MOST_HELD_MS = 400;

type Answer = { status: number; body: unknown };

/** Starts a site that has some of the addresses that a mail names. */
async function site(): Promise<string> {
  const server = createServer((req, res) => {
    res.statusCode = req.url?.startsWith('/gone') ? 410 : 200;
    res.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo; // a TCP server has an address
  return `http://127.0.0.1:${port}`;
}

/** A mail as a shop sends it: a table with styles, pictures and links. */
function newsletter(nth: number, url: string): string {
  const row = `<tr><td style="display:grid;padding:4px"><a href="${url}/ok/${nth}">go</a><img src="${url}/gone/${nth}"></td></tr>`;
  return `<style>.a{gap:${nth}px}</style><table>${row.repeat(100)}</table><video src="${url}/ok/v"></video>`;
}

test(`${AT_ONCE} checks of Mailpit's API at once, while mail comes, are true or told as unfinished, and keep nobody waiting`, {
  timeout: 240_000,
}, async () => {
  await using daemon = await scriptedSpamd((socket, content) => {
    const spam = content.toString('latin1').includes('Subject: mail 3');
    socket.end(spamdAnswer(spam ? 'True ; 7.0 / 5.0' : 'False ; 1.0 / 5.0', [' 1.0 SOME_RULE       A rule']));
  });
  const served = await serve(await temporaryDirectory(), '--spamd', daemon.address);
  onTestFinished(async () => void (await served.end('SIGKILL')));
  const url = await site();
  const app = createTransport({ host: '127.0.0.1', port: served.ready.smtpPort, pool: true });
  onTestFinished(() => app.close());
  const send = (subject: string, html: string) => app.sendMail({ from: 'a@x.test', to: 'b@x.test', subject, html });
  for (let nth = 0; nth < MAILS; nth++) await send(`mail ${nth}`, newsletter(nth, url));
  const ids = (await served.messages()).map(({ id }) => id);
  expect(ids).toHaveLength(MAILS);
  const asked = ids.flatMap((id) =>
    ['html-check', 'link-check', 'sa-check'].map((check) => `/api/v1/message/${id}/${check}`),
  );
  const get = async (path: string): Promise<Answer> => {
    const answer = await fetch(served.ready.url + path);
    const text = await answer.text();
    return { status: answer.status, body: answer.ok ? JSON.parse(text) : text };
  };
  const alone = new Map<string, Answer>();
  for (const path of asked) alone.set(path, await get(path));
  for (const [path, { status }] of alone) expect(status, path).toBe(200);
  const links = [...alone].filter(([path]) => path.endsWith('link-check')).map(([, { body }]) => body);
  expect(links[0]).toMatchObject({ Errors: 1 });

  let finished = 0;
  let taken = 0;
  const { heldMs } = await attacked(served, `${AT_ONCE} checks of Mailpit's API at once`, async () => {
    let isOver = false;
    const incoming = Array.from({ length: 4 }, async (_, at) => {
      for (let nth = 0; !isOver; nth++) {
        await send(`new ${at}-${nth}`, newsletter(nth, url));
        taken++;
      }
    });
    for (let round = 0; round < 3; round++) {
      const paths = Array.from({ length: AT_ONCE }, (_, nth) => asked[(nth * 7 + round) % asked.length] ?? '');
      const answers = await Promise.all(paths.map(async (path) => ({ path, ...(await get(path)) })));
      for (const { path, ...answer } of answers) {
        // A check that took too long on a busy machine says so.
        if (answer.status === 503) continue;
        expect(answer, path).toEqual(alone.get(path));
        finished++;
      }
    }
    isOver = true;
    await Promise.all(incoming);
  });
  expect(finished).toBeGreaterThan(AT_ONCE);
  expect(taken).toBeGreaterThan(0);
  expect(await served.messages()).toHaveLength(MAILS + taken);
  expect(heldMs).toBeLessThan(MOST_HELD_MS);
});
