import { parseUlid, type WorkspaceId } from '../../domain/ids.ts';
import { keyOfRecord, type ProviderRecord } from '../../domain/provider.ts';
import type { Reader, Tx } from '../../ports/store.ts';
import { isUrl } from '../../text/url.ts';
import { ACCOUNT, awsRegionOf, type QueryActions, type QueryForm } from '../aws.ts';
import { newSecret, newUuid, nowOf } from '../calls.ts';
import type { DoorAnswer, DoorCall } from '../door.ts';
import { queueEvent } from '../events.ts';
import { getRecord, listRecords, putRecord, type RecordScope, removeRecord } from '../records.ts';
import { allRecords } from '../resources.ts';
import { done, invalid, refuseSns } from './form.ts';
import { keepKey, newKey, type SnsMessage, signingKey, snsRequest, type TopicSubscription } from './notifications.ts';

// The topics of SNS and their subscribers over HTTP: https://docs.aws.amazon.com/sns/latest/dg/sns-http-https-endpoint-as-subscriber.html

/** The subscribers of the topics of a workspace, at most. */
const MOST_SUBSCRIPTIONS = 50;
/** The largest message in bytes. */
const MOST_BYTES = 256 * 1024;
const TOPIC_NAME = /^[\w-]{1,256}$/;

/** The key of a topic's record: its region and name. Null if a text is no name of a topic. */
function topicKey(arn: string | undefined): string | null {
  const [, region, name] = /^arn:aws:sns:([a-z0-9-]{1,40}):\d{12}:([\w-]{1,256})$/.exec(arn ?? '') ?? [];
  return region === undefined ? null : `${region} ${name ?? ''}`;
}

function arnOf(topic: ProviderRecord): string {
  return `arn:aws:sns:${keyOfRecord(topic).replace(' ', `:${ACCOUNT}:`)}`;
}

async function topicOf(call: DoorCall, reader: Reader, arn: string | undefined): Promise<ProviderRecord> {
  const key = topicKey(arn);
  if (key === null) throw invalid('TopicArn');
  const topic = await getRecord(call, reader, 'topics', key);
  if (topic === null) throw refuseSns('NotFound', 'Topic does not exist', 404);
  return topic;
}

/** Tells whether a topic of a workspace exists. */
export async function hasTopic(scope: RecordScope, reader: Reader, arn: string): Promise<boolean> {
  const key = topicKey(arn);
  return key !== null && (await getRecord(scope, reader, 'topics', key)) !== null;
}

/** Sends a message to the confirmed subscribers of a topic, and returns their number. A topic that is gone has none. */
export async function publishTo(
  scope: RecordScope,
  tx: Tx,
  topicArn: string,
  message: Omit<SnsMessage, 'type'>,
  now: number,
): Promise<number> {
  const [topic, key] = [await getRecord(scope, tx, 'topics', topicKey(topicArn) ?? ''), await signingKey(scope, tx)];
  if (topic === null || key === null) return 0;
  let subscribers = 0;
  for (const record of await listRecords(scope, tx, 'webhooks', { limit: MOST_SUBSCRIPTIONS })) {
    const subscription = subscriptionIn(record);
    if (subscription.topicArn !== topicArn || !subscription.isConfirmed) continue;
    const settings = { key, subscription, version: versionOf(topic), now };
    const request = snsRequest(scope.ctx, { type: 'Notification', ...message }, settings);
    await queueEvent(scope, tx, request, keyOfRecord(record));
    subscribers++;
  }
  return subscribers;
}

function versionOf({ data }: ProviderRecord): '1' | '2' {
  return attributesOf(data)['SignatureVersion'] === '2' ? '2' : '1';
}

function attributesOf(data: ProviderRecord['data']): Readonly<Record<string, string>> {
  return data['attributes'] as Readonly<Record<string, string>>; // the actions below alone write these records
}

function subscriptionIn({ data }: ProviderRecord): TopicSubscription {
  return data as unknown as TopicSubscription; // `subscribe` alone writes these records
}

