import { expect, test, vi } from 'vitest';
import { type Ownership, otherWriter } from '../src/ownership.ts';
import { ON_WINDOWS } from './support/platform.ts';
import { unless } from './support/unless.ts';

/** An id that no user and no group of a machine has. */
const ME = 4_000_000_001;
const FILE: Ownership = { uid: ME, gid: ME, mode: 0o100_644 };

/** Asks as the user with an id. */
function asUser(uid: number, file: Partial<Ownership>): string | null {
  const getuid = vi.spyOn(process, 'getuid').mockReturnValue(uid);
  try {
    return otherWriter({ ...FILE, ...file });
  } finally {
    getuid.mockRestore();
  }
}

unless(test, ON_WINDOWS).each<[string, Partial<Ownership>, string | null]>([
  ['its owner alone', {}, null],
  ['root beside its owner', { uid: 0 }, null],
  ['another user', { uid: 1 }, 'user 1 owns it'],
  ['everybody', { mode: 0o100_646 }, 'every user may write to it'],
  ['everybody, with a sticky bit', { mode: 0o041_777 }, 'every user may write to it'],
  ['a group of more than one user', { gid: 100, mode: 0o100_664 }, 'group 100 may write to it'],
  ["the user's own group, as with a umask of 002", { mode: 0o100_664 }, null],
])('a file that can be written by %s', (_, file, writer) => {
  expect(asUser(ME, file)).toBe(writer);
});

unless(test, ON_WINDOWS)('the group of root is not a group of one user', () => {
  expect(asUser(0, { uid: 0, gid: 0, mode: 0o100_664 })).toBe('group 0 may write to it');
});
