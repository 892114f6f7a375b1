import net from 'node:net';
import { performance } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { openSmtpSession } from './smtp-session.js';

// This program holds thousands of awaits on raw sockets, each for another subject. It prints "waiting" when all are
// sent. Then it wakes one after the other on commands from standard input, and prints the time from the mail's 250 for
// each.

const { port, smtpPort, headers, mailboxes, waiters, wakeUps } = JSON.parse(process.argv[2]);
const headerLines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);

let lost = 0;
const held = [];
for (let index = 0; index < waiters; index += 100) {
  const some = Array.from({ length: Math.min(100, waiters - index) }, (_, offset) => hold(index + offset));
  held.push(...(await Promise.all(some)));
}
console.log(JSON.stringify({ event: 'waiting' }));

for await (const line of createInterface({ input: process.stdin })) {
  if (line !== 'wake') continue;
  const ms = await wakeSome();
  console.log(JSON.stringify({ event: 'woken', ms, lost }));
  process.exit(0);
}

async function wakeSome() {
  const session = await openSmtpSession(smtpPort);
  const ms = [];
  for (let index = 0; index < wakeUps; index++) {
    const waiter = held[Math.floor((index * waiters) / wakeUps)];
    const [at, answeredAt] = await Promise.all([
      session.send({ to: waiter.mailbox.address, subject: waiter.subject }),
      waiter.answered,
    ]);
    ms.push(answeredAt - at);
  }
  session.close();
  return ms;
}

async function hold(index) {
  const mailbox = mailboxes[index % mailboxes.length];
  const subject = `for-waiter-${index}-`;
  const socket = net.connect(port, '127.0.0.1');
  const answered = new Promise((resolve, reject) => {
    socket.once('data', (chunk) => {
      const at = performance.now();
      if (String(chunk).startsWith('HTTP/1.1 200')) resolve(at);
      else reject(new Error(`waiter ${index} got ${String(chunk).split('\r\n')[0]}`));
    });
    socket.once('error', reject);
  });
  answered.catch((error) => {
    lost++;
    console.error(error.message);
  });
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  const path = `/v1/mailboxes/${mailbox.id}/messages/await?timeout=60&subject=${subject}`;
  socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${headerLines.join('')}\r\n`);
  return { mailbox, subject, answered };
}
