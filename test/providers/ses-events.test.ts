import https from 'node:https';
import * as v1 from '@aws-sdk/client-ses';
import * as v2 from '@aws-sdk/client-sesv2';
import * as sns from '@aws-sdk/client-sns';
import MessageValidator from 'sns-validator';
import { expect, onTestFinished } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { test as base, startServer } from '../support/mailcap.ts';
import { receiver, theOnly } from './support.ts';

const CREDENTIALS = { accessKeyId: 'AKIAANYKEY', secretAccessKey: 'any' };
const options = (endpoint: string) => ({
  ...{ endpoint, region: 'eu-west-1', credentials: CREDENTIALS, maxAttempts: 1 },
  requestHandler: { httpsAgent: new https.Agent({ rejectUnauthorized: false }) },
});
const test = base
  .extend('topics', ({ mailcap }) => new sns.SNSClient(options(`${mailcap.url}/providers/sns`)))
  .extend('ses', ({ mailcap }) => new v2.SESv2Client(options(`${mailcap.url}/providers/ses`)))
  .extend('old', ({ mailcap }) => new v1.SESClient(options(`${mailcap.url}/providers/ses`)));

type Fields = Readonly<Record<string, string>>;
type App = Awaited<ReturnType<typeof receiver>>;

const fieldsAt = ({ requests }: App, at: number): Fields => JSON.parse(requests[at]?.body ?? '{}') as Fields;
const messageAt = (app: App, at: number): unknown => JSON.parse(fieldsAt(app, at)['Message'] ?? 'null');
/** Returns the message of an event by its type. SNS keeps no order. */
const eventNamed = (app: App, type: string): unknown =>
  app.requests
    .flatMap(({ body }): { eventType?: string }[] => {
      const { Message = '' } = JSON.parse(body) as Fields;
      return Message.startsWith('{') ? [JSON.parse(Message) as { eventType?: string }] : [];
    })
    .find(({ eventType }) => eventType === type);
const text = (Data: string) => ({ Data });
const Content = { Simple: { Subject: text('Hi'), Body: { Text: text('Hello') } } };

let topicCount = 0;

/** Makes a topic with an app as its subscriber, which follows the URL of the confirmation. */
async function subscribed(client: sns.SNSClient, app: App, attributes: Fields = {}): Promise<string> {
  const Name = `mail-events-${++topicCount}`;
  const { TopicArn = '' } = await client.send(new sns.CreateTopicCommand({ Name, Attributes: attributes }));
  const asked = new sns.SubscribeCommand({ TopicArn, Protocol: 'http', Endpoint: app.url });
  expect((await client.send(asked)).SubscriptionArn).toBe('pending confirmation');
  await app.received(1);
  const { SubscribeURL = '' } = fieldsAt(app, 0);
  const agent = new https.Agent({ rejectUnauthorized: false });
  if (SubscribeURL.startsWith('https:'))
    await new Promise<void>((done, fail) =>
      https.get(SubscribeURL, { agent }, (res) => res.resume().on('end', done)).on('error', fail),
    );
  else expect((await fetch(SubscribeURL)).status).toBe(200);
  return TopicArn;
}

test('the official validator accepts the confirmation and the events of a mail, with both versions of the signature', async () => {
  await using server = await startServer({ https: 'on' });
  const topics = new sns.SNSClient(options(`${server.url}/providers/sns`));
  const ses = new v2.SESv2Client(options(`${server.url}/providers/ses`));
  // The validator loads the certificate of the signature over HTTPS, which has mailcap’s own certificate here.
  const before = https.globalAgent.options.rejectUnauthorized;
  https.globalAgent.options.rejectUnauthorized = false;
  onTestFinished(() => {
    https.globalAgent.options.rejectUnauthorized = before;
  });
  const validator = new MessageValidator(/^127\.0\.0\.1:\d+$|^localhost:\d+$/);
  const validated = (body: string) =>
    new Promise<Fields>((done, fail) =>
      validator.validate(body, (error, message) => (error ? fail(error) : done(message))),
    );
  for (const SignatureVersion of ['1', '2']) {
    await using app = await receiver();
    const TopicArn = await subscribed(topics, app, { SignatureVersion });
    const ConfigurationSetName = `events-${SignatureVersion}`;
    await ses.send(new v2.CreateConfigurationSetCommand({ ConfigurationSetName }));
    await ses.send(
      new v2.CreateConfigurationSetEventDestinationCommand({
        ConfigurationSetName,
        EventDestinationName: 'app',
        EventDestination: { Enabled: true, MatchingEventTypes: ['SEND'], SnsDestination: { TopicArn } },
      }),
    );
    const ToAddresses = ['success@simulator.amazonses.com'];
    const mail = { FromEmailAddress: 'a@acme.test', Destination: { ToAddresses }, Content, ConfigurationSetName };
    await ses.send(new v2.SendEmailCommand(mail));
    await app.received(2);
    for (const { body } of app.requests) {
      const message = await validated(body);
      expect(message).toMatchObject({ TopicArn, SignatureVersion });
      const forged = JSON.stringify({ ...message, Message: 'forged' });
      await expect(validated(forged)).rejects.toThrow('The message signature is invalid.');
    }
    expect(app.requests.map(({ headers }) => headers['x-amz-sns-message-type'])).toEqual([
      'SubscriptionConfirmation',
      'Notification',
    ]);
  }
});

