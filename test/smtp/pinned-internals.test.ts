import { describe, expect } from 'vitest';
import { missingInternals, WRITTEN_FOR } from '../../src/smtp/connection.ts';
import { ofOneServer } from '../support/one-server.ts';
import { unless } from '../support/unless.ts';
import { test } from './fixtures.ts';
import { Wire } from './wire.ts';

const TO = 'a@inbox.mailcap.example.com';

test(`the installed smtp-server is ${WRITTEN_FOR} and has every internal method that the fast server is pinned to: if this fails, read \
its changes to connect, init, the parser and DATA before raising WRITTEN_FOR`, () => {
  expect(missingInternals()).toEqual([]);
});

describe('with an smtp-server that is not as expected', () => {
  const missing = ['SMTPConnection.init'];

  unless(test, ofOneServer('its log'))('a warning is logged that names what is missing', async ({ start }) => {
    const capture = await start({ missing });
    expect(capture.logged).toEqual([expect.objectContaining({ level: 'warn', fields: { missing } })]);
  });

  test('mail is still captured, large and small, in the clear and over TLS', async ({ start }) => {
    const capture = await start({ missing });
    const wire = await Wire.hello(capture.port);
    const large = `Subject: x\r\n\r\n${'y'.repeat(70).concat('\r\n').repeat(3_000)}`;
    expect(await wire.mail(TO, 'Subject: x\r\n\r\n..body')).toMatch(/^250 2\.0\.0 Ok: /);
    expect(await wire.mail(TO, large)).toMatch(/^250 2\.0\.0 Ok: /);
    await wire.startTls();
    await wire.say('EHLO again.test');
    expect(await wire.mail(TO, 'Subject: x\r\n\r\nover TLS')).toMatch(/^250 /);
    const messages = await capture.messages(capture.inbox);
    const contents = await Promise.all(messages.map((message) => capture.raw(message)));
    expect(contents).toEqual(['Subject: x\r\n\r\n.body\r\n', `${large}\r\n`, 'Subject: x\r\n\r\nover TLS\r\n']);
    wire.close();
  });

  test('refusals still carry their codes', async ({ start }) => {
    const capture = await start({ missing, config: { smtpSize: 1_000, catchAll: 'off' } });
    const wire = await Wire.hello(capture.port);
    expect(await wire.mail(TO, 'x'.repeat(5_000))).toMatch(/^552 5\.3\.4 /);
    await wire.say('MAIL FROM:<a@x.test>');
    expect(await wire.say('RCPT TO:<x@example.com>')).toMatch(/^550 5\.1\.1 /);
    wire.close();
  });

  test('close ends within its grace', async ({ start }) => {
    const capture = await start({ missing });
    const wire = await Wire.hello(capture.port);
    await capture.close(50);
    await wire.ended();
  });
});
