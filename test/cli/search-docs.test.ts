import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { SEARCH_WORDS } from '../../src/text/search-words.ts';
import { temporaryDirectory } from '../support/cli.ts';
import { blocksOf } from '../support/pages.ts';
import { lacking } from '../support/programs.ts';
import { serverIn } from '../support/server-in.ts';
import { unless } from '../support/unless.ts';

const exec = promisify(execFile);
const ROOT = join(import.meta.dirname, '..', '..');
const PAGE = readFileSync(join(ROOT, 'docs', 'search.md'), 'utf8');
const blockOf = (mark: string) => blocksOf(PAGE).find((block) => block.mark === mark)?.text ?? '';

test('docs/search.md names every search word', () => {
  for (const { word, values = [''] } of SEARCH_WORDS)
    for (const value of values) expect(PAGE).toContain(`\`${word}${value}`);
});

unless(test, lacking('bash', 'curl'))('the examples of docs/search.md do what it says', async () => {
  const cwd = await temporaryDirectory();
  const { url, mailboxId } = await serverIn(cwd, { limits: 'off' });
  const put = async (raw: string) => {
    const headers = { 'Content-Type': 'message/rfc822' };
    await fetch(`${url}/_mailcap/mailboxes/${mailboxId}/messages`, { method: 'POST', headers, body: raw });
  };
  const run = async (script: string) => {
    const program = `${process.execPath} ${join(ROOT, 'bin', 'mailcap.js')}`;
    const text = script.replaceAll('npx mailcap', program).replaceAll('http://127.0.0.1:8025', url);
    return (await exec('bash', ['-ec', text], { cwd, env: { ...process.env, NO_COLOR: '1' } })).stdout;
  };
  await put('From: Shop <hello@shop.example>\nSubject: Your code\n\nYour code is 481516.\n');
  await put('From: Else <x@else.example>\nSubject: Your order\n\nThanks.\n');
  await put('From: Else <x@else.example>\nSubject: Newsletter\n\nNews.\n');
  const [list = '', excluding = '', remove = ''] = blockOf('search').trim().split('\n');
  expect((await run(list)).match(/Your \w+/g)).toEqual(['Your code']);
  expect((await run(excluding)).match(/Your \w+/g)).toEqual(['Your order']);
  await run(remove);
  const left = (await run('npx mailcap messages list')).match(/Your \w+|Newsletter/g);
  expect(left).toEqual(['Your order', 'Your code']);

  const answer = JSON.parse(await run(blockOf('curl')));
  const told = JSON.parse(blockOf('answer'));
  expect(answer).toMatchObject({ items: [{ subject: 'Your code' }], total: 1, complete: true, next: null });
  expect(Object.keys(answer)).toEqual(Object.keys(told));
  expect(Object.keys(answer.items[0])).toEqual(Object.keys(told.items[0]));
  const refused = await fetch(`${url}/_mailcap/messages?query=form:ada`);
  expect(await refused.json()).toEqual(JSON.parse(blockOf('refused')));
});
