import { once } from 'node:events';
import { createConnection, createServer } from 'node:net';
import { type DoctorFinding, failed, ok } from './finding.ts';
import { processOnPort } from './process-on-port.ts';

const PATIENCE_MS = 1_000;
/** The names of other mail catchers, as they appear in a greeting or a page. */
const CATCHERS = ['MailDev', 'Mailpit', 'smtp4dev', 'MailHog', 'MailCatcher', 'Inbucket', 'GreenMail', 'Mailtrap'];

/**
 * Checks whether a server could listen on a port. If not, it names the process or program there, if it can be found.
 * `own` is the address of the server that runs here.
 */
export async function checkPort(
  what: 'HTTP' | 'SMTP',
  flag: string,
  host: string,
  port: number,
  own: string | null,
): Promise<DoctorFinding> {
  const name = `${what} port`;
  if (port === 0) return ok(name, 'any free port');
  if (own !== null && portOf(own) === port) return ok(name, `${port}, the server that runs here`);
  const code = await whyNotFree(host, port);
  if (code === null) return ok(name, `${port} is free`);
  if (code === 'EACCES')
    return failed(name, `${port} needs rights that this user does not have.`, `Choose another with ${flag}.`);
  if (code !== 'EADDRINUSE')
    return failed(name, `${host} is not an address of this machine (${code}).`, 'Choose another with --host.');
  const said = await ask(what, host, port);
  const holder = await processOnPort(port);
  const catcher = CATCHERS.find((one) => said.toLowerCase().includes(one.toLowerCase()));
  const who = catcher ?? (/mailcap/i.test(said) ? 'another mailcap' : said.split(/\r?\n/)[0]?.slice(0, 80)) ?? '';
  const by = [who, holder].filter((text) => text).join(', ');
  return failed(
    name,
    `${port} is in use${by === '' ? '' : ` by ${by}`}.`,
    `Stop it, or choose another port with ${flag}; 0 takes any free port.`,
  );
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}

async function whyNotFree(host: string, port: number): Promise<string | null> {
  const probe = createServer();
  try {
    await once(probe.listen(port, host), 'listening');
    await once(probe.close(), 'close');
    return null;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  }
}

/** Returns the first bytes that a listener sends: an SMTP greeting, or the beginning of a page. */
function ask(what: 'HTTP' | 'SMTP', host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    let said = '';
    const socket = createConnection({ host, port, timeout: PATIENCE_MS });
    const finish = () => {
      socket.destroy();
      resolve(said.trim());
    };
    socket.once('timeout', finish).once('error', finish).once('close', finish);
    socket.on('data', (chunk) => {
      said += chunk.toString('latin1');
      if ((what === 'SMTP' && said.includes('\n')) || said.length > 16_384) finish();
    });
    if (what === 'HTTP') socket.write(`GET / HTTP/1.0\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`);
  });
}
