import { writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { numbered } from './ask.ts';
import { MAILS } from './mails.ts';
import { askPeer, PEERS } from './peers.ts';

// This program records what the real servers answer, for recorded.test.ts. It needs their programs:
//   MAILPIT=/path/to/mailpit MAILHOG=/path/to/MailHog MAILDEV=/path/to/maildev.js MAILDEV2=/path/to/bin/maildev npx jiti test/http/compat/record.ts

for (const [name, peer] of Object.entries(PEERS)) {
  const program = process.env[peer.variable];
  if (program === undefined) continue;
  const { recording, ids } = await askPeer(peer, program, MAILS);
  const path = join(import.meta.dirname, 'recorded', `${name.replace(' ', '-')}.json`);
  const text = JSON.stringify(numbered(recording, ids), null, 1);
  writeFileSync(path, `${text.replaceAll(` by ${hostname()} `, ' by peer.test ')}\n`);
}