test('the events of a configuration set tell what became of a mail and what its reader did', async ({
  mailcap,
  mailbox,
  topics,
  ses,
}) => {
  await using app = await receiver();
  const TopicArn = await subscribed(topics, app);
  const ConfigurationSetName = `shop-${mailbox.subdomain}`;
  const EventDestinationName = 'app';
  await ses.send(new v2.CreateConfigurationSetCommand({ ConfigurationSetName }));
  const EventDestination = {
    Enabled: true,
    MatchingEventTypes: ['SEND', 'DELIVERY', 'BOUNCE', 'COMPLAINT', 'OPEN', 'CLICK'] as v2.EventType[],
    SnsDestination: { TopicArn },
  };
  const destination = { ConfigurationSetName, EventDestinationName, EventDestination };
  await ses.send(new v2.CreateConfigurationSetEventDestinationCommand(destination));
  const listed = await ses.send(new v2.GetConfigurationSetEventDestinationsCommand({ ConfigurationSetName }));
  expect(listed.EventDestinations).toMatchObject([{ Name: 'app', ...EventDestination }]);
  const { MessageId } = await ses.send(
    new v2.SendEmailCommand({
      FromEmailAddress: 'Acme <a@acme.test>',
      Destination: { ToAddresses: [`Ada <${mailbox.address()}>`] },
      Content,
      ConfigurationSetName,
      EmailTags: [{ Name: 'campaign', Value: 'welcome' }],
    }),
  );
  await app.received(3);
  const mail = {
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    source: 'a@acme.test',
    sourceArn: 'arn:aws:ses:eu-west-1:123456789012:identity/acme.test',
    sendingAccountId: '123456789012',
    messageId: MessageId,
    destination: [mailbox.address()],
    headersTruncated: false,
    headers: expect.arrayContaining([
      { name: 'From', value: 'Acme <a@acme.test>' },
      { name: 'Subject', value: 'Hi' },
    ]),
    commonHeaders: {
      from: ['Acme <a@acme.test>'],
      to: [`Ada <${mailbox.address()}>`],
      messageId: MessageId,
      subject: 'Hi',
    },
    tags: expect.objectContaining({
      'ses:configuration-set': [ConfigurationSetName],
      'ses:from-domain': ['acme.test'],
      campaign: ['welcome'],
    }),
  };
  expect(fieldsAt(app, 1)['Subject']).toBe('Amazon SES Email Event Notification');
  expect(eventNamed(app, 'Send')).toEqual({ eventType: 'Send', mail, send: {} });
  const timestamp = expect.any(String);
  expect(eventNamed(app, 'Delivery')).toEqual({
    eventType: 'Delivery',
    mail,
    delivery: {
      ...{ timestamp, processingTimeMillis: expect.any(Number), recipients: [mailbox.address()] },
      ...{ smtpResponse: '250 2.0.0 Ok', reportingMTA: expect.any(String) },
    },
  });
  const client = createClient({ baseUrl: mailcap.url, apiKey: mailcap.apiKey, workspaceId: mailcap.workspaceId });
  const { id } = (await theOnly(mailcap, mailbox.id)).facts;
  expect(await client.local.recordInteraction(id, { type: 'opened' })).toMatchObject({ requests: 1 });
  expect(await client.local.recordInteraction(id, { type: 'unsubscribed' })).toMatchObject({ requests: 0 });
  await client.local.recordInteraction(id, { type: 'clicked', link: 'https://acme.test/orders/7' });
  await client.local.recordInteraction(id, { type: 'complained' });
  await app.received(6);
  expect(eventNamed(app, 'Open')).toMatchObject({ eventType: 'Open', mail, open: { ipAddress: '127.0.0.1' } });
  expect(eventNamed(app, 'Click')).toMatchObject({ eventType: 'Click', click: { link: 'https://acme.test/orders/7' } });
  expect(eventNamed(app, 'Complaint')).toMatchObject({
    eventType: 'Complaint',
    complaint: { complainedRecipients: [{ emailAddress: mailbox.address() }], complaintFeedbackType: 'abuse' },
  });
  // The complaint put the address on the suppression list.
  const again = { FromEmailAddress: 'a@acme.test', Destination: { ToAddresses: [mailbox.address()] }, Content };
  await ses.send(new v2.SendEmailCommand({ ...again, ConfigurationSetName }));
  await app.received(8);
  expect(eventNamed(app, 'Bounce')).toMatchObject({
    eventType: 'Bounce',
    bounce: { bounceType: 'Permanent', bounceSubType: 'OnAccountSuppressionList' },
  });
  await ses.send(new v2.DeleteSuppressedDestinationCommand({ EmailAddress: mailbox.address() }));
  // What is removed gets no more.
  await ses.send(new v2.DeleteConfigurationSetEventDestinationCommand(destination));
  await ses.send(new v2.SendEmailCommand({ ...again, ConfigurationSetName }));
  await ses.send(new v2.DeleteConfigurationSetCommand({ ConfigurationSetName }));
  await topics.send(new sns.PublishCommand({ TopicArn, Message: 'the last', Subject: 'Own' }));
  await app.received(9);
  expect(fieldsAt(app, 8)).toMatchObject({ Message: 'the last', Subject: 'Own' });
});

