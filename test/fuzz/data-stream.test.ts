import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DataStream } from '../../src/smtp/connection.ts';
import { propertyRuns } from '../support/night.ts';

interface Heard {
  readonly commands: string[];
  readonly messages: string[];
}

/**
 * Feeds the pieces to the decoder in turn. With `slow`, the intake has no room at first and the reply to a message
 * is delayed by one turn.
 */
async function hear(pieces: readonly Buffer[], slow = false): Promise<Heard> {
  const heard: Heard = { commands: [], messages: [] };
  const stream = new DataStream({ maxCommandLength: 16 * 1024 });
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
  stream.oncommand = (command, done) => {
    heard.commands.push(command.toString('latin1'));
    if (command.toString() === 'DATA') {
      const content: Buffer[] = [];
      const intake = {
        // The chunk is copied, because the decoder reuses it.
        write: (chunk: Buffer) => {
          content.push(Buffer.from(chunk));
          return slow ? turn() : undefined;
        },
        end: async () => {
          if (slow) await turn();
          heard.messages.push(Buffer.concat(content).toString('latin1'));
          return { code: 250, text: 'ok' };
        },
        abort: () => {},
      };
      stream.receive(intake, () => {});
    }
    done?.();
  };
  for (const piece of pieces) {
    await new Promise<void>((resolve, reject) => {
      stream.write(Buffer.from(piece), (error) => (error ? reject(error) : resolve()));
    });
  }
  return heard;
}

function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const at = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...at]
    .map((from, index) => bytes.subarray(from, at[index] ?? bytes.length))
    .filter(({ length }) => length > 0);
}

const word = fc.constantFrom('a', '.', '..', '\r', '\n', '\0', '\xff', 'RSET', 'DATA', '\r\n', '\n.\n', '\r\n..', ' ');
const content = fc.array(word, { maxLength: 15 }).map((words) => words.join(''));
const commandLine = fc.constantFrom('NOOP', 'RSET', 'EHLO x', '', 'a\tb', '\xe4', '.', 'MAIL FROM:<a@x.test>');
const step = fc.oneof(
  commandLine.map((text) => ({ wire: `${text}\r\n`, command: text, message: null })),
  content.map((text) => {
    const lines = `${text}\r\n`;
    // Dots are stuffed as a client does: in every line that starts after a CRLF.
    const stuffed = lines.replace(/^\.|(?<=\r\n)\./g, '..');
    return { wire: `DATA\r\n${stuffed}.\r\n`, command: 'DATA', message: lines };
  }),
);

test('a session is read as it was sent, however it is cut and however slowly its mail is stored', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 8 }),
      fc.array(fc.nat(500), { maxLength: 30 }),
      fc.boolean(),
      async (steps, places, slow) => {
        const wire = Buffer.from(steps.map((one) => one.wire).join(''), 'latin1');
        const heard = await hear(cut(wire, places), slow);
        expect(heard.commands).toEqual(steps.map((one) => one.command));
        expect(heard.messages).toEqual(steps.flatMap((one) => (one.message === null ? [] : [one.message])));
      },
    ),
    { numRuns: propertyRuns(1_500) },
  );
});

test('a session is also read with every byte in a chunk of its own', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 4 }), async (steps) => {
      const wire = Buffer.from(steps.map((one) => one.wire).join(''), 'latin1');
      const bytes = Array.from({ length: wire.length }, (_, at) => wire.subarray(at, at + 1));
      const heard = await hear(bytes);
      expect(heard.commands).toEqual(steps.map((one) => one.command));
      expect(heard.messages).toEqual(steps.flatMap((one) => (one.message === null ? [] : [one.message])));
    }),
    { numRuns: propertyRuns(200) },
  );
});
