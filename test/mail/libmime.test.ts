import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Runs statements in a new process, in which no module of the mail is loaded, and returns the JSON they print. */
function inNewProcess(statements: string): unknown {
  const program = `
    import { createRequire } from 'node:module';
    import { libmime, importMailparser, missingModules } from './dist/src/mail/late-packages.js';
    const path = createRequire(import.meta.resolve('libmime')).resolve('encoding-japanese');
    const japaneseIsLoaded = () => 'detect' in (createRequire(import.meta.url).cache[path]?.exports ?? {});
    const print = (value) => console.log(JSON.stringify(value));
    ${statements}`;
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', program], { cwd: ROOT }).toString());
}

test('encoding-japanese is loaded with the first Japanese text, by libmime', () => {
  const seen = inNewProcess(`
    const before = [libmime().decodeWords('=?utf-8?Q?=C3=A9?='), japaneseIsLoaded()];
    const texts = [1, 2].map(() => libmime().decodeWords('=?iso-2022-jp?B?GyRCRnxLXDhsGyhC?='));
    print([...before, ...texts, japaneseIsLoaded()]);`);
  expect(seen).toEqual(['é', false, '日本語', '日本語', true]);
});

test('encoding-japanese is loaded with the first Japanese text, by mailparser', () => {
  const seen = inNewProcess(`
    const { simpleParser } = await importMailparser();
    const before = japaneseIsLoaded();
    const head = Buffer.from('Content-Type: text/plain; charset=iso-2022-jp\\r\\n\\r\\n');
    const { text } = await simpleParser(Buffer.concat([head, Buffer.from('GyRCRnxLXDhsGyhC', 'base64')]));
    print([before, text, japaneseIsLoaded()]);`);
  expect(seen).toEqual([false, '日本語', true]);
});

test('the modules that a header needs are listed until they are loaded', () => {
  const seen = inNewProcess(`
    const count = (text) => missingModules(Buffer.from(text)).length;
    const counts = ['Subject: a', 'Subject: =?utf-8?Q?a?=', 'Subject: =?ISO-2022-JP?B?a?='].map(count);
    for (const load of missingModules(Buffer.from('Subject: =?utf-8?Q?a?='))) load();
    counts.push(count('Subject: =?utf-8?Q?a?='), count('Subject: =?ISO-2022-JP?B?a?='));
    for (const load of missingModules(Buffer.from('Subject: =?jis?B?a?='))) load();
    counts.push(count('Subject: =?ISO-2022-JP?B?a?='));
    print([...counts, japaneseIsLoaded()]);`);
  expect(seen).toEqual([0, 1, 2, 0, 1, 0, true]);
});
