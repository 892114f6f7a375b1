import { Body, Button, CodeInline, Container, Head, Html, Preview, Tailwind, Text } from '@react-email/components';
import { render } from '@react-email/render';
import { expect, test } from 'mailcap/vitest';
import { createElement as h } from 'react';
import { Resend } from 'resend';

const RESET = 'https://shop.example/reset?token=abc&user=ada';

function Welcome({ name, code }) {
  const body = h(
    Body,
    { className: 'bg-white font-sans' },
    h(
      Container,
      null,
      h(Text, null, `Hello ${name},`),
      h(Text, null, 'your code is ', h(CodeInline, null, code), '.'),
      h(Button, { href: RESET, className: 'rounded bg-black px-4 py-2 text-white' }, 'Reset your password'),
      h(Text, null, 'It is valid for 10 minutes. Order 20240117.'),
    ),
  );
  return h(Html, { lang: 'en' }, h(Tailwind, null, h(Head), h(Preview, null, 'Your code for Shop'), body));
}

async function send(fields) {
  const { data, error } = await new Resend('re_any').emails.send({
    from: 'Shop <a@shop.example>',
    subject: 'Hi',
    ...fields,
  });
  if (error) throw new Error(error.message);
  return data.id;
}

const react = h(Welcome, { name: 'Zoë', code: '482913' });

test('Resend renders a component, whose code and link a test gets', async ({ mailbox }) => {
  await send({ to: mailbox.address, react });
  const mail = await mailbox.waitForMessage();
  expect(mail.code()).toBe('482913');
  expect(mail.link('reset').href).toBe(RESET);
  expect(mail.html).toContain('Hello Zoë,');
  expect(mail.html).toContain('padding-left:');
});

test('the text that the app renders itself comes beside the HTML', async ({ mailbox }) => {
  const [html, text] = await Promise.all([render(react), render(react, { plainText: true })]);
  await send({ to: mailbox.address, html, text });
  const mail = await mailbox.waitForMessage();
  expect(mail.text).toBe(text);
  expect(mail.html).toBe(html);
  expect(mail.code()).toBe('482913');
});

test('a batch brings each recipient its own component', async ({ createMailbox }) => {
  const boxes = [await createMailbox(), await createMailbox()];
  const mails = boxes.map(({ address }, index) => ({
    ...{ from: 'a@shop.example', to: address, subject: 'Hi' },
    react: h(Welcome, { name: 'Ada', code: `48291${index}` }),
  }));
  expect((await new Resend('re_any').batch.send(mails)).error).toBeNull();
  expect(await Promise.all(boxes.map((box) => box.waitForCode()))).toEqual(['482910', '482911']);
});
