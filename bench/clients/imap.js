import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';
import { openSmtpSession } from './smtp-session.js';

// This program reads a mailbox over IMAP, and prints the milliseconds of each command. With `smtpPort` it also waits for
// mail with IDLE, and prints the milliseconds from each 250 to what IDLE tells.

const { port, user, password, commands, smtpPort = null, mails = 0, warmUp = 20 } = JSON.parse(process.argv[2]);

const socket = connect(port, '127.0.0.1').setNoDelay(true);
let tail = '';
let look = () => {};
socket.on('data', (chunk) => {
  // The answer is long, and only its end tells that it is there.
  tail = (tail + chunk.toString('latin1')).slice(-4_000);
  look();
});

function until(is) {
  return new Promise((resolve, reject) => {
    socket.once('close', () => reject(new Error(`the server ended: ${tail}`)));
    look = () => {
      if (is(tail)) resolve();
    };
    look();
  });
}

let tag = 0;
async function say(command) {
  tail = '';
  const name = `t${++tag}`;
  const startedAt = performance.now();
  socket.write(`${name} ${command}\r\n`);
  await until((text) => new RegExp(`(?:^|\\n)${name} [^\\n]*\\n`).test(text));
  const ms = performance.now() - startedAt;
  if (!new RegExp(`(?:^|\\n)${name} OK`).test(tail)) throw new Error(`${command}: ${tail}`);
  return ms;
}

await until((text) => text.includes('\n'));
await say(`LOGIN ${user} ${password}`);
const ms = {};
for (const [name, command] of commands) {
  const took = await say(command);
  ms[name] = [...(ms[name] ?? []), took];
}
const idle = [];
if (smtpPort !== null) {
  const session = await openSmtpSession(smtpPort);
  for (let mail = 0; mail < warmUp + mails; mail++) {
    tail = '';
    socket.write('i IDLE\r\n');
    await until((text) => text.includes('+ '));
    tail = '';
    let toldAt = 0;
    const told = until((text) => text.includes(' EXISTS')).then(() => {
      toldAt = performance.now();
    });
    const sentAt = await session.send({ to: 'user@inbox.mailcap.example.com', subject: `idle ${mail}` });
    await told;
    if (mail >= warmUp) idle.push(toldAt - sentAt);
    tail = '';
    socket.write('DONE\r\n');
    await until((text) => /(?:^|\n)i OK/.test(text));
  }
  session.close?.();
}
socket.end();
process.stdout.write(JSON.stringify({ ms, idle }));
process.exit(0);