export const TOPICS: Omit<QueryActions, 'namespace'> = {
  answers: { Subscribe: subscribe },
  reads: {
    ListTopics: async (call) => ({
      Topics: (await allRecords(call, 'topics')).map((one) => ({ TopicArn: arnOf(one) })),
    }),
    GetTopicAttributes: async (call, form, reader) => {
      const topic = await topicOf(call, reader, form.one('TopicArn'));
      const own = (await subscriptionsOf(call)).filter(({ topicArn }) => topicArn === arnOf(topic));
      const confirmed = own.filter(({ isConfirmed }) => isConfirmed).length;
      const attributes = {
        ...{ TopicArn: arnOf(topic), Owner: ACCOUNT, DisplayName: '', SignatureVersion: '1' },
        ...{ SubscriptionsConfirmed: `${confirmed}`, SubscriptionsPending: `${own.length - confirmed}` },
        ...attributesOf(topic.data),
      };
      return { Attributes: new Map(Object.entries(attributes)) };
    },
    ListSubscriptions: async (call) => listed(await subscriptionsOf(call)),
    ListSubscriptionsByTopic: async (call, form, reader) => {
      const topic = await topicOf(call, reader, form.one('TopicArn'));
      return listed((await subscriptionsOf(call)).filter(({ topicArn }) => topicArn === arnOf(topic)));
    },
    GetSubscriptionAttributes: async (call, form, reader) => {
      const record = await subscriptionNamed(call, reader, form);
      const { arn, topicArn, endpoint, protocol, isConfirmed, isRaw } = subscriptionIn(record);
      const attributes = {
        ...{ SubscriptionArn: arn, TopicArn: topicArn, Endpoint: endpoint, Protocol: protocol, Owner: ACCOUNT },
        ...{ PendingConfirmation: String(!isConfirmed), RawMessageDelivery: String(isRaw) },
      };
      return { Attributes: new Map(Object.entries(attributes)) };
    },
  },
  changes: {
    CreateTopic: async (call, form, tx) => {
      const name = form.one('Name') ?? '';
      if (!TOPIC_NAME.test(name)) throw invalid('Topic Name');
      const attributes = Object.fromEntries(form.entries('Attributes', 'key', 'value'));
      checkVersion(attributes['SignatureVersion']);
      const key = `${awsRegionOf(call.headers)} ${name}`;
      const before = await getRecord(call, tx, 'topics', key);
      return { TopicArn: arnOf(before ?? (await putRecord(call, tx, 'topics', key, { attributes }))) };
    },
    DeleteTopic: async (call, form, tx) => {
      const key = topicKey(form.one('TopicArn'));
      if (key === null) throw invalid('TopicArn');
      await removeRecord(call, tx, 'topics', key);
      for (const one of await listRecords(call, tx, 'webhooks', { limit: MOST_SUBSCRIPTIONS }))
        if (subscriptionIn(one).topicArn === form.one('TopicArn'))
          await removeRecord(call, tx, 'webhooks', keyOfRecord(one));
    },
    SetTopicAttributes: async (call, form, tx) => {
      const topic = await topicOf(call, tx, form.one('TopicArn'));
      const [name, value] = [form.one('AttributeName') ?? '', form.one('AttributeValue') ?? ''];
      if (name === 'SignatureVersion') checkVersion(value);
      const attributes = { ...attributesOf(topic.data), [name.slice(0, 100)]: value.slice(0, 4_096) };
      await putRecord(call, tx, 'topics', keyOfRecord(topic), { attributes });
    },
    ConfirmSubscription: async (call, form, tx) => {
      const scope = scopeOf(call, form);
      const [, id = ''] = placeIn(form.one('Token'));
      const record = await getRecord(scope, tx, 'webhooks', id);
      const before = record === null ? null : subscriptionIn(record);
      if (before === null || before.token !== form.one('Token') || before.topicArn !== form.one('TopicArn'))
        throw invalid('Token');
      await putRecord(scope, tx, 'webhooks', id, { ...before, isConfirmed: true });
      return { SubscriptionArn: before.arn };
    },
    Unsubscribe: async (call, form, tx) => {
      const scope = scopeOf(call, form);
      const record = await byArn(scope, tx, form.one('SubscriptionArn'));
      const isAllowed = call.method === 'POST' || form.one('Token') === (record && subscriptionIn(record).token);
      if (record !== null && isAllowed) await removeRecord(scope, tx, 'webhooks', keyOfRecord(record));
    },
    SetSubscriptionAttributes: async (call, form, tx) => {
      const record = await subscriptionNamed(call, tx, form);
      if (form.one('AttributeName') !== 'RawMessageDelivery')
        throw invalid('mailcap knows the attribute RawMessageDelivery alone');
      const isRaw = form.one('AttributeValue') === 'true';
      await putRecord(call, tx, 'webhooks', keyOfRecord(record), { ...record.data, isRaw });
    },
  },
};

function checkVersion(version: string | undefined): void {
  if (version !== undefined && version !== '1' && version !== '2') throw invalid('SignatureVersion');
}

/** Publishes the message of a request to a topic. */
export async function publishMessage(call: DoorCall, form: QueryForm): Promise<DoorAnswer> {
  const arn = form.one('TopicArn') ?? form.one('TargetArn');
  const [message, subject] = [messageIn(form), form.one('Subject')];
  if (Buffer.byteLength(message) > MOST_BYTES) throw invalid('Message too long');
  if (subject !== undefined && !/^[\x20-\x7e]{1,100}$/.test(subject)) throw invalid('Subject');
  const now = await nowOf(call);
  return call.once(async (tx) => {
    const topic = await topicOf(call, tx, arn);
    await publishTo(call, tx, arnOf(topic), { message, subject }, now);
    return done(form, { MessageId: newUuid(call) });
  });
}