test('version 1 sends the bounces of an identity to its topic, which tries again when the app fails', async ({
  mailcap,
  topics,
  old,
}) => {
  await using app = await receiver((number) => (number === 2 ? 500 : 200));
  const SnsTopic = await subscribed(topics, app);
  await old.send(
    new v1.SetIdentityNotificationTopicCommand({ Identity: 'acme.test', NotificationType: 'Bounce', SnsTopic }),
  );
  const { NotificationAttributes } = await old.send(
    new v1.GetIdentityNotificationAttributesCommand({ Identities: ['acme.test'] }),
  );
  expect(NotificationAttributes?.['acme.test']).toMatchObject({
    BounceTopic: SnsTopic,
    HeadersInBounceNotificationsEnabled: false,
  });
  const { MessageId } = await old.send(
    new v1.SendEmailCommand({
      Source: 'a@acme.test',
      Destination: { ToAddresses: ['bounce@simulator.amazonses.com'] },
      Message: Content.Simple,
    }),
  );
  await app.received(2);
  await mailcap.api('/_mailcap/clock', { method: 'PUT', json: { offsetSeconds: 21 } });
  onTestFinished(async () => {
    await mailcap.api('/_mailcap/clock', { method: 'PUT', json: { offsetSeconds: 0 } });
  });
  await app.received(3);
  expect(app.requests[2]?.body).toBe(app.requests[1]?.body);
  expect(fieldsAt(app, 2)).not.toHaveProperty('Subject');
  const message = messageAt(app, 2);
  expect(message).toMatchObject({
    notificationType: 'Bounce',
    mail: { messageId: MessageId, destination: ['bounce@simulator.amazonses.com'], source: 'a@acme.test' },
    bounce: {
      ...{ bounceType: 'Permanent', bounceSubType: 'General' },
      bouncedRecipients: [
        {
          emailAddress: 'bounce@simulator.amazonses.com',
          ...{ action: 'failed', status: '5.1.1', diagnosticCode: expect.stringContaining('550 5.1.1') },
        },
      ],
    },
  });
  expect(message).not.toHaveProperty('mail.headers');
  await old.send(new v1.SetIdentityNotificationTopicCommand({ Identity: 'acme.test', NotificationType: 'Bounce' }));
});

