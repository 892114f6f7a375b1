import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import { mailServer, overHttp } from './support.ts';
test('try', async () => {
  const { server, send } = await mailServer();
  const agent = await overHttp(server);
  const { tools } = await agent.client.listTools();
  console.log(JSON.stringify(tools, null, 0), encode(JSON.stringify(tools)).length);
  for (const t of tools) console.log(t.name, encode(JSON.stringify(t)).length, encode(JSON.stringify(t.outputSchema)).length);
  await send({ text: 'Your code is 481516. https://shop.example/verify?token=abc' , html: '<p>Your code is <b>481516</b></p><a href="https://shop.example/verify?token=abc">Verify</a>', attachments: [{filename: 'a.txt', content: 'x'}]});
  for (const [n, g] of [['wait_for_message', {}], ['wait_for_message', {timeout: 1}], ['list_messages', {}], ['create_mailbox', {}], ['diagnose', {subject: 'nope'}], ['get_totp_code', {authenticator: 'JBSWY3DPEHPK3PXP'}], ['wait_for_webhook', {}]] as const) {
    const a = await agent.call(n, g);
    console.log(n, a.isError, encode(a.text).length, a.text);
    if (n === 'list_messages') { const id = (a.data['messages'] as any)[0].message_id; for (const m of ['read_message','check_message']) { const b = await agent.call(m, {message_id: id}); console.log(m, b.isError, encode(b.text).length, b.text); } }
  }
  expect(1).toBe(1);
});
