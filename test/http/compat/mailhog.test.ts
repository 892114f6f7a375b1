import { expect, test as plain } from 'vitest';
import { scriptedRelay } from '../../relay/scripted-relay.ts';
import { startServer } from '../../support/mailcap.ts';
import { putMail } from '../support.ts';

plain('a release goes to --relay for one address, and to no server that the client names', async () => {
  await using relay = await scriptedRelay({ rcpt: (to) => (/^bob/.test(to) ? '550 5.1.1 No Bob' : '250 Ok') });
  await using server = await startServer({ relay: relay.url, compat: ['mailhog'] });
  const { id } = await putMail(server, server.mailboxId, { Subject: 'Released' });
  const servers = (await (await fetch(`${server.url}/api/v2/outgoing-smtp`)).json()) as Record<
    string,
    { Port: string }
  >;
  const [[name = '', outgoing] = []] = Object.entries(servers);
  expect(outgoing).toMatchObject({
    Name: name,
    Host: '127.0.0.1',
    Port: String(new URL(relay.url).port),
    Password: '',
  });
  const release = (body: object) =>
    fetch(`${server.url}/api/v1/messages/${id}/release`, { method: 'POST', body: JSON.stringify(body) });
  expect((await release({ Email: 'ada@elsewhere.test', Name: name })).status).toBe(200);
  expect((await release({ Email: 'ada@elsewhere.test', Host: '127.0.0.1', Port: outgoing?.Port })).status).toBe(200);
  expect(relay.taken).toHaveLength(2);
  for (const body of [
    { Email: 'ada@elsewhere.test', Host: '127.0.0.1', Port: '9' },
    { Email: 'ada@elsewhere.test', Host: '169.254.169.254', Port: outgoing?.Port },
    { Email: 'ada@elsewhere.test', Name: 'other' },
    { Email: 'bob@elsewhere.test' },
    { Email: 'nobody' },
    {},
  ])
    expect([body, (await release(body)).status]).toEqual([body, 400]);
  expect(relay.taken).toHaveLength(2);
  await using plainServer = await startServer({ compat: ['mailhog'] });
  expect(await (await fetch(`${plainServer.url}/api/v2/outgoing-smtp`)).json()).toEqual({});
});

plain('GET /api/v1/events streams each new message, and ends with the server', async () => {
  const server = await startServer({ compat: ['mailhog'] });
  await putMail(server, server.mailboxId, { Subject: 'Before' });
  const stream = await fetch(`${server.url}/api/v1/events`);
  expect(stream.headers.get('content-type')).toBe('text/event-stream');
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const until = async (wanted: RegExp) => {
    for (;;) {
      const found = wanted.exec(text);
      if (found !== null) return found;
      const { done, value } = (await reader?.read()) ?? { done: true, value: '' };
      if (done) throw new Error(`the stream ended with ${text}`);
      text += value;
    }
  };
  await until(/^:\n\n/);
  await putMail(server, server.mailboxId, { Subject: 'First' });
  const [, data = ''] = await until(/^data: (.+)\n\n/m);
  expect(JSON.parse(data)).toMatchObject({ Content: { Headers: { Subject: ['First'] } } });
  await putMail(server, server.mailboxId, { Subject: 'Second' });
  await until(/"Second"/);
  expect(text).not.toContain('Before');
  await server.close();
  await reader?.read().catch(() => {});
});
