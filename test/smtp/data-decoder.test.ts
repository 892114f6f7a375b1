import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DataDecoder } from '../../src/smtp/parse.ts';
import { propertyRuns } from '../support/night.ts';

/** A slow reference implementation over the whole input. Returns null if the message does not end. */
function reference(wire: string): { content: string; rest: string } | null {
  let content = '';
  let at = 0;
  while (at < wire.length) {
    const crlf = wire.indexOf('\r\n', at);
    if (crlf < 0) return null;
    const line = wire.slice(at, crlf);
    if (line === '.') return { content, rest: wire.slice(crlf + 2) };
    content += `${line.startsWith('.') ? line.slice(1) : line}\r\n`;
    at = crlf + 2;
  }
  return null;
}

function decode(chunks: readonly string[]): { content: string; rest: string } | null {
  const decoder = new DataDecoder();
  let content = '';
  for (const [index, chunk] of chunks.entries()) {
    const decoded = decoder.decode(Buffer.from(chunk, 'latin1'));
    content += decoded.content.toString('latin1');
    if (decoded.rest === null) continue;
    return { content, rest: decoded.rest.toString('latin1') + chunks.slice(index + 1).join('') };
  }
  return null;
}

function split(wire: string, cuts: readonly number[]): string[] {
  const at = [...new Set(cuts.map((cut) => cut % (wire.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((from, index) => wire.slice(from, at[index] ?? wire.length));
}

const dense = fc.array(fc.constantFrom('\r', '\n', '.', 'a', '\r\n', '\r\n.', '\r\n..', '.\r', '\0', '\xff'), {
  maxLength: 60,
});
const cuts = fc.array(fc.nat(200), { maxLength: 20 });

describe('the end of data', () => {
  test('is found, and dots are removed, however the bytes are cut', () => {
    fc.assert(
      fc.property(dense, dense, cuts, (before, after, where) => {
        const wire = `${before.join('')}\r\n.\r\n${after.join('')}`;
        expect(decode(split(wire, where))).toEqual(reference(wire));
      }),
      { numRuns: propertyRuns(5_000) },
    );
  });

  test('is found with every byte in a chunk of its own', () => {
    fc.assert(
      fc.property(dense, (before) => {
        const wire = `${before.join('')}\r\n.\r\nNOOP\r\n`;
        expect(decode([...wire])).toEqual(reference(wire));
      }),
      { numRuns: propertyRuns(2_000) },
    );
  });

  test('gives exactly the mail of a client that stuffs dots', () => {
    fc.assert(
      fc.property(dense, cuts, (parts, where) => {
        const content = `${parts.join('')}\r\n`;
        const stuffed = content.replace(/^\.|(?<=\r\n)\./g, '..');
        expect(decode(split(`${stuffed}.\r\n`, where))).toEqual({ content, rest: '' });
      }),
      { numRuns: propertyRuns(2_000) },
    );
  });

  test.each([
    '\n.\n',
    '\n.\r\n',
    '\r\n.\n',
    '\r.\r',
    '\r.\r\n',
    '\r\n.\r',
    '\r\n\0.\r\n',
    '\n\n.\r\r\n',
    '\r\n.\r\r\n',
    '\r\n. \r\n',
  ])('is CRLF.CRLF alone: %j never ends a message', (ending) => {
    const wire = `Subject: x\r\n\r\nbody${ending}RCPT TO:<smuggled@x.test>`;
    for (const chunks of [[wire], [...wire]]) expect(decode(chunks)).toBeNull();
  });

  test.each([
    ['an empty message', '.\r\n', ''],
    ['a first line that opens with a dot', '..a\r\n.\r\n', '.a\r\n'],
    ['a dot after a bare LF stays', 'a\n.b\n..c\r\n.\r\n', 'a\n.b\n..c\r\n'],
    ['a dot after a bare CR stays', 'a\r.b\r..c\r\n.\r\n', 'a\r.b\r..c\r\n'],
    ['a lone dot after a bare LF stays', 'a\n.\r\nb\r\n.\r\n', 'a\n.\r\nb\r\n'],
  ])('%s', (_title, wire, content) => {
    for (const chunks of [[wire], [...wire]]) expect(decode(chunks)).toEqual({ content, rest: '' });
  });
});
