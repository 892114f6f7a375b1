import type { Reader, Tx } from '../../ports/store.ts';
import { collection } from '../collection.ts';
import type { DoorCall } from '../door.ts';
import { isText } from '../fields.ts';
import type { RecordScope } from '../records.ts';
import { sns } from '../sns/door.ts';
import { hasTopic } from '../sns/topics.ts';
import { badRequest, refuseSes } from './errors.ts';

// Where the events of mails go: the event destinations of configuration sets, and the topics of identities. Both versions
// of the API set them: https://docs.aws.amazon.com/ses/latest/dg/monitor-using-event-publishing.html

/** The types of events, as version 2 names them. */
const TYPES = [
  ...['SEND', 'REJECT', 'BOUNCE', 'COMPLAINT', 'DELIVERY', 'OPEN', 'CLICK', 'RENDERING_FAILURE', 'DELIVERY_DELAY'],
  'SUBSCRIPTION',
] as const;

/** A topic that gets the events of the mails of a configuration set. */
export interface Destination {
  readonly name: string;
  readonly isEnabled: boolean;
  readonly types: readonly string[];
  readonly topicArn: string;
}

/** What a request says of a destination. */
export interface GivenDestination {
  readonly name: unknown;
  readonly isEnabled: boolean;
  readonly types: readonly unknown[];
  readonly topicArn: unknown;
}

/** The topics of an identity, by the type of what they get, and the types whose notifications have the header fields. */
export interface IdentityTopics {
  readonly topics: Readonly<Partial<Record<NotificationType, string>>>;
  readonly withHeaders: readonly NotificationType[];
}

export const NOTIFICATION_TYPES = ['Bounce', 'Complaint', 'Delivery'] as const;
export type NotificationType = (typeof NOTIFICATION_TYPES)[number];

const SETS = collection<{ readonly destinations: readonly Destination[] }>('settings', 'configuration-set ');
const IDENTITIES = collection<IdentityTopics>('settings', 'identity ');
const NAME = /^[\w-]{1,64}$/;
const MOST_DESTINATIONS = 10;

export async function createSet(call: DoorCall, tx: Tx, name: unknown): Promise<void> {
  if (!isText(name) || !NAME.test(name))
    throw badRequest(call, 'The name of the configuration set is missing or not valid.');
  if ((await SETS.get(call, tx, name)) !== null)
    throw refuseSes(call, 'set_exists', `Configuration set <${name}> already exists.`);
  await SETS.put(call, tx, name, { destinations: [] });
}

export async function removeSet(call: DoorCall, tx: Tx, name: string | undefined): Promise<void> {
  await destinationsOf(call, tx, name);
  await SETS.remove(call, tx, name ?? '');
}

/** Returns the names of the configuration sets. */
export async function setNames(call: DoorCall): Promise<string[]> {
  return (await SETS.list(call, await call.ctx.store.readNow())).map(({ key }) => key);
}

/** Returns the destinations of a set. Throws a refusal of SES for a set that isn't there. */
export async function destinationsOf(call: DoorCall, reader: Reader, name = ''): Promise<readonly Destination[]> {
  const set = await SETS.get(call, reader, name);
  if (set === null) throw refuseSes(call, 'no_set', `Configuration set <${name.slice(0, 64)}> does not exist.`);
  return set.destinations;
}

export async function createDestination(call: DoorCall, tx: Tx, set: string | undefined, given: GivenDestination) {
  const [before, made] = [await destinationsOf(call, tx, set), await checked(call, tx, given)];
  if (before.some(({ name }) => name === made.name))
    throw refuseSes(call, 'destination_exists', `Event destination <${made.name}> already exists.`);
  if (before.length === MOST_DESTINATIONS)
    throw refuseSes(call, 'limit', `A configuration set has at most ${MOST_DESTINATIONS} event destinations.`);
  await keep(call, tx, set, [...before, made]);
}

export async function changeDestination(call: DoorCall, tx: Tx, set: string | undefined, given: GivenDestination) {
  const made = await checked(call, tx, given);
  const others = await withoutDestination(call, tx, set, made.name);
  await keep(call, tx, set, [...others, made]);
}

export async function removeDestination(call: DoorCall, tx: Tx, set: string | undefined, name: string | undefined) {
  await keep(call, tx, set, await withoutDestination(call, tx, set, name ?? ''));
}

