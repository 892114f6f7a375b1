import { parseUlid, type WorkspaceId } from '../../domain/ids.ts';
import type { Reader, Tx } from '../../ports/store.ts';
import { isUrl } from '../../text/url.ts';
import { ACCOUNT, awsRegionOf, type QueryActions, type QueryForm } from '../aws.ts';
import { newSecret, newUuid, nowOf } from '../calls.ts';
import { type CollectionEntry, collection } from '../collection.ts';
import type { DoorAnswer, DoorCall } from '../door.ts';
import { queueEvent } from '../events.ts';
import type { RecordScope } from '../records.ts';
import { done, invalid, refuseSns } from './form.ts';
import { keepKey, newKey, type SnsMessage, signingKey, snsRequest, type TopicSubscription } from './notifications.ts';

// The topics of SNS and their subscribers over HTTP: https://docs.aws.amazon.com/sns/latest/dg/sns-http-https-endpoint-as-subscriber.html

/** The subscribers of the topics of a workspace, at most. */
const MOST_SUBSCRIPTIONS = 50;
/** The largest message in bytes. */
const MOST_BYTES = 256 * 1024;
const TOPIC_NAME = /^[\w-]{1,256}$/;

interface Topic {
  readonly attributes: Readonly<Record<string, string>>;
}
/** By region and name. */
const STORED_TOPICS = collection<Topic>('topics');
const SUBSCRIPTIONS = collection<TopicSubscription>('webhooks');

/** Returns the key of a topic. Null if a text is no name of one. */
function topicKey(arn: string | undefined): string | null {
  const [, region, name] = /^arn:aws:sns:([a-z0-9-]{1,40}):\d{12}:([\w-]{1,256})$/.exec(arn ?? '') ?? [];
  return region === undefined ? null : `${region} ${name ?? ''}`;
}

function arnOf(key: string): string {
  return `arn:aws:sns:${key.replace(' ', `:${ACCOUNT}:`)}`;
}

/** A topic with its key and its name. */
interface NamedTopic extends Topic {
  readonly key: string;
  readonly arn: string;
}

/** Returns the topic that a request names. Throws a refusal of SNS if there is none. */
async function topicOf(call: DoorCall, reader: Reader, arn: string | undefined): Promise<NamedTopic> {
  const key = topicKey(arn);
  if (key === null) throw invalid('TopicArn');
  const topic = await STORED_TOPICS.get(call, reader, key);
  if (topic === null) throw refuseSns('NotFound', 'Topic does not exist', 404);
  return { ...topic, key, arn: arnOf(key) };
}

/** Tells whether a topic of a workspace exists. */
export async function hasTopic(scope: RecordScope, reader: Reader, arn: string): Promise<boolean> {
  const key = topicKey(arn);
  return key !== null && (await STORED_TOPICS.get(scope, reader, key)) !== null;
}

/** Sends a message to the confirmed subscribers of a topic, and returns their number. A topic that is gone has none. */
export async function publishTo(
  scope: RecordScope,
  tx: Tx,
  topicArn: string,
  message: Omit<SnsMessage, 'type'>,
  now: number,
): Promise<number> {
  const [topic, key] = [await STORED_TOPICS.get(scope, tx, topicKey(topicArn) ?? ''), await signingKey(scope, tx)];
  if (topic === null || key === null) return 0;
  let subscribers = 0;
  for (const { key: id, data: subscription } of await SUBSCRIPTIONS.list(scope, tx)) {
    if (subscription.topicArn !== topicArn || !subscription.isConfirmed) continue;
    const settings = { key, subscription, version: versionOf(topic), now };
    const request = snsRequest(scope.ctx, { type: 'Notification', ...message }, settings);
    await queueEvent(scope, tx, request, id);
    subscribers++;
  }
  return subscribers;
}

function versionOf({ attributes }: Topic): '1' | '2' {
  return attributes['SignatureVersion'] === '2' ? '2' : '1';
}

