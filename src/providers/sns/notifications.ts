import { createPrivateKey, sign } from 'node:crypto';
import type { Context } from '../../context.ts';
import type { WorkspaceId } from '../../domain/ids.ts';
import type { Reader, Tx } from '../../ports/store.ts';
import { realTime } from '../../ports/system.ts';
import { newUuid } from '../calls.ts';
import { collection } from '../collection.ts';
import type { OutgoingEvent } from '../door.ts';
import type { RecordScope } from '../records.ts';

// The requests that SNS sends to the subscribers of a topic, and their signature:
// https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html

/** The key that signs the messages of a workspace, and its certificate, in PEM. */
export interface SigningKey {
  readonly cert: string;
  readonly key: string;
}

const KEYS = collection<SigningKey>('settings');
const KEY_NAME = 'signing-key';
const DAY_MS = 86_400_000;
/** SNS makes three more tries, 20 seconds apart. */
const DELAYS = [20, 20, 20];

/** Returns the signing key of a workspace; null if it has none yet. */
export function signingKey(scope: RecordScope, reader: Reader): Promise<SigningKey | null> {
  return KEYS.get(scope, reader, KEY_NAME);
}

/** Makes a signing key. It takes some tenths of a second, but none of the event loop. */
export async function newKey({ clock }: Context): Promise<SigningKey> {
  // What writes certificates is loaded only when one is made.
  const { makeSelfSigned } = await import('../../self-signed.ts');
  const now = realTime(clock);
  const [notBefore, notAfter] = [new Date(now - DAY_MS), new Date(now + 3_650 * DAY_MS)];
  return makeSelfSigned({ commonName: 'sns.amazonaws.com', names: [], notBefore, notAfter }, 'rsa');
}

/** Keeps a new key, unless another request was faster. */
export async function keepKey(scope: RecordScope, tx: Tx, key: SigningKey): Promise<void> {
  if ((await signingKey(scope, tx)) === null) await KEYS.put(scope, tx, KEY_NAME, key);
}

/** A subscriber over HTTP, as its record keeps it. */
export interface TopicSubscription {
  readonly workspaceId: WorkspaceId;
  readonly arn: string;
  readonly topicArn: string;
  readonly endpoint: string;
  readonly protocol: string;
  /** Confirms the subscription, and ends it. */
  readonly token: string;
  readonly isConfirmed: boolean;
  readonly isRaw: boolean;
  /** The URL of the server as the subscriber's app reaches it. */
  readonly origin: string;
}

/** A message of a topic, or the question whether a subscription is wanted. */
export interface SnsMessage {
  readonly type: 'Notification' | 'SubscriptionConfirmation' | 'UnsubscribeConfirmation';
  readonly message: string;
  readonly subject?: string | undefined;
}

/** Writes the signed request that brings a message to a subscriber. */
export function snsRequest(
  ctx: Context,
  { type, message, subject }: SnsMessage,
  {
    key,
    subscription,
    version,
    now,
  }: { key: SigningKey; subscription: TopicSubscription; version: '1' | '2'; now: number },
): OutgoingEvent {
  const { topicArn, arn, endpoint, token, origin } = subscription;
  const id = newUuid({ ctx });
  const base = `${origin}/providers/sns`;
  const asks = type !== 'Notification';
  const urlOf = (query: Readonly<Record<string, string>>) => `${base}/?${new URLSearchParams(query).toString()}`;
  const fields: Readonly<Record<string, string>> = {
    Type: type,
    MessageId: id,
    ...(asks && { Token: token }),
    TopicArn: topicArn,
    ...(subject !== undefined && { Subject: subject }),
    Message: message,
    ...(asks && { SubscribeURL: urlOf({ Action: 'ConfirmSubscription', TopicArn: topicArn, Token: token }) }),
    Timestamp: new Date(now).toISOString(),
  };
  const body = {
    ...fields,
    SignatureVersion: version,
    Signature: signatureOf(fields, key, version),
    SigningCertURL: `${base}/SimpleNotificationService-${subscription.workspaceId.toLowerCase()}.pem`,
    ...(!asks && { UnsubscribeURL: urlOf({ Action: 'Unsubscribe', SubscriptionArn: arn, Token: token }) }),
  };
  const isRaw = subscription.isRaw && !asks;
  return {
    url: endpoint,
    body: isRaw ? message : JSON.stringify(body, null, 2),
    delays: DELAYS,
    headers: [
      ['Content-Type', 'text/plain; charset=UTF-8'],
      ['User-Agent', 'Amazon Simple Notification Service Agent'],
      ['x-amz-sns-message-type', type],
      ['x-amz-sns-message-id', id],
      ['x-amz-sns-topic-arn', topicArn],
      ...(asks ? [] : [['x-amz-sns-subscription-arn', arn] as const]),
      ...(isRaw ? [['x-amz-sns-rawdelivery', 'true'] as const] : []),
    ],
  };
}

/** Signs the fields of a message: each name and value on a line of its own, in the order of the names. */
function signatureOf(fields: Readonly<Record<string, string>>, { key }: SigningKey, version: '1' | '2'): string {
  const signed = Object.keys(fields)
    .sort()
    .map((name) => `${name}\n${fields[name] ?? ''}\n`)
    .join('');
  return sign(version === '1' ? 'sha1' : 'sha256', Buffer.from(signed), createPrivateKey(key)).toString('base64');
}
