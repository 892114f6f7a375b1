import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { HOSTILE } from './mails.js';

// This program measures the longest time that one mail blocks the event loop, when it is received, listed, fetched,
// scanned for codes, and searched.
//   node bench/hostile/run.js [--only <part of a name>] [<root of another build> ...]

const args = process.argv.slice(2);
const only = args[0] === '--only' ? args.splice(0, 2)[1] : '';
const ROOTS = args.length > 0 ? args : [fileURLToPath(new URL('../..', import.meta.url))];
const PROBE = new URL('./probe.js', import.meta.url).href;

async function start(root) {
  const flags = [
    '--json',
    '--port',
    '0',
    '--smtp-port',
    '0',
    '--limits',
    'off',
    '--ephemeral',
    '--log-level',
    'silent',
  ];
  const child = spawn(process.execPath, ['--import', PROBE, `${root}/bin/mailcap.js`, 'dev', ...flags], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const [line] = await once(createInterface(child.stdout), 'line');
  return { child, ready: JSON.parse(line) };
}

async function held({ child }) {
  child.send({ reset: true });
  const [{ heldMs }] = await once(child, 'message');
  return heldMs;
}

function stuffed(mail) {
  const text = Buffer.isBuffer(mail) ? mail.toString('latin1') : Buffer.from(mail).toString('latin1');
  return Buffer.from(text.startsWith('.') || text.includes('\n.') ? text.replace(/^\./gm, '..') : text, 'latin1');
}

async function deliver({ ready }, mail) {
  const socket = connect(ready.smtpPort, '127.0.0.1');
  const lines = createInterface(socket)[Symbol.asyncIterator]();
  const reply = async () => {
    for (;;) {
      const { value } = await lines.next();
      if (/^\d{3} /.test(value ?? '421 ')) return value;
    }
  };
  const say = (text) => {
    socket.write(text);
    return reply();
  };
  await reply();
  await say('EHLO x\r\n');
  await say('MAIL FROM:<a@x.test>\r\n');
  await say('RCPT TO:<b@x.test>\r\n');
  await say('DATA\r\n');
  socket.write(stuffed(mail));
  const last = await say('\r\n.\r\n');
  socket.destroy();
  return last;
}

async function get({ ready }, path) {
  const response = await fetch(ready.url + path, { headers: { authorization: `Bearer ${ready.apiKey}` } });
  let bytes = 0;
  for await (const chunk of response.body ?? []) bytes += chunk.length;
  return { status: response.status, bytes };
}

for (const root of ROOTS) {
  console.log(
    `\n${root}\n${'mail'.padEnd(48)}${['in', 'list', 'get', 'codes', 'search', 'ms to get'].map((name) => name.padStart(10)).join('')}`,
  );
  for (const [name, make] of HOSTILE) {
    if (!name.includes(only)) continue;
    const server = await start(root);
    const { ready } = server;
    const mail = make();
    await held(server);
    const phases = [];
    const reply = await deliver(server, mail);
    if (!reply.startsWith('250')) {
      console.log(`${name}: ${reply}`);
      server.child.kill();
      continue;
    }
    phases.push(await held(server));
    const inbox = `/v1/mailboxes/${ready.mailboxId}/messages`;
    await get(server, inbox);
    phases.push(await held(server));
    const response = await fetch(ready.url + inbox, { headers: { authorization: `Bearer ${ready.apiKey}` } });
    const [{ id }] = await response.json();
    await held(server);
    const before = performance.now();
    await get(server, `${inbox}/${id}`);
    const took = performance.now() - before;
    phases.push(await held(server));
    await get(server, `/_mailcap/messages/${id}`);
    phases.push(await held(server));
    await get(server, `/_mailcap/mailboxes/${ready.mailboxId}/messages?query=not-there`);
    phases.push(await held(server));
    console.log(name.padEnd(48) + [...phases, took].map((ms) => ms.toFixed(0).padStart(10)).join(''));
    server.child.kill();
    await once(server.child, 'exit');
  }
}
