import {
  CheckIfPhoneNumberIsOptedOutCommand,
  GetSMSAttributesCommand,
  PublishCommand,
  SNSClient,
} from '@aws-sdk/client-sns';
import { expect } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { test as base } from '../support/mailcap.ts';

const test = base
  .extend('sns', ({ mailcap }) => {
    const credentials = { accessKeyId: 'any', secretAccessKey: 'any' };
    return new SNSClient({ region: 'eu-west-1', endpoint: `${mailcap.url}/providers/sns`, credentials });
  })
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
