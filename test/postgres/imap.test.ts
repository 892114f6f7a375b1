import { expect, test } from 'vitest';
import { Client, portIn } from '../imap/support.ts';
import { clusterOfTests } from '../support/cluster-of-tests.ts';
import { NO_POSTGRES } from '../support/postgres-cluster.ts';
import { unless } from '../support/unless.ts';
import { senderTo, twoOn } from './servers.ts';

const cluster = clusterOfTests();

unless(test, NO_POSTGRES)(
  'two servers of one database give the same UIDs, and IDLE of one tells what the other does',
  async () => {
    const [a, b] = await twoOn(cluster.url('imap'), '--imap-port', '0');
    const [first, second] = [
      await Client.connected(portIn(a.ready.imapUrl)),
      await Client.connected(portIn(b.ready.imapUrl)),
    ];
    for (const client of [first, second]) {
      await client.ok('LOGIN inbox any');
      await client.ok('SELECT INBOX');
    }
    const [toA, toB] = [senderTo(a), senderTo(b)];
    first.wire.write('a IDLE\r\n');
    await first.wire.line();
    for (let at = 1; at <= 10; at++) {
      await (at % 2 === 0 ? toA : toB).send(`mail ${at}`);
      expect(await first.wire.line()).toBe(`* ${at} EXISTS`);
      expect(await first.wire.line()).toBe(`* ${at} RECENT`);
    }
    await second.ok('NOOP');
    await second.ok('STORE 3 +FLAGS.SILENT (\\Flagged)');
    expect(await first.wire.line()).toBe('* 3 FETCH (UID 3 FLAGS (\\Recent \\Flagged))');
    await second.ok('STORE 2 +FLAGS.SILENT (\\Deleted)');
    expect(await second.ok('EXPUNGE')).toBe('* 2 EXPUNGE\r\n');
    expect(await first.wire.line()).toBe('* 2 EXPUNGE');
    expect(await first.wire.say('DONE')).toBe('a OK done');
    const validity = /UIDVALIDITY \d+/;
    const [one, other] = [await first.ok('SELECT INBOX'), await second.ok('SELECT INBOX')];
    expect(validity.exec(one)?.[0]).toBe(validity.exec(other)?.[0]);
    expect(one).toContain('[UIDNEXT 11]');
    const numbers = [1, 3, 4, 5, 6, 7, 8, 9, 10].map((uid, at) => `* ${at + 1} FETCH (UID ${uid})\r\n`).join('');
    expect(await first.ok('FETCH 1:* UID')).toBe(numbers);
    expect(await second.ok('FETCH 1:* UID')).toBe(numbers);
    first.wire.close();
    second.wire.close();
  },
);
