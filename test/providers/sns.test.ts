import {
  CheckIfPhoneNumberIsOptedOutCommand,
  GetSMSAttributesCommand,
  PublishCommand,
  SetSMSAttributesCommand,
  SNSClient,
} from '@aws-sdk/client-sns';
import { expect } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { test as base, type TestServer } from '../support/mailcap.ts';

function clientOf({ url }: TestServer, accessKeyId: string): SNSClient {
  const credentials = { accessKeyId, secretAccessKey: 'any' };
  return new SNSClient({ region: 'eu-west-1', endpoint: `${url}/providers/sns`, credentials });
}

const test = base
  .extend('sns', ({ mailcap }) => clientOf(mailcap, 'any'))
  .extend('client', ({ mailcap }) =>
    createClient({ baseUrl: mailcap.url, apiKey: mailcap.apiKey, workspaceId: mailcap.workspaceId }),
  );

test('a message to a number is a text message of the mailbox that claims it', async ({ client, sns }) => {
  const mailbox = await client.mailbox({ phones: ['+12025552001'] });
  const text = 'Ваш код 482913 & <мир>';
  const { MessageId } = await sns.send(
    new PublishCommand({
      PhoneNumber: '+1 202 555 2001',
      Message: text,
      MessageAttributes: {
        'AWS.SNS.SMS.SMSType': { DataType: 'String', StringValue: 'Transactional' },
        'AWS.SNS.SMS.SenderID': { DataType: 'String', StringValue: 'ACME' },
      },
    }),
  );
  expect(MessageId).toMatch(/^[0-9a-f-]{36}$/);
  const sms = await mailbox.waitForSms();
  expect(sms).toMatchObject({ from: 'ACME', to: '+12025552001', body: text });
  expect(sms.code()).toBe('482913');
});

test('the SDK asks for opt-outs and attributes', async ({ sns }) => {
  const asked = await sns.send(new CheckIfPhoneNumberIsOptedOutCommand({ phoneNumber: '+12025552002' }));
  expect(asked.isOptedOut).toBe(false);
  const { attributes } = await sns.send(new GetSMSAttributesCommand({}));
  expect(attributes).toEqual({ DefaultSMSType: 'Transactional' });
});

test('attributes that were set are those of the messages that follow', async ({ client, mailcap, sns }) => {
  const workspace = await client.local.createWorkspace({ name: 'Attributes' });
  const { key } = await client.local.createKey(workspace.id);
  const own = clientOf(mailcap, key);
  await own.send(
    new SetSMSAttributesCommand({ attributes: { DefaultSenderID: 'Shop', DefaultSMSType: 'Promotional' } }),
  );
  await own.send(new SetSMSAttributesCommand({ attributes: { MonthlySpendLimit: '20' } }));
  const all = await own.send(new GetSMSAttributesCommand({}));
  expect(all.attributes).toEqual({ DefaultSenderID: 'Shop', DefaultSMSType: 'Promotional', MonthlySpendLimit: '20' });
  const some = await own.send(new GetSMSAttributesCommand({ attributes: ['MonthlySpendLimit', 'None'] }));
  expect(some.attributes).toEqual({ MonthlySpendLimit: '20' });
  const mailbox = await client.mailbox({ phones: ['+12025552004'] });
  await own.send(new PublishCommand({ PhoneNumber: '+12025552004', Message: 'Sale' }));
  const sms = await mailbox.waitForSms();
  expect(sms.from).toBe('Shop');
  expect(await (await mailcap.api(`/_mailcap/messages/${sms.id}/raw`)).text()).toMatch(
    /^X-SNS-SMS-Type: Promotional\r?$/im,
  );
  for (const attributes of [{ DefaultSMSType: 'Loud' }, { DefaultSenderID: 'a name too long' }, { constructor: '1' }]) {
    const refused = own.send(new SetSMSAttributesCommand({ attributes }));
    await expect(refused).rejects.toMatchObject({ name: 'InvalidParameterException' });
  }
  const loud = { 'AWS.SNS.SMS.SMSType': { DataType: 'String', StringValue: 'Loud' } };
  const wrong = own.send(new PublishCommand({ PhoneNumber: '+12025552004', Message: 'x', MessageAttributes: loud }));
  await expect(wrong).rejects.toMatchObject({ name: expect.stringMatching(/^InvalidParameterValue/) });
  expect((await sns.send(new GetSMSAttributesCommand({}))).attributes).toEqual({ DefaultSMSType: 'Transactional' });
});

test.for([
  [{ PhoneNumber: '5552003', Message: 'x' }, 'InvalidParameter'],
  [{ PhoneNumber: '+12025552003', Message: '' }, 'InvalidParameter'],
  [{ PhoneNumber: '+12025552003', Message: 'ä'.repeat(801) }, 'InvalidParameter'],
  [{ TopicArn: 'topic', Message: 'x' }, 'InvalidParameter'],
] as const)('a message is refused with $1, and nothing is stored (%#)', async ([given, code], { client, sns }) => {
  const mailbox = await client.mailbox({ phones: ['+12025552003'] });
  await expect(sns.send(new PublishCommand(given))).rejects.toMatchObject({
    name: expect.stringMatching(new RegExp(`^${code}`)),
    $metadata: { httpStatusCode: 400 },
  });
  expect((await client.local.searchMessages(mailbox.id)).items).toEqual([]);
  await mailbox.delete();
});
