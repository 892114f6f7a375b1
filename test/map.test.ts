import { expect, test } from 'vitest';
import { sourceFiles } from './support/boundaries.ts';
import { codeOf, falseClaims } from './support/map-claims.ts';
import { ROOT, readPage } from './support/pages.ts';

const CODE = codeOf(new Map(['src', 'ui', 'plugins'].flatMap((folder) => [...sourceFiles(ROOT, folder)])));
const MAP = readPage('ARCHITECTURE.md');

test('what the map says of folders and files is what the imports say', () => {
  expect(falseClaims(MAP, CODE)).toEqual([]);
});

test.each([
  ['Nothing in `src/domain` imports from another folder.', 'src/domain imports from text'],
  ['`ui/terminal` and `ui/web` import `ui/web/app`, their ports.', 'ui/terminal imports no ui/web/app'],
  ['`ui/terminal` and `ui/web` import `ui/terminal/model/effects.ts`, which they perform.', 'ui/web imports no'],
  ['6. `src/smtp/reply.ts` answers 250.', 'src/smtp/reply.ts answers no 250'],
  ['`src/actions` has one file for each thing that the service does.', 'only files of src/actions import'],
  ['| `src/domain` | Rules | nothing |', 'src/domain: imports otp too'],
  ['| `src/domain` | Rules | `otp`, `ports`, `webhooks` |', 'src/domain: imports no ports'],
  ['| `src/domain` | Rules | `webhooks`; types of `otp` |', 'src/domain: imports more than types of otp'],
  ['| `src/gone` | Nobody | nothing |', 'src/gone is not there'],
  ['`src/smtp/gone.ts` calls `replyTo` in `src/smtp/reply.ts`.', 'src/smtp/gone.ts is not there'],
  ['`src/smtp/reply.ts` calls `respond` in `src/http/exchange.ts`.', 'src/smtp/reply.ts calls no respond'],
  ['`src/smtp/reply.ts` calls `src/http/exchange.ts`.', 'src/smtp/reply.ts calls nothing that has a name'],
  ['`src/smtp/reply.ts` implements `src/ports/store.ts`.', 'src/smtp/reply.ts imports no src/ports/store.ts'],
  ['`src/http/app.ts` imports `src/store/memory.ts`.', 'src/http/app.ts imports no src/store/memory.ts'],
  ['Only `src/http` imports `src/actions`.', 'src/smtp/intake.ts imports src/actions too'],
  [
    '- In `src/domain`, only `src/domain/ids.ts` imports `node:net`.',
    'src/domain/address-list.ts imports node:net too',
  ],
  ['`src/smtp/reply.ts` is a nice file.', 'nothing compares: `src/smtp/reply.ts` is a nice file.'],
])('a false claim of the map is found: %s', (claim, found) => {
  expect(falseClaims(claim, CODE).filter((one) => one.includes(found))).not.toEqual([]);
});

test('the map is read in one sitting', () => {
  const words = MAP.split(/[\s|]+/).filter((word) => /\w/.test(word));
  expect(words.length).toBeLessThan(950);
});

test('the glossary has thirty words in their order, and the code uses each', () => {
  const words = [...readPage('docs/glossary.md').matchAll(/^\| ([a-z ]+) \| /gm)].map(([, word = '']) => word);
  expect(words).toHaveLength(30);
  expect(words).toEqual([...words].sort());
  const names = [...CODE.files.values()].join('\n').toLowerCase();
  expect(words.filter((word) => !names.includes(word) && !names.includes(word.replace(' ', '-')))).toEqual([]);
});