/** Returns the destinations of a set but for one, which must be there. */
async function withoutDestination(call: DoorCall, tx: Tx, set: string | undefined, name: string) {
  const before = await destinationsOf(call, tx, set);
  const others = before.filter((one) => one.name !== name);
  if (others.length === before.length)
    throw refuseSes(call, 'no_destination', `Event destination <${name.slice(0, 64)}> does not exist.`);
  return others;
}

async function keep(call: DoorCall, tx: Tx, set: string | undefined, destinations: readonly Destination[]) {
  await SETS.put(call, tx, set ?? '', { destinations });
}

async function checked(
  call: DoorCall,
  reader: Reader,
  { name, isEnabled, types, topicArn }: GivenDestination,
): Promise<Destination> {
  if (!isText(name) || !NAME.test(name))
    throw badRequest(call, 'The name of the event destination is missing or not valid.');
  if (!isText(topicArn)) throw badRequest(call, 'mailcap knows event destinations of SNS alone: name a topic.');
  await checkTopic(call, reader, topicArn);
  // Version 1 writes renderingFailure.
  const written = types.map((one) =>
    String(one)
      .replace(/([a-z])([A-Z])/g, '$1_$2')
      .toUpperCase(),
  );
  const unknown = written.find((one) => !TYPES.some((type) => type === one));
  if (written.length === 0 || unknown !== undefined)
    throw badRequest(call, `MatchingEventTypes has some of ${TYPES.join(', ')}.`);
  return { name, isEnabled, types: [...new Set(written)], topicArn };
}

async function checkTopic(call: DoorCall, reader: Reader, topicArn: string): Promise<void> {
  if (!(await hasTopic(snsScope(call), reader, topicArn)))
    throw refuseSes(
      call,
      'bad_topic',
      `Could not publish to SNS topic <${topicArn.slice(0, 300)}>: it does not exist.`,
    );
}

/** Returns the records of SNS in the same workspace. */
export function snsScope({ ctx, workspaceId }: Pick<RecordScope, 'ctx' | 'workspaceId'>): RecordScope {
  return { ctx, workspaceId, door: sns };
}

/** Returns the enabled destinations for mails of a set; none if there is no such set. */
export async function enabledDestinations(
  scope: RecordScope,
  reader: Reader,
  set: string | null,
): Promise<readonly Destination[]> {
  const found = set === null ? null : await SETS.get(scope, reader, set);
  return (found?.destinations ?? []).filter(({ isEnabled }) => isEnabled);
}

/** Returns the topics of an identity: an address or a domain. */
export async function topicsOf(scope: RecordScope, reader: Reader, identity: string): Promise<IdentityTopics> {
  return (await IDENTITIES.get(scope, reader, identity.toLowerCase())) ?? { topics: {}, withHeaders: [] };
}

/** Changes the topics of an identity. */
async function changeTopics(
  call: DoorCall,
  tx: Tx,
  identity: string,
  change: (before: IdentityTopics) => IdentityTopics,
) {
  await IDENTITIES.put(call, tx, identity.toLowerCase(), change(await topicsOf(call, tx, identity)));
}

/** Sets or removes the topic of an identity for a type. */
export async function setTopic(call: DoorCall, tx: Tx, identity: string, type: NotificationType, topicArn?: string) {
  if (topicArn !== undefined) await checkTopic(call, tx, topicArn);
  await changeTopics(call, tx, identity, ({ topics, withHeaders }) => {
    const { [type]: _before, ...others } = topics;
    return { topics: topicArn === undefined ? others : { ...others, [type]: topicArn }, withHeaders };
  });
}

/** Says whether notifications of a type have the header fields of the mail. */
export async function setHeadersIn(call: DoorCall, tx: Tx, identity: string, type: NotificationType, isOn: boolean) {
  await changeTopics(call, tx, identity, ({ topics, withHeaders }) => {
    const others = withHeaders.filter((one) => one !== type);
    return { topics, withHeaders: isOn ? [...others, type] : others };
  });
}

/** Reads the type of a notification. Throws a refusal of SES. */
export function notificationType(call: DoorCall, text: string | undefined): NotificationType {
  const type = NOTIFICATION_TYPES.find((one) => one === text);
  if (type === undefined) throw badRequest(call, `NotificationType is one of ${NOTIFICATION_TYPES.join(', ')}.`);
  return type;
}
