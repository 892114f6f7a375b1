import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { requestAsCurl } from '../../../ui/web/webhooks/request-as.ts';
import { startTarget } from '../../http/hooks.ts';
import { lacking } from '../../support/programs.ts';
import { unless } from '../../support/unless.ts';

const REQUESTS = [
  { title: 'a text with quotes and ends of lines', body: `it's $HOME \`id\`\n{"a": 1}\n`, query: 'a=1&b=%20' },
  { title: 'a text that would end a paste', body: '\u001b[201~rm -rf\r\nä', query: null },
  { title: 'bytes that are no text', body: Buffer.from([0, 255, 39, 10, 37, 92]), query: null },
  { title: 'no body, a path with brackets and an empty header', body: '', path: '/a[1]/{b}', query: null },
] as const;

unless(test, lacking('bash', 'curl')).each(REQUESTS)('curl sends it again: $title', async (given) => {
  const target = await startTarget();
  const path = 'path' in given ? given.path : '/';
  const body = Buffer.from(given.body);
  const headers = [
    ['x-empty', ''],
    ['x-quoted', `"a" 'b' \\`],
  ] as const;
  const { query } = given;
  const command = requestAsCurl({ method: 'PUT', url: `${target.url}/k`, path, query, headers, body });
  // Nothing of the command may act on the terminal that it is pasted into.
  expect(command.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  await promisify(execFile)('bash', ['-c', `${command} --silent --noproxy '*'`]);
  const [sent] = await target.until(1);
  expect(sent).toMatchObject({
    method: 'PUT',
    url: `/k${path === '/' ? '' : path}${query === null ? '' : `?${query}`}`,
  });
  expect(sent?.headers).toMatchObject({ 'x-empty': '', 'x-quoted': `"a" 'b' \\` });
  expect(sent?.body.equals(body)).toBe(true);
});
