import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/cli.ts';
import { command } from '../support/command.ts';
import { readPage } from '../support/pages.ts';
import { serverIn } from '../support/server-in.ts';

const docs = async (...args: string[]) => command(['docs', ...args], { cwd: await temporaryDirectory() });

test('mailcap docs lists every page, and prints one, or a part of one, as its source has it', async () => {
  const { stdout: list } = await docs();
  expect(list).toMatch(/^ {2}faults +Make SMTP and HTTP fail on purpose$/m);
  expect((await docs('faults')).stdout.trim()).toBe(readPage('docs/faults.md').trim());
  // A name may be that of the file.
  expect((await docs('faults.md')).stdout).toBe((await docs('faults')).stdout);
  const { stdout: part } = await docs('faults#limits');
  const source = readPage('docs/faults.md');
  expect(part.trim()).toBe(source.slice(source.indexOf('## Limits')).trim());
  // The part below a heading ends at the next of its level, and has those below it.
  const { stdout: jest } = await docs('client#any-test-runner');
  expect(jest).toContain('### Jest');
  expect((await docs('client#jest')).stdout).toMatch(/^### Jest/);
});

test('words are searched in all pages; each result is a name that mailcap docs takes', async () => {
  const { stdout } = await docs('claimed', 'address', 'sign-in');
  const [place = ''] = stdout.split(/\s/);
  expect(place).toMatch(/^claimed-addresses/);
  expect((await docs(place)).stdout).toMatch(/^#/);
  const found = JSON.parse((await docs('claimed', 'address', '--json')).stdout);
  expect(found[0]).toMatchObject({ page: expect.stringMatching(/^claimed-addresses/), titles: expect.any(Array) });
  expect(await docs('vitset')).toMatchObject({ code: 1, stderr: expect.stringContaining('did you mean vitest?') });
  expect(await docs('nothingofthekind')).toMatchObject({ code: 1, stderr: expect.stringContaining('no page has') });
});

test('a part that a page does not have is an error that names those it has', async () => {
  const { code, stderr } = await docs('faults#nowhere');
  expect(code).toBe(2);
  expect(stderr).toContain('it has a-rule, ');
});

test('--open needs a server that runs here, and says so', async () => {
  const cwd = await temporaryDirectory();
  expect(await docs('faults', '--open')).toMatchObject({ code: 4, stderr: expect.stringContaining('none runs here') });
  const server = await serverIn(cwd);
  const opened = await command(['docs', 'faults#limits', '--open'], { cwd, env: { PATH: cwd } });
  expect(opened.stdout).toBe(`${server.url}/docs/faults#limits\n`);
  const searched = await command(['docs', 'wait', 'for', '--open'], { cwd, env: { PATH: cwd } });
  expect(searched.stdout).toBe(`${server.url}/docs/find?q=wait+for\n`);
});