/** Reads the message. With the structure `json` it holds one for each protocol. */
function messageIn(form: QueryForm): string {
  const message = form.one('Message') ?? '';
  if (message === '') throw invalid('Empty message');
  if (form.one('MessageStructure') !== 'json') return message;
  try {
    const given = new Map(Object.entries(JSON.parse(message) as object));
    const text: unknown = given.get('http') ?? given.get('default');
    if (typeof text === 'string') return text;
  } catch {
    // It is no JSON: the same refusal.
  }
  throw invalid('Message Structure - No default entry in JSON message body');
}

async function subscribe(call: DoorCall, form: QueryForm): Promise<DoorAnswer> {
  const [protocol, endpoint] = [form.one('Protocol') ?? '', form.one('Endpoint') ?? ''];
  if (protocol !== 'http' && protocol !== 'https') throw invalid('mailcap knows the protocols http and https alone');
  if (!endpoint.startsWith(`${protocol}://`) || endpoint.length > 2_000 || !isUrl(endpoint))
    throw invalid('Endpoint must match the specified protocol');
  const isRaw = form.entries('Attributes', 'key', 'value').get('RawMessageDelivery') === 'true';
  const made = (await signingKey(call, await call.ctx.store.readNow())) === null ? await newKey(call.ctx) : null;
  const now = await nowOf(call);
  return call.once(async (tx) => {
    const topic = await topicOf(call, tx, form.one('TopicArn'));
    if (made !== null) await keepKey(call, tx, made);
    const key = await signingKey(call, tx);
    if (key === null) throw new Error('a workspace with a subscriber has a signing key');
    const all = await listRecords(call, tx, 'webhooks', { limit: MOST_SUBSCRIPTIONS });
    const same = all.find((one) => {
      const { topicArn, endpoint: other } = subscriptionIn(one);
      return topicArn === arnOf(topic) && other === endpoint;
    });
    if (same === undefined && all.length === MOST_SUBSCRIPTIONS)
      throw refuseSns('SubscriptionLimitExceeded', `There are ${MOST_SUBSCRIPTIONS} subscriptions.`, 403);
    const id = same === undefined ? newUuid(call) : keyOfRecord(same);
    const subscription: TopicSubscription = {
      ...{ workspaceId: call.workspaceId, topicArn: arnOf(topic), arn: `${arnOf(topic)}:${id}` },
      ...{ endpoint, protocol, isRaw, origin: call.origin, isConfirmed: false },
      token: Buffer.from(`${call.workspaceId} ${id} `).toString('hex') + newSecret(call, 24),
      ...(same !== undefined && subscriptionIn(same)),
    };
    await putRecord(call, tx, 'webhooks', id, { ...subscription });
    if (!subscription.isConfirmed) {
      const message = `You have chosen to subscribe to the topic ${subscription.topicArn}.\nTo confirm the subscription, visit the SubscribeURL included in this message.`;
      const settings = { key, subscription, version: versionOf(topic), now };
      await queueEvent(call, tx, snsRequest(call.ctx, { type: 'SubscriptionConfirmation', message }, settings), id);
    }
    const shown = subscription.isConfirmed || form.one('ReturnSubscriptionArn') === 'true';
    return done(form, { SubscriptionArn: shown ? subscription.arn : 'pending confirmation' });
  });
}

/** Returns the scope of a subscription by its token: whoever follows a URL of a message has no key. */
function scopeOf({ ctx, door, workspaceId }: DoorCall, form: QueryForm): RecordScope {
  const named = parseUlid<WorkspaceId>(placeIn(form.one('Token'))[0] ?? '');
  return { ctx, door, workspaceId: named ?? workspaceId };
}

function placeIn(token = ''): string[] {
  return Buffer.from(token.slice(0, 400), 'hex').toString('latin1').split(' ').slice(0, 2);
}

async function byArn(scope: RecordScope, reader: Reader, arn: string | undefined): Promise<ProviderRecord | null> {
  const record = await getRecord(scope, reader, 'webhooks', (arn ?? '').split(':').at(-1) ?? '');
  return record !== null && subscriptionIn(record).arn === arn ? record : null;
}

/** Returns the subscription that a request names. Throws a refusal of SNS if there is none. */
async function subscriptionNamed(scope: RecordScope, reader: Reader, form: QueryForm): Promise<ProviderRecord> {
  const record = await byArn(scope, reader, form.one('SubscriptionArn'));
  if (record === null) throw refuseSns('NotFound', 'Subscription does not exist', 404);
  return record;
}

async function subscriptionsOf(call: DoorCall): Promise<TopicSubscription[]> {
  return (await allRecords(call, 'webhooks')).map(subscriptionIn);
}

function listed(subscriptions: readonly TopicSubscription[]) {
  const Subscriptions = subscriptions.map(({ arn, topicArn, protocol, endpoint, isConfirmed }) => ({
    SubscriptionArn: isConfirmed ? arn : 'PendingConfirmation',
    ...{ Owner: ACCOUNT, Protocol: protocol, Endpoint: endpoint, TopicArn: topicArn },
  }));
  return { Subscriptions };
}
