import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { WebSocket } from 'ws';
import { openSmtpSession } from './smtp-session.js';

// This program is one subscriber of the feed. It measures the time from a mail's 250 to its event.

const { feedUrl, smtpPort, mails, warmUp } = JSON.parse(process.argv[2]);
const feed = new WebSocket(feedUrl);
await once(feed, 'open');
let told = () => {};
feed.on('message', (data) => {
  const at = performance.now();
  told(JSON.parse(data).data.subject, at);
});
const session = await openSmtpSession(smtpPort);
const all = [];
for (let index = 0; index < warmUp + mails; index++) {
  const subject = `mail-${index}`;
  const event = new Promise((resolve) => {
    told = (of, at) => of === subject && resolve(at);
  });
  const [from, at] = await Promise.all([session.send({ to: 'user@inbox.mailcap.example.com', subject }), event]);
  // The event may come before the 250 is read.
  if (index >= warmUp) all.push(Math.max(0, at - from));
}
session.close();
feed.terminate();
process.stdout.write(JSON.stringify(all));
