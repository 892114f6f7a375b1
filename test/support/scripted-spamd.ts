import { type Script, type ScriptedDaemon, scriptedDaemon } from './scripted-daemon.ts';

const RULER = '---- ---------------------- --------------------------------------------------';

/** Returns an answer in spamd's format. */
export function spamdAnswer(spam: string, rules: readonly string[] = [], above = ''): string {
  const report = ['Spam detection software', above, ' pts rule name              description', RULER, ...rules, '', ''];
  const body = Buffer.from(report.join('\n'));
  return `SPAMD/1.1 0 EX_OK\r\nContent-length: ${body.length}\r\nSpam: ${spam}\r\n\r\n${body.toString('latin1')}`;
}

/** Starts a daemon that reads a request by its Content-length and answers by the script. Its contents are whole requests. */
export function scriptedSpamd(script: Script): Promise<ScriptedDaemon> {
  return scriptedDaemon({ script, contentOf: requestIn });
}

function requestIn(received: Buffer): Buffer | null {
  const head = received.indexOf('\r\n\r\n');
  const [, length] = /Content-length: (\d+)/.exec(received.toString('latin1', 0, Math.max(0, head))) ?? [];
  return head < 0 || received.length < head + 4 + Number(length) ? null : received;
}
