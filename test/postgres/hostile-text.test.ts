import { expect, test } from 'vitest';
import { arrayOf } from '../../src/store/postgres/pg-driver.ts';
import { NO_POSTGRES, startCluster } from '../support/postgres-cluster.ts';
import { unless } from '../support/unless.ts';
import { call, serveOn } from './servers.ts';

test('a text of a million quotation marks or backslashes is written for the database in no time', () => {
  for (const character of ['"', '\\']) {
    const startedAt = performance.now();
    expect(arrayOf([character.repeat(1_000_000), null, 1, true])).toHaveLength('{"",NULL,1,true}'.length + 2_000_000);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  }
});

unless(test, NO_POSTGRES)('texts with the syntax of arrays come back unchanged', async () => {
  const cluster = await startCluster();
  try {
    const server = await serveOn(cluster.url('texts'));
    const megabyte = '"'.repeat(1_000_000);
    for (const responseBody of ['"', '\\', 'NULL', '{}', '{"a","b"}', '\\"', 'a,b', '\n', megabyte]) {
      const made = await call(server, 'POST', '/v1/webhooks', { responseBody });
      expect(made.status).toBe(201);
      const { id, key } = (await made.json()) as { id: string; key: string };
      const answer = await fetch(`${server.ready.url}/hooks/${key}`);
      expect(await answer.text()).toBe(Buffer.from(responseBody).toString());
      expect((await call(server, 'DELETE', `/v1/webhooks/${id}`)).status).toBe(204);
    }
  } finally {
    cluster.remove();
  }
});
