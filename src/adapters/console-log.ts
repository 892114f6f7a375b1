import type { Log, LogLevel } from '../ports/system.ts';
import { printedJson } from '../text/harmless.ts';

const RANK: Record<LogLevel, number> = { silent: 0, error: 1, warn: 2, info: 3, debug: 4 };

type Fields = Readonly<Record<string, unknown>>;

/** Creates a log that writes one line per message to standard error. */
export function createLog(level: LogLevel, write: (line: string) => void = toStandardError): Log {
  const at = (own: LogLevel) =>
    RANK[own] > RANK[level]
      ? () => {}
      : (message: string, fields?: Fields) => write(`${writeLine(new Date(), own, message, fields)}\n`);
  return { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') };
}

function toStandardError(line: string): void {
  process.stderr.write(line);
}

function writeLine(time: Date, level: LogLevel, message: string, fields?: Fields): string {
  const pairs = Object.entries(fields ?? {}).map(([name, value]) => ` ${name}=${writeValue(value)}`);
  return visible(`${time.toISOString()} ${level.padEnd(5)} ${message}${pairs.join('')}`);
}

function writeValue(value: unknown): string {
  if (value instanceof Error) return JSON.stringify(value.stack ?? value.message);
  if (typeof value === 'string' && /^[\w.:/@-]+$/.test(value)) return value;
  return JSON.stringify(value) ?? String(value);
}

// Escapes control characters, and what a reader of the log would obey. Text from a client must neither break the line
// nor control the terminal.
function visible(line: string): string {
  return printedJson(line.replace(/\p{Cc}/gu, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`));
}
