import { expect } from 'vitest';
import { test } from './fixtures.ts';
import { Wire } from './wire.ts';

const SMUGGLED =
  'MAIL FROM:<evil@x.test>\r\nRCPT TO:<victim@inbox.mailcap.example.com>\r\nDATA\r\nSubject: smuggled\r\n\r\nx';

test.for([
  '\n.\n',
  '\n.\r\n',
  '\r\n.\n',
  '\r.\r',
  '\r.\r\n',
  '\r\n.\r',
  '\r\n.\r\r\n',
  '\n\n.\n\n',
  '\r\n\0.\r\n',
  '\r\n.\0\r\n',
])('%j does not end a message: what follows it is content', async (ending, { start }) => {
  const capture = await start();
  const wire = await Wire.hello(capture.port);
  const reply = await wire.mail('a@inbox.mailcap.example.com', `Subject: outer\r\n\r\nbody${ending}${SMUGGLED}`);
  expect(reply).toMatch(/^250 /);
  expect(await wire.say('NOOP')).toMatch(/^250 2\.0\.0 OK/);
  const messages = await capture.messages(capture.inbox);
  expect(messages.map((message) => message.subject)).toEqual(['outer']);
  if (messages[0] !== undefined) {
    // A compliant server removes one leading dot of a line and changes nothing else.
    const kept = ending.replace(/^\r\n\./, '\r\n');
    expect(await capture.raw(messages[0])).toBe(`Subject: outer\r\n\r\nbody${kept}${SMUGGLED}\r\n`);
  }
  wire.close();
});

test('commands that come with the message in one write are read after it, never as part of it', async ({ start }) => {
  const capture = await start();
  const wire = await Wire.hello(capture.port);
  const mail = (n: number) =>
    `MAIL FROM:<a@x.test>\r\nRCPT TO:<b@inbox.mailcap.example.com>\r\nDATA\r\nSubject: ${n}\r\n\r\n..dot\r\n.\r\n`;
  wire.write(`${mail(1)}${mail(2)}${mail(3)}NOOP\r\nQUIT\r\n`);
  const replies: string[] = [];
  for (let n = 0; n < 3 * 4 + 2; n++) replies.push((await wire.reply()).slice(0, 3));
  expect(replies).toEqual([...Array(3).fill(['250', '250', '354', '250']).flat(), '250', '221']);
  const messages = await capture.messages(capture.inbox);
  expect(messages.map((message) => message.subject)).toEqual(['1', '2', '3']);
  if (messages[2] !== undefined) expect(await capture.raw(messages[2])).toBe('Subject: 3\r\n\r\n.dot\r\n');
  wire.close();
});

test('a message that comes byte by byte is the same message', async ({ start }) => {
  const capture = await start();
  const wire = await Wire.hello(capture.port);
  await wire.sayAll('MAIL FROM:<a@x.test>', 'RCPT TO:<b@inbox.mailcap.example.com>', 'DATA');
  const content = 'Subject: slow\r\n\r\n.line\r\n..\r\na\n.\r\nb\r.\r\n';
  const stuffed = content.replace(/(?<=\r\n)\./g, '..');
  for (const byte of `${stuffed}.\r\n`) {
    await new Promise((resolve) => wire.socket.write(byte, resolve));
    await new Promise(setImmediate);
  }
  expect(await wire.reply()).toMatch(/^250 /);
  const [message] = await capture.messages(capture.inbox);
  if (message !== undefined) expect(await capture.raw(message)).toBe(content);
  expect(message?.sizeBytes).toBe(content.length);
  wire.close();
});
