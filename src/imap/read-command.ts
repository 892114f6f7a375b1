import { type LineConnection, TOO_LONG } from '../reading/line-connection.ts';
import { type AppendStart, NotInGrammar, parseAppendStart } from './grammar.ts';

/** The bytes of a command with its literals, except the message of an `APPEND`. */
const MOST_BYTES = 64 * 1024;
/** The same before the sign-in: room for the 30 pairs of an ID (RFC 2971 3.3). */
const MOST_BYTES_UNKNOWN = 40 * 1024;
/** A literal that nobody waits to be told to send is passed over up to this size. After a larger one the connection ends. */
const MOST_SKIPPED = 64 * 1024 * 1024;

/** What a client sent: a command as text, an `APPEND` whose message comes next, or what can't be taken. */
export type SentCommand =
  | { readonly kind: 'command'; readonly text: string }
  | {
      readonly kind: 'append';
      readonly start: AppendStart;
      readonly bytes: number;
      /** Tells whether the client waits to be told to go on. */
      readonly waits: boolean;
    }
  | { readonly kind: 'wrong'; readonly text: string; readonly why: string }
  /** The client is gone, or has to go. */
  | { readonly kind: 'end' };

const LITERAL = /\{(\d{1,10})(\+?)\}$/;

/** Reads a command with its literals. Null stands for a client that is gone. */
export async function readCommand(connection: LineConnection): Promise<SentCommand> {
  const most = connection.isSignedIn ? MOST_BYTES : MOST_BYTES_UNKNOWN;
  let text = '';
  let why = '';
  for (;;) {
    const line = await connection.readLine(most);
    if (line === null) return { kind: 'end' };
    if (line === TOO_LONG) return { kind: 'wrong', text: text || connection.tooLong, why: 'the command is too long' };
    if (why === '') text += line.toString('latin1');
    const [, size, plus] = LITERAL.exec(line.toString('latin1', Math.max(0, line.length - 20))) ?? [];
    if (size === undefined) return why === '' ? { kind: 'command', text } : { kind: 'wrong', text, why };
    const bytes = Number(size);
    const waits = plus === '';
    if (why === '' && connection.isSignedIn) {
      const before = text.slice(0, text.lastIndexOf('{'));
      try {
        const start = parseAppendStart(before);
        if (start !== null) return { kind: 'append', start, bytes, waits };
      } catch (error) {
        if (!(error instanceof NotInGrammar)) throw error;
        // An APPEND whose mailbox is a literal goes on behind it.
      }
    }
    if (why === '' && text.length + bytes > most) why = 'the command is too long';
    if (why !== '') {
      // Who waits to be told to go on is told no, and sends nothing more of the command.
      if (waits) return { kind: 'wrong', text, why };
      if (bytes > MOST_SKIPPED) return { kind: 'end' };
      for await (const _chunk of connection.readBytes(bytes));
      continue;
    }
    if (waits) await connection.write('+ go on\r\n');
    let literal = '';
    for await (const chunk of connection.readBytes(bytes)) literal += chunk.toString('latin1');
    if (literal.length < bytes) return { kind: 'end' };
    text += `\r\n${literal}`;
  }
}
