import { removeDirectory, temporaryDirectory } from '../processes.js';
import { row } from '../results.js';
import { freePorts, mailcapCommand, maildevCommand, timeToListening } from '../servers.js';
import { median, spread } from '../statistics.js';

export const startUp = {
  name: 'start-up',
  title: 'Process start to listening, empty store',
  tools: [],
  peers: true,
  async run({ runs, say }) {
    const mailcap = [];
    const maildev = [];
    // The first run of each fills the system's file cache and is not counted.
    for (let run = -1; run < runs * 2; run++) {
      const own = await measure(mailcapCommand);
      const peers = await measure(maildevCommand);
      if (run < 0) continue;
      mailcap.push(own);
      maildev.push(peers);
    }
    say(`${runs * 2} starts of each`);
    return {
      rows: [
        row({
          figure: '`mailcap dev` from process start to listening, empty store, against MailDev',
          value: median(mailcap) / median(maildev),
          unit: 'x',
          atMost: 0.4,
          absolute: `mailcap ${spread(mailcap)} ms, MailDev ${spread(maildev)} ms`,
        }),
      ],
      notes: [
        'Start-up: until both the SMTP and the HTTP port accept a connection; `node` is started directly, without npx.',
      ],
    };
  },
};

async function measure(commandOf) {
  const directory = temporaryDirectory();
  const [smtp, http] = await freePorts(2);
  const ports = { smtp, http };
  const ms = await timeToListening(commandOf({ directory, ports }), ports);
  removeDirectory(directory);
  return ms;
}
