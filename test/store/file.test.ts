import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe } from 'vitest';
import type { Log } from '../../src/ports/system.ts';
import { openFileStore } from '../../src/store/file/store.ts';
import { byDay } from '../support/night.ts';
import { storeSuite } from './suite.ts';
import { textsHere } from './texts/texts.ts';
import { textsSuite } from './texts-suite.ts';

const root = mkdtempSync(join(tmpdir(), 'mailcap-store-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const quiet: Log = { error() {}, warn() {}, info() {}, debug() {} };

// By day `os` has the small segments below.
describe.each(byDay(['fsync', 'os'] as const, (durability) => durability === 'fsync'))(
  'file, durability %s',
  (durability) => {
    storeSuite(() => openFileStore({ directory: mkdtempSync(join(root, 's-')), durability }, quiet));
  },
);

// The same specification holds with small segments, while the log moves from file to file.
describe('file, segments of 64 KiB', () => {
  storeSuite(() =>
    openFileStore({ directory: mkdtempSync(join(root, 's-')), durability: 'os', segmentBytes: 65_536 }, quiet),
  );
});

describe('file, prepared texts', () => {
  textsSuite(() =>
    openFileStore({ directory: mkdtempSync(join(root, 's-')), durability: 'os', startTexts: textsHere }, quiet),
  );
});
