import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ROOT } from '../support/pages.ts';

// An app that runs in the process of a server. It is a process of its own here, because whichever undici is loaded first
// makes the connections of the global `fetch` for the rest of the process.

const APP = `
import { createServer } from 'node:http';
import { createTransport } from 'nodemailer';
import { createMailcap } from ${JSON.stringify(pathToFileURL(join(ROOT, 'dist', 'bundle', 'index.js')).href)};

let posted;
const isPosted = new Promise((resolve) => { posted = resolve; });
const app = createServer((request, response) => {
  if (request.url === '/mail') posted();
  request.resume().on('end', () => response.end(request.headers['content-length']));
}).listen(0, '127.0.0.1');
await new Promise((resolve) => app.once('listening', resolve));
const url = \`http://127.0.0.1:\${app.address().port}\`;
const mailcap = await createMailcap({ port: 0, smtpPort: 0, ephemeral: true, mailWebhook: { url: url + '/mail' } });
const transport = createTransport({ host: mailcap.smtp.host, port: mailcap.smtp.port, ignoreTLS: true });
await transport.sendMail({ from: 'a@x.test', to: 'b@inbox.mailcap.example.com', subject: 'Hi', text: 'Hi' });
await isPosted;
// Some SDKs set the header themselves. Node accepts it.
const answer = await fetch(url, { method: 'POST', body: 'abc', headers: { 'Content-Length': '3' } });
console.log(answer.status);
await mailcap.close();
app.close();
app.closeAllConnections();
`;

test("a server that posts to a URL leaves the app's own fetch as Node has it", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', APP], { cwd: ROOT });
  expect(stdout).toBe('200\n');
}, 60_000);
