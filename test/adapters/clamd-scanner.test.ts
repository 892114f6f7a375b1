import { expect, test, vi } from 'vitest';
import { type Clamd, createClamdScanner } from '../../src/adapters/clamd.ts';
import type { Ulid } from '../../src/domain/ids.ts';
import type { Log } from '../../src/ports/system.ts';

type Verdict = 1 | 2 | 4;

/** Creates a daemon whose scans end when the test says so. */
function heldClamd() {
  const under: { readonly content: string; end(verdict: Verdict | Error): void }[] = [];
  const clamd: Clamd = {
    scan: (content) =>
      new Promise((resolve, reject) => {
        const end = (verdict: Verdict | Error) => (verdict instanceof Error ? reject(verdict) : resolve(verdict));
        under.push({ content: content.toString(), end });
      }),
    close: () => {},
  };
  const logged: string[] = [];
  const at = (level: string) => (message: string) => void logged.push(`${level} ${message}`);
  const log: Log = { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') };
  const scanner = createClamdScanner(clamd, log, 'clamd at a.test, port 1,');
  const scan = (id: string, isWanted = () => true) => scanner.scan(id as Ulid, async () => Buffer.from(id), isWanted); // any text is a good id here
  return { scanner, scan, under, logged };
}

test('an attachment is scanned once, whoever asks for its verdict at the same time or later', async () => {
  const { scan, under } = heldClamd();
  const asked = Array.from({ length: 50 }, () => scan('a'));
  await vi.waitFor(() => expect(under).toHaveLength(1), { timeout: 15_000 });
  under[0]?.end(2);
  expect(new Set(await Promise.all(asked))).toEqual(new Set([2]));
  expect(await scan('a')).toBe(2);
  expect(under).toHaveLength(1);
});

test('a failed scan has status 3 and is tried again; the log reports once that the daemon is away, and once that it is back', async () => {
  const { scan, under, logged } = heldClamd();
  for (const verdict of [new Error('ECONNREFUSED'), new Error('ECONNREFUSED'), 1, new Error('hung up')] as const) {
    const count = under.length;
    const asked = scan(`${verdict === 1 ? 'b' : 'a'}`);
    await vi.waitFor(() => expect(under).toHaveLength(count + 1), { timeout: 15_000 });
    under[count]?.end(verdict);
    expect(await asked).toBe(verdict === 1 ? 1 : 3);
  }
  expect(logged).toEqual([
    'warn clamd at a.test, port 1, gives no verdict (ECONNREFUSED): until it does, attachments have virusScanStatus 3, scan failed',
    'info clamd at a.test, port 1, gives verdicts again',
    'warn clamd at a.test, port 1, gives no verdict (hung up): until it does, attachments have virusScanStatus 3, scan failed',
  ]);
});

test('four scans run at a time, and a scan that nobody waits for any more does not begin', async () => {
  const { scan, under } = heldClamd();
  let waiting = true;
  const first = ['a', 'b', 'c', 'd'].map((id) => scan(id));
  const later = ['e', 'f', 'g'].map((id) => scan(id, () => waiting));
  const shared = scan('g');
  await vi.waitFor(() => expect(under).toHaveLength(4), { timeout: 15_000 });
  waiting = false;
  for (const { end } of [...under]) end(1);
  expect(await Promise.all(first)).toEqual([1, 1, 1, 1]);
  // The second caller still wants g.
  await vi.waitFor(() => expect(under.map(({ content }) => content)).toEqual(['a', 'b', 'c', 'd', 'g']), {
    timeout: 15_000,
  });
  under[4]?.end(4);
  expect(await Promise.all(later)).toEqual([3, 3, 4]);
  expect(await shared).toBe(4);
});

test('an attachment that was deleted before its scan has status 3', async () => {
  const { scanner, under } = heldClamd();
  const gone = async () => null;
  const failing = () => Promise.reject(new Error('no such blob'));
  expect(await scanner.scan('a' as Ulid, gone, () => true)).toBe(3);
  expect(await scanner.scan('b' as Ulid, failing, () => true)).toBe(3);
  expect(under).toEqual([]);
});