export const TOPICS: Omit<QueryActions, 'namespace'> = {
  answers: { Subscribe: subscribe },
  reads: {
    ListTopics: async (call, _form, reader) => ({
      Topics: (await STORED_TOPICS.list(call, reader)).map(({ key }) => ({ TopicArn: arnOf(key) })),
    }),
    GetTopicAttributes: async (call, form, reader) => {
      const { arn, attributes } = await topicOf(call, reader, form.one('TopicArn'));
      const own = await subscriptionsTo(call, reader, arn);
      const confirmed = own.filter(({ isConfirmed }) => isConfirmed).length;
      const all = {
        ...{ TopicArn: arn, Owner: ACCOUNT, DisplayName: '', SignatureVersion: '1' },
        ...{ SubscriptionsConfirmed: `${confirmed}`, SubscriptionsPending: `${own.length - confirmed}` },
        ...attributes,
      };
      return { Attributes: new Map(Object.entries(all)) };
    },
    ListSubscriptions: async (call, _form, reader) =>
      listed((await SUBSCRIPTIONS.list(call, reader)).map(({ data }) => data)),
    ListSubscriptionsByTopic: async (call, form, reader) => {
      const { arn } = await topicOf(call, reader, form.one('TopicArn'));
      return listed(await subscriptionsTo(call, reader, arn));
    },
    GetSubscriptionAttributes: async (call, form, reader) => {
      const { data } = await subscriptionNamed(call, reader, form);
      const { arn, topicArn, endpoint, protocol, isConfirmed, isRaw } = data;
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
      if ((await STORED_TOPICS.get(call, tx, key)) === null) await STORED_TOPICS.put(call, tx, key, { attributes });
      return { TopicArn: arnOf(key) };
    },
    DeleteTopic: async (call, form, tx) => {
      const key = topicKey(form.one('TopicArn'));
      if (key === null) throw invalid('TopicArn');
      await STORED_TOPICS.remove(call, tx, key);
      for (const one of await SUBSCRIPTIONS.list(call, tx))
        if (one.data.topicArn === form.one('TopicArn')) await SUBSCRIPTIONS.remove(call, tx, one.key);
    },
    SetTopicAttributes: async (call, form, tx) => {
      const { key, attributes } = await topicOf(call, tx, form.one('TopicArn'));
      const [name, value] = [form.one('AttributeName') ?? '', form.one('AttributeValue') ?? ''];
      if (name === 'SignatureVersion') checkVersion(value);
      const changed = { ...attributes, [name.slice(0, 100)]: value.slice(0, 4_096) };
      await STORED_TOPICS.put(call, tx, key, { attributes: changed });
    },
    ConfirmSubscription: async (call, form, tx) => {
      const scope = scopeOf(call, form);
      const [, id = ''] = placeIn(form.one('Token'));
      const before = await SUBSCRIPTIONS.get(scope, tx, id);
      if (before === null || before.token !== form.one('Token') || before.topicArn !== form.one('TopicArn'))
        throw invalid('Token');
      await SUBSCRIPTIONS.put(scope, tx, id, { ...before, isConfirmed: true });
      return { SubscriptionArn: before.arn };
    },
    Unsubscribe: async (call, form, tx) => {
      const scope = scopeOf(call, form);
      const found = await byArn(scope, tx, form.one('SubscriptionArn'));
      const isAllowed = call.method === 'POST' || form.one('Token') === found?.data.token;
      if (found !== null && isAllowed) await SUBSCRIPTIONS.remove(scope, tx, found.key);
    },
    SetSubscriptionAttributes: async (call, form, tx) => {
      const { key, data } = await subscriptionNamed(call, tx, form);
      if (form.one('AttributeName') !== 'RawMessageDelivery')
        throw invalid('mailcap knows the attribute RawMessageDelivery alone');
      const isRaw = form.one('AttributeValue') === 'true';
      await SUBSCRIPTIONS.put(call, tx, key, { ...data, isRaw });
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
    await publishTo(call, tx, topic.arn, { message, subject }, now);
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
    const all = await SUBSCRIPTIONS.list(call, tx);
    const same = all.find(({ data }) => data.topicArn === topic.arn && data.endpoint === endpoint);
    if (same === undefined && all.length === MOST_SUBSCRIPTIONS)
      throw refuseSns('SubscriptionLimitExceeded', `There are ${MOST_SUBSCRIPTIONS} subscriptions.`, 403);
    const id = same?.key ?? newUuid(call);
    const subscription: TopicSubscription = {
      ...{ workspaceId: call.workspaceId, topicArn: topic.arn, arn: `${topic.arn}:${id}` },
      ...{ endpoint, protocol, isRaw, origin: call.origin, isConfirmed: false },
      token: Buffer.from(`${call.workspaceId} ${id} `).toString('hex') + newSecret(call, 24),
      ...same?.data,
    };
    await SUBSCRIPTIONS.put(call, tx, id, subscription);
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

/** A subscription with its key. */
type NamedSubscription = Pick<CollectionEntry<TopicSubscription>, 'key' | 'data'>;

async function byArn(scope: RecordScope, reader: Reader, arn = ''): Promise<NamedSubscription | null> {
  const key = arn.split(':').at(-1) ?? '';
  const data = await SUBSCRIPTIONS.get(scope, reader, key);
  return data?.arn === arn ? { key, data } : null;
}

/** Returns the subscription that a request names. Throws a refusal of SNS if there is none. */
async function subscriptionNamed(scope: RecordScope, reader: Reader, form: QueryForm): Promise<NamedSubscription> {
  const found = await byArn(scope, reader, form.one('SubscriptionArn'));
  if (found === null) throw refuseSns('NotFound', 'Subscription does not exist', 404);
  return found;
}

/** Returns the subscriptions to a topic. */
async function subscriptionsTo(call: DoorCall, reader: Reader, arn: string): Promise<TopicSubscription[]> {
  const all = await SUBSCRIPTIONS.list(call, reader);
  return all.flatMap(({ data }) => (data.topicArn === arn ? [data] : []));
}

function listed(subscriptions: readonly TopicSubscription[]) {
  const Subscriptions = subscriptions.map(({ arn, topicArn, protocol, endpoint, isConfirmed }) => ({
    SubscriptionArn: isConfirmed ? arn : 'PendingConfirmation',
    ...{ Owner: ACCOUNT, Protocol: protocol, Endpoint: endpoint, TopicArn: topicArn },
  }));
  return { Subscriptions };
}
