import { expect, test } from 'vitest';
import { storageTrouble } from '../../src/store/postgres/connection.ts';

const failure = (fields: object) => Object.assign(new Error('it failed'), fields);

test.each([
  ['a pipe that broke', { code: 'EPIPE', syscall: 'write', errno: -32 }, 'storage_unavailable'],
  ['a connection that was reset', { code: 'ECONNRESET', syscall: 'read' }, 'storage_unavailable'],
  ['a connection that ended', {}, 'storage_unavailable'],
  ['a session that the database ended', { code: '57P01', severity: 'FATAL' }, 'storage_unavailable'],
  ['a transaction that was idle too long', { code: '25P03', severity: 'FATAL' }, 'storage_unavailable'],
  ['a full disk', { code: '53100', severity: 'ERROR' }, 'disk_full'],
])('%s becomes the error of the store', (_, fields, code) => {
  expect(storageTrouble(failure(fields))).toMatchObject({ code });
});

test('a wrong statement is an error of the program, not of the storage', () => {
  const wrong = failure({ code: '42601', severity: 'ERROR' });
  expect(storageTrouble(wrong)).toBe(wrong);
});