test('a subscriber can take the message alone, has a password in its URL, and leaves by the URL of a message', async ({
  topics,
}) => {
  await using app = await receiver();
  const TopicArn = await subscribed(topics, app);
  const Endpoint = app.url.replace('://', '://user:p%40ss@');
  const { SubscriptionArn = '' } = await topics.send(
    new sns.SubscribeCommand({
      ...{ TopicArn, Protocol: 'http', Endpoint, ReturnSubscriptionArn: true },
      Attributes: { RawMessageDelivery: 'true' },
    }),
  );
  await app.received(2);
  const { Token } = fieldsAt(app, 1);
  expect(app.requests[1]?.headers.authorization).toBe(`Basic ${Buffer.from('user:p@ss').toString('base64')}`);
  await expect(
    topics.send(new sns.ConfirmSubscriptionCommand({ TopicArn, Token: `${Token?.slice(0, -1)}g` })),
  ).rejects.toMatchObject({ name: 'InvalidParameterException' });
  await topics.send(new sns.ConfirmSubscriptionCommand({ TopicArn, Token }));
  const { Attributes } = await topics.send(new sns.GetSubscriptionAttributesCommand({ SubscriptionArn }));
  expect(Attributes).toMatchObject({ PendingConfirmation: 'false', RawMessageDelivery: 'true', Endpoint });
  await topics.send(new sns.PublishCommand({ TopicArn, Message: 'hello' }));
  await app.received(4);
  const [raw] = app.requests.slice(2).filter(({ headers }) => headers['x-amz-sns-rawdelivery'] === 'true');
  expect(raw?.body).toBe('hello');
  const whole = app.requests.slice(2).find(({ body }) => body !== 'hello');
  const { UnsubscribeURL = '' } = JSON.parse(whole?.body ?? '{}') as Fields;
  expect((await fetch(UnsubscribeURL.replace(/Token=.{8}/, 'Token=00000000'))).status).toBe(200);
  const listOf = async () =>
    (await topics.send(new sns.ListSubscriptionsByTopicCommand({ TopicArn }))).Subscriptions?.map(
      (one) => one.Endpoint,
    );
  expect(await listOf()).toHaveLength(2);
  expect((await fetch(UnsubscribeURL)).status).toBe(200);
  expect(await listOf()).toEqual([Endpoint]);
  await topics.send(new sns.DeleteTopicCommand({ TopicArn }));
  await expect(topics.send(new sns.PublishCommand({ TopicArn, Message: 'x' }))).rejects.toMatchObject({
    name: 'NotFoundException',
  });
});

test.for([
  ['another action than the URLs of a message', '/?Action=ListTopics', 400],
  ['a forged token', '/?Action=ConfirmSubscription&TopicArn=arn:aws:sns:eu-west-1:123456789012:x&Token=00', 400],
  ['the certificate of a workspace that has none', '/SimpleNotificationService-01ARZ3NDEKTSV4RRFFQ69G5FAV.pem', 404],
] as const)('without a key, SNS refuses %s', async ([, path, status], { mailcap }) => {
  expect((await fetch(`${mailcap.url}/providers/sns${path}`)).status).toBe(status);
});

test.for([
  [{ MatchingEventTypes: ['SENT'] }, 'BadRequestException'],
  [{ SnsDestination: { TopicArn: 'arn:aws:sns:eu-west-1:123456789012:none' } }, 'BadRequestException'],
  [{ SnsDestination: undefined }, 'BadRequestException'],
] as const)('an event destination with %j is refused', async ([change, name], { mailbox, topics, ses }) => {
  const ConfigurationSetName = `bad-${mailbox.subdomain}`;
  const { TopicArn } = await topics.send(new sns.CreateTopicCommand({ Name: 'some' }));
  await ses.send(new v2.CreateConfigurationSetCommand({ ConfigurationSetName }));
  const EventDestination = { Enabled: true, MatchingEventTypes: ['SEND'], SnsDestination: { TopicArn }, ...change };
  const given = { ConfigurationSetName, EventDestinationName: 'app', EventDestination };
  await expect(ses.send(new v2.CreateConfigurationSetEventDestinationCommand(given as never))).rejects.toMatchObject({
    name,
  });
  const after = await ses.send(new v2.GetConfigurationSetEventDestinationsCommand({ ConfigurationSetName }));
  expect(after.EventDestinations).toEqual([]);
  await ses.send(new v2.DeleteConfigurationSetCommand({ ConfigurationSetName }));
});
