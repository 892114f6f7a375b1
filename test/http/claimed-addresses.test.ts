import { createTransport } from 'nodemailer';
import { describe, expect, test as plain } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { Wire } from '../smtp/wire.ts';
import { startServer, type TestMailbox, type TestServer, test } from '../support/mailcap.ts';
import { eventually, messagesIn, sendMail } from '../support/outbound.ts';
import { addWorkspace, json, outcome } from './support.ts';

const CONTENT = 'Subject: x\r\n\r\nbody';
let domains = 0;
/** Returns a domain that no other test claims. */
const aDomain = () => `d${++domains}.example`;

const claim = (server: TestServer, id: string, addresses: unknown) =>
  outcome(server.api(`/_mailcap/mailboxes/${id}/addresses`, { method: 'PUT', json: addresses }));

async function mailTo(server: TestServer, ...recipients: string[]): Promise<string> {
  const wire = await Wire.hello(server.smtp.port);
  const reply = await wire.mail(recipients, CONTENT);
  wire.close();
  return reply;
}

const countIn = async (server: TestServer, { id }: TestMailbox) => (await messagesIn(server, id)).length;

describe('PUT addresses', () => {
  test('directs mail to these addresses, of any domain, into the mailbox, with plus-tags and in any case', async ({
    mailcap,
    mailbox,
  }) => {
    const domain = aDomain();
    expect(await claim(mailcap, mailbox.id, [`alice@${domain}`, `*@acme.${domain}`])).toMatchObject({
      status: 200,
      body: { id: mailbox.id, addresses: [`alice@${domain}`, `*@acme.${domain}`] },
    });
    for (const to of ['alice@', 'ALICE@', 'alice+tag@', '"alice"@']) await mailTo(mailcap, to + domain);
    for (const to of ['bob@acme.', '"a b"@ACME.', 'x+y@acme.']) await mailTo(mailcap, to + domain);
    expect(await countIn(mailcap, mailbox)).toBe(7);
    await mailTo(mailcap, `bob@${domain}`, `alice@below.acme.${domain}`);
    expect(await countIn(mailcap, mailbox)).toBe(7);
  });

  test('wins over the subdomain of another mailbox and over the inbox', async ({ mailcap, mailbox }) => {
    const other = await mailcap.addMailbox();
    await claim(mailcap, mailbox.id, [other.address('alice'), `alice@${mailcap.mailDomain}`]);
    await mailTo(mailcap, other.address('alice'));
    await mailTo(mailcap, `alice@${mailcap.mailDomain}`);
    await mailTo(mailcap, other.address('bob'));
    expect([await countIn(mailcap, mailbox), await countIn(mailcap, other)]).toEqual([2, 1]);
  });

  test('the most specific claim decides, whichever came first: address, without its tag, domain', async ({
    mailcap,
    mailbox,
  }) => {
    const domain = aDomain();
    const [second, third] = [await mailcap.addMailbox(), await mailcap.addMailbox()];
    await claim(mailcap, mailbox.id, [`*@${domain}`]);
    await claim(mailcap, second.id, [`alice@${domain}`]);
    await claim(mailcap, third.id, [`alice+b@${domain}`]);
    await mailTo(mailcap, `carol@${domain}`, `alice+b@${domain}`);
    await mailTo(mailcap, `alice+c@${domain}`);
    await mailTo(mailcap, `alice+B@${domain}`);
    expect(await Promise.all([mailbox, second, third].map((one) => countIn(mailcap, one)))).toEqual([1, 1, 2]);
  });

  test('an address that another mailbox of any workspace claims is 409 address_taken, which names the owner', async ({
    mailcap,
    mailbox,
  }) => {
    const address = `alice@${aDomain()}`;
    const workspace = await addWorkspace(mailcap, { name: 'worker 2', limits: 'off' });
    const { headers } = workspace;
    const holder = await json<{ id: string }>(
      mailcap.api(`/v1/workspaces/${workspace.id}/mailboxes`, { json: { name: 'checkout › pays' }, headers }),
    );
    await claim(mailcap, holder.id, [address]);
    expect(await claim(mailcap, mailbox.id, ['free@x.example', address.toUpperCase()])).toEqual({
      status: 409,
      body: {
        error: 'address_taken',
        address: `ALICE@${address.slice(6)}`,
        mailboxId: holder.id,
        mailboxName: 'checkout › pays',
        workspaceId: workspace.id,
        workspaceName: 'worker 2',
      },
    });
    expect(await json(mailcap.api(`/_mailcap/mailboxes/${mailbox.id}`))).toMatchObject({ addresses: [] });
  });

  test('of two claims of one address at the same time, one succeeds and the other learns the owner', async ({
    mailcap,
    mailbox,
  }) => {
    const other = await mailcap.addMailbox();
    const address = `alice@${aDomain()}`;
    const answers = await Promise.all([mailbox, other].map(({ id }) => claim(mailcap, id, [address])));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  test('replaces the claims of the mailbox; a repeated entry counts once; an empty list releases all', async ({
    mailcap,
    mailbox,
  }) => {
    const domain = aDomain();
    const other = await mailcap.addMailbox();
    await claim(mailcap, mailbox.id, [`a@${domain}`, `b@${domain}`]);
    const again = await claim(mailcap, mailbox.id, [`b@${domain}`, `B@${domain}`, ` c@${domain} `]);
    expect(again).toMatchObject({ body: { addresses: [`b@${domain}`, `c@${domain}`] } });
    expect(await claim(mailcap, other.id, [`a@${domain}`])).toMatchObject({ status: 200 });
    expect(await claim(mailcap, mailbox.id, [])).toMatchObject({ status: 200, body: { addresses: [] } });
    expect(await claim(mailcap, other.id, [`b@${domain}`])).toMatchObject({ status: 200 });
  });

  test.for([
    [{ addresses: ['a@x.test'] }, {}],
    ['a@x.test', {}],
    [['a@x.test', 'x.test'], { index: 1 }],
    [['*.x.test'], { index: 0 }],
    [[5], { index: 0 }],
    [Array.from({ length: 1_001 }, (_, i) => `a${i}@x.test`), {}],
  ] as const)('%j is 400 invalid_addresses', async ([given, extra], { mailcap, mailbox }) => {
    const body = { error: 'invalid_addresses', ...extra };
    expect(await claim(mailcap, mailbox.id, given)).toEqual({ status: 400, body });
  });

  test('of a mailbox that does not exist is 404', async ({ mailcap }) => {
    expect((await claim(mailcap, '01KAH7R0ZD6E4N1KX3M5P7R9S2', [])).status).toBe(404);
  });
});

describe('claims', () => {
  test('end with the mailbox and at a reset', async ({ mailcap, mailbox }) => {
    const address = `alice@${aDomain()}`;
    await claim(mailcap, mailbox.id, [address]);
    await mailcap.api(`/_mailcap/mailboxes/${mailbox.id}`, { method: 'DELETE' });
    const next = await mailcap.addMailbox();
    expect(await claim(mailcap, next.id, [address])).toMatchObject({ status: 200 });
    expect(await claim(mailcap, mailcap.mailboxId, [`*@${aDomain()}`])).toMatchObject({ status: 200 });
    await mailcap.api('/_mailcap/reset', { method: 'POST' });
    expect(await json(mailcap.api(`/_mailcap/mailboxes/${mailcap.mailboxId}`))).toMatchObject({ addresses: [] });
  });

  plain('with catch-all off only what is claimed or below a subdomain is taken', async () => {
    await using server = await startServer({ catchAll: 'off' });
    const mailbox = await server.addMailbox();
    await claim(server, mailbox.id, ['*@acme.test']);
    expect(await mailTo(server, 'x@acme.test')).toMatch(/^250 /);
    const wire = await Wire.hello(server.smtp.port);
    await wire.say('MAIL FROM:<>');
    expect(await wire.say('RCPT TO:<x@other.test>')).toMatch(/^550 5\.1\.1 /);
    wire.close();
    expect(await countIn(server, mailbox)).toBe(1);
  });

  plain('a sign-in wins over them', async () => {
    await using server = await startServer();
    const [mine, other] = [await server.addMailbox(), await server.addMailbox()];
    await claim(server, other.id, ['alice@email.com']);
    const { smtp } = await json<{ smtp: { url: string } }>(server.api(`/_mailcap/mailboxes/${mine.id}`));
    const transport = createTransport(smtp.url);
    await transport.sendMail({ from: 'a@x.test', to: 'alice@email.com', subject: 'x', text: 'y' });
    transport.close();
    expect([await countIn(server, mine), await countIn(server, other)]).toEqual([1, 0]);
  });

  plain('a send to one is delivered into the mailbox that claims it, also where a relay is set', async () => {
    for (const relay of [undefined, 'smtp://127.0.0.1:9']) {
      await using server = await startServer(relay === undefined ? {} : { relay });
      const sender = await server.addMailbox({ allowlist: ['*.acme.test'] });
      const taker = await server.addMailbox();
      await claim(server, taker.id, ['*@acme.test']);
      const { outboundSendId } = await sendMail(server, sender.id, { to: 'ada@acme.test', subject: 'kept' });
      expect(await eventually(server, outboundSendId)).toMatchObject({
        state: 'delivered',
        recipients: [{ address: 'ada@acme.test', state: 'delivered' }],
      });
      expect(await messagesIn(server, taker.id)).toMatchObject([{ subject: 'kept' }]);
    }
  });

  test('are in the answers of the local API, with address and smtp', async ({ mailcap, mailbox }) => {
    const addresses = [`*@${aDomain()}`];
    const client = createClient({ baseUrl: mailcap.url, apiKey: mailcap.apiKey, workspaceId: mailcap.workspaceId });
    const { host, port } = mailcap.smtp;
    const told = {
      id: mailbox.id,
      addresses,
      address: `*@${mailbox.subdomain}.mailcap.example.com`,
      smtp: { url: `smtp://${mailbox.subdomain}:any@${host}:${port}`, host, port, user: mailbox.subdomain },
    };
    expect(await client.local.claimAddresses(mailbox.id, addresses)).toMatchObject(told);
    expect(await client.local.getMailbox(mailbox.id)).toMatchObject(told);
    expect(await client.local.updateMailbox(mailbox.id, {})).toMatchObject(told);
    expect(await client.local.listAllMailboxes()).toContainEqual(expect.objectContaining(told));
    const other = await mailcap.addMailbox();
    await expect(client.local.claimAddresses(other.id, addresses)).rejects.toMatchObject({
      code: 'address_taken',
      status: 409,
      extra: { address: addresses[0], mailboxId: mailbox.id, mailboxName: mailbox.name },
    });
  });
});
