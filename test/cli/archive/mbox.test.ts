import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fromMbox, type MboxKind, toMbox } from '../../../src/cli/archive/mbox.ts';
import { propertyRuns } from '../../support/night.ts';

const envelope = { sender: 'a@x.test', receivedAt: Date.UTC(2026, 10, 5, 9, 8, 7) };

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(mbox: Buffer, kind: MboxKind = 'mboxrd', size = 7): Promise<string[]> {
  const messages: string[] = [];
  for await (const message of fromMbox(inPieces(mbox, size), kind)) messages.push(message.toString('latin1'));
  return messages;
}

/** Generates content that is special in mbox files. */
const hostile = fc
  .array(
    fc.constantFrom('From ', '>From ', '>>From ', '\n', '\r\n', '\r', '\0', '\xe9', '>', 'From', ' ', 'x', '\n\n'),
    { maxLength: 30 },
  )
  .map((parts) => Buffer.from(parts.join(''), 'latin1'));
const anything = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes));

describe('mboxrd', () => {
  test('messages come back byte for byte, whatever they contain and in whatever pieces they are read', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(hostile, anything), { maxLength: 6 }),
        fc.integer({ min: 1, max: 64 }),
        async (messages, size) => {
          const mbox = Buffer.concat(messages.map((message) => toMbox(message, envelope)));
          expect(await read(mbox, 'mboxrd', size)).toEqual(messages.map((message) => message.toString('latin1')));
        },
      ),
      { numRuns: propertyRuns(500) },
    );
  });

  test('a message in the format', () => {
    const message = Buffer.from('Subject: x\r\n\r\nFrom here\r\n>From there\r\nfrom');
    expect(toMbox(message, envelope).toString()).toBe(
      'From a@x.test Thu Nov  5 09:08:07 2026\nSubject: x\r\n\r\n>From here\r\n>>From there\r\nfrom\n',
    );
  });

  test.each([
    ['', 'From MAILER-DAEMON '],
    ['a b\nFrom c@x.test', 'From abFromc@x.test '],
  ])('the sender %j can not break the separator line', (sender, start) => {
    expect(toMbox(Buffer.from('x\n'), { ...envelope, sender }).toString()).toMatch(
      new RegExp(`^${start}Thu Nov .+\nx\n\n$`),
    );
  });
});

describe('an mbox of other programs', () => {
  test('a blank line after each message belongs to the mbox', async () => {
    const mbox = Buffer.from('From a Thu\nSubject: 1\n\none\n\nFrom b Thu\nSubject: 2\n\ntwo\n\n');
    expect(await read(mbox)).toEqual(['Subject: 1\n\none\n', 'Subject: 2\n\ntwo\n']);
  });

  test('an mbox with CRLF everywhere is read', async () => {
    const mbox = Buffer.from('From a Thu\r\nSubject: 1\r\n\r\none\r\n\r\nFrom b Thu\r\n\r\ntwo\r\n\r\n');
    expect(await read(mbox)).toEqual(['Subject: 1\r\n\r\none\r\n', '\r\ntwo\r\n']);
  });

  test('mboxo removes one quote sign only', async () => {
    const mbox = Buffer.from('From a Thu\n\n>From here\n>>From there\n\n');
    expect(await read(mbox, 'mboxo')).toEqual(['\nFrom here\n>>From there\n']);
    expect(await read(mbox, 'mboxrd')).toEqual(['\nFrom here\n>From there\n']);
  });

  test('text before the first separator is no message', async () => {
    expect(await read(Buffer.from('junk\n'))).toEqual([]);
    expect(await read(Buffer.alloc(0))).toEqual([]);
  });
});
