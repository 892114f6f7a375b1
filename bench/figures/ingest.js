import { sendMail } from '../load.js';
import { checkStored } from '../mailbox.js';
import { row } from '../results.js';
import { startMailcap, startMailDev, startSmtpSink } from '../servers.js';
import { median, spread } from '../statistics.js';

// This figure measures the ingest of 10 KB messages by SMTP, with fsync.

const bytes = 10 * 1024;
const WARM_UP = 1000;

const shapes = [
  { title: '50 sessions, reused', peer: 'MailDev', atLeast: 5, sessions: 50, reuse: true, messages: [6000, 6000] },
  { title: '1 session, reused', peer: 'MailDev', atLeast: 1.5, sessions: 1, reuse: true, messages: [2000, 1500] },
  // MailDev delays its greeting, which decides its rate here, whatever the number of mails.
  { title: '10 sessions, new connection each', peer: 'MailDev', atLeast: 25, sessions: 10, messages: [10000, 200] },
  { title: '1 session, new connection each', peer: 'MailDev', atLeast: 50, sessions: 1, messages: [1200, 20] },
  {
    title: '50 sessions, reused',
    peer: 'smtp-sink',
    atLeast: 0.5,
    sessions: 50,
    reuse: true,
    messages: [15000, 15000],
  },
];

export const ingest = {
  name: 'ingest',
  title: 'SMTP ingest, 10 KB',
  tools: ['smtp-source', 'smtp-sink'],
  peers: true,
  async run({ runs, quick, say }) {
    const rates = shapes.map(() => ({ mailcap: [], peer: [] }));
    for (let run = 0; run < runs; run++) {
      for (const [index, shape] of shapes.entries()) {
        const [own, peers] = shape.messages.map((messages) => Math.ceil(messages / (quick ? 3 : 1)));
        rates[index].mailcap.push(await measure(startMailcap, shape, own));
        rates[index].peer.push(await measure(shape.peer === 'MailDev' ? startMailDev : startSmtpSink, shape, peers));
      }
      say(`run ${run + 1} of ${runs}`);
    }
    const rows = shapes.map(({ title, peer, atLeast }, index) => {
      const { mailcap, peer: other } = rates[index];
      return row({
        figure: `SMTP ingest 10 KB against ${peer}: ${title}`,
        value: median(mailcap) / median(other),
        unit: 'x',
        atLeast,
        absolute: `mailcap ${spread(mailcap)}/s, ${peer} ${spread(other)}/s`,
      });
    });
    return {
      rows,
      notes: [
        'Ingest: each run has fresh processes on empty directories, warmed up by 1,000 messages; mailcap with `--durability fsync`, its default.',
      ],
    };
  },
};

async function measure(startServer, { sessions, reuse = false }, messages) {
  const server = await startServer();
  try {
    await sendMail({ port: server.smtpPort, sessions: 20, messages: WARM_UP, bytes, reuse: true });
    const rate = await sendMail({ port: server.smtpPort, sessions, messages, bytes, reuse });
    if (startServer === startMailcap) await checkStored(server, WARM_UP + messages);
    return rate;
  } finally {
    await server.stop();
  }
}
