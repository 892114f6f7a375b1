import { sendMail } from '../load.js';
import { checkStored } from '../mailbox.js';
import { peakMegabytes } from '../process-usage.js';
import { row } from '../results.js';
import { startMailcap, startMailDev } from '../servers.js';
import { median, number, spread } from '../statistics.js';

const load = { sessions: 10, bytes: 1024 * 1024, reuse: true };

export const largeMessages = {
  name: 'large-messages',
  title: '1 MB messages, 10 sessions',
  tools: ['smtp-source', '/proc'],
  peers: true,
  async run({ runs, quick, say }) {
    const messages = quick ? 60 : 200;
    const mailcap = [];
    const maildev = [];
    for (let run = 0; run < runs; run++) {
      mailcap.push(await measure(startMailcap, messages));
      maildev.push(await measure(startMailDev, messages));
      say(`run ${run + 1} of ${runs}`);
    }
    const rates = (all) => all.map(({ rate }) => rate);
    const peaks = (all) => all.map(({ peak }) => peak);
    return {
      rows: [
        row({
          figure: '1 MB messages, 10 sessions, against MailDev',
          value: median(rates(mailcap)) / median(rates(maildev)),
          unit: 'x',
          atLeast: 6,
          absolute: `mailcap ${spread(rates(mailcap))}/s, MailDev ${spread(rates(maildev))}/s`,
        }),
        row({
          figure: '1 MB messages, 10 sessions: peak RSS',
          value: Math.max(...peaks(mailcap)),
          unit: ' MB',
          digits: 0,
          atMost: 250,
          absolute: `mailcap ${spread(peaks(mailcap))} MB, MailDev ${number(median(peaks(maildev)))} MB`,
        }),
      ],
      notes: ['Peak RSS is the most of all runs (`VmHWM`), start-up included.'],
    };
  },
};

async function measure(startServer, messages) {
  const server = await startServer();
  try {
    await sendMail({ port: server.smtpPort, ...load, messages: 20 });
    const rate = await sendMail({ port: server.smtpPort, ...load, messages });
    const peak = peakMegabytes(server.pid);
    if (startServer === startMailcap) await checkStored(server, 20 + messages);
    return { rate, peak };
  } finally {
    await server.stop();
  }
}
