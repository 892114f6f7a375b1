import { beforeEach, describe, expect, test } from 'vitest';
import { s3Storage } from '../../src/adapters/s3-storage.ts';
import { readS3Place } from '../../src/config/s3-place.ts';
import { ObjectMissing, type ObjectStorage, ObjectStorageAway } from '../../src/ports/storage.ts';
import { s3OfTests } from '../support/s3-server.ts';

describe('a bucket', () => {
  const s3 = s3OfTests();
  let storage: ObjectStorage;
  beforeEach(async () => {
    s3.proxy.fate = () => 'passed on';
    storage = await s3Storage(readS3Place(s3.place("team/it's"), s3.env));
  });

  const listed = async (prefix: string) => {
    const keys: string[] = [];
    for await (const page of storage.list(prefix)) keys.push(...page.map(({ key }) => key));
    return keys;
  };
  const askedFor = async (act: () => Promise<unknown>) => {
    const from = s3.proxy.seen.length;
    const failure = await act().catch((error: unknown) => error);
    return { failure, requests: s3.proxy.seen.length - from };
  };

  test('an object is read whole and in parts, listed with its age, and deleted', async () => {
    const bytes = Buffer.from(Array.from({ length: 1_000 }, (_, i) => i % 256));
    await storage.put('a/1', bytes);
    await storage.put('b/1', Buffer.alloc(0));
    expect((await storage.get('a/1')).equals(bytes)).toBe(true);
    expect((await storage.get('a/1', { start: 0, length: 1 })).equals(bytes.subarray(0, 1))).toBe(true);
    expect((await storage.get('a/1', { start: 990, length: 10 })).equals(bytes.subarray(990))).toBe(true);
    expect(await storage.get('a/1', { start: 5, length: 0 })).toHaveLength(0);
    expect(await listed('a/')).toEqual(['a/1']);
    for await (const [one] of storage.list('b/')) expect(one?.ageMs).toBeLessThan(60_000);
    await storage.remove(['a/1', 'b/1', 'never/there']);
    expect(await listed('')).toEqual([]);
  });

  test('a missing object or part is an error, and is not requested again', async () => {
    await storage.put('short', Buffer.from('123'));
    for (const [key, range] of [
      ['none', undefined],
      ['short', { start: 2, length: 5 }],
      ['short', { start: 9, length: 1 }],
    ] as const) {
      const { failure, requests } = await askedFor(() => storage.get(key, range));
      expect(failure).toBeInstanceOf(ObjectMissing);
      expect(requests).toBe(1);
    }
  });

  test('a storage that answers with the whole object in place of a part is understood', async () => {
    s3.proxy.fate = () => ({ status: 200, body: '0123456789' });
    expect((await storage.get('x', { start: 3, length: 2 })).toString()).toBe('34');
  });

  test('a list is read page by page, with its keys unchanged', async () => {
    const page = (key: string, more: string) =>
      `<ListBucketResult><IsTruncated>${more !== ''}</IsTruncated><Contents><Key>team/it&apos;s/${key}</Key><LastModified>2026-11-23T09:00:00.000Z</LastModified></Contents><NextContinuationToken>${more}</NextContinuationToken></ListBucketResult>`;
    const asked: string[] = [];
    s3.proxy.fate = ({ path }) => {
      asked.push(path);
      const headers = { date: 'Mon, 23 Nov 2026 09:01:00 GMT' };
      return asked.length === 1
        ? { status: 200, headers, body: page('a&amp;b', 'to+ken/=') }
        : { status: 200, headers, body: page('&#60;c&#62;', '') };
    };
    const all = [];
    for await (const one of storage.list('')) all.push(...one);
    expect(all).toEqual([
      { key: 'a&b', ageMs: 60_000 },
      { key: '<c>', ageMs: 60_000 },
    ]);
    expect(asked).toHaveLength(2);
    expect(new URL(asked[1] ?? '', 'http://x').searchParams.get('continuation-token')).toBe('to+ken/=');
  });

  test('a list whose pages do not end is given up', async () => {
    const body =
      '<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>again</NextContinuationToken></ListBucketResult>';
    s3.proxy.fate = () => ({ status: 200, headers: { date: 'Mon, 23 Nov 2026 09:01:00 GMT' }, body });
    await expect(listed('')).rejects.toThrow('lists the same page again');
  });

  test.each([
    [
      'a busy storage is tried three times',
      { status: 503, body: '<Error><Code>SlowDown</Code></Error>' },
      3,
      '503 SlowDown',
    ],
    ['a cut connection is tried three times', 'lost' as const, 3, 'other side closed'],
    ['a refusal is final', { status: 403, body: '<Error><Code>AccessDenied</Code></Error>' }, 1, '403 AccessDenied'],
  ])('%s', async (_, fate, times, said) => {
    s3.proxy.fate = () => fate;
    const { failure, requests } = await askedFor(() => storage.put('x', Buffer.from('x')));
    expect(failure).toBeInstanceOf(ObjectStorageAway);
    expect(String(failure)).toContain(said);
    expect(String(failure)).not.toContain('S3RVER');
    expect(requests).toBe(times);
  });

  test('a storage that is busy for a moment does not count as away', async () => {
    let left = 2;
    s3.proxy.fate = () =>
      left-- > 0 ? { status: 500, body: '<Error><Code>InternalError</Code></Error>' } : 'passed on';
    await storage.put('moment', Buffer.from('x'));
    expect((await storage.get('moment')).toString()).toBe('x');
  });
});
