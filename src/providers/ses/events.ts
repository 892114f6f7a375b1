import { parseEnvelopeAddress } from '../../domain/address.ts';
import { keyOfRecord } from '../../domain/provider.ts';
import type { Tx } from '../../ports/store.ts';
import { ACCOUNT } from '../aws.ts';
import { idOfText } from '../calls.ts';
import { type EmailEvent, READER } from '../door.ts';
import type { RecordScope } from '../records.ts';
import { emailData, recipientsOf } from '../send.ts';
import { publishTo } from '../sns/topics.ts';
import { enabledDestinations, type NotificationType, snsScope, topicsOf } from './destinations.ts';

// The events of a mail as SES publishes them to topics of SNS:
// https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html
// and https://docs.aws.amazon.com/ses/latest/dg/notification-contents.html

/** What the record of a mail keeps for its events. */
export interface SesFields {
  readonly from: string;
  readonly subject: string | null;
  readonly recipients: readonly string[];
  readonly region: string;
  readonly configurationSet: string | null;
  readonly tags: readonly (readonly [name: string, value: string])[];
  /** The header fields. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

type Published = 'Send' | 'Delivery' | 'Bounce' | 'Complaint' | 'Open' | 'Click';

const NAMES: Readonly<Partial<Record<EmailEvent['type'], Published>>> = {
  sent: 'Send',
  delivered: 'Delivery',
  bounced: 'Bounce',
  suppressed: 'Bounce',
  complained: 'Complaint',
  opened: 'Open',
  clicked: 'Click',
};

const NOTIFIED: readonly string[] = ['Bounce', 'Complaint', 'Delivery'] satisfies NotificationType[];

/**
 * Publishes an event to the topics of the mail's configuration set and of the sender's identity. Returns the number of
 * their subscribers.
 */
export async function publishSes(scope: RecordScope, tx: Tx, event: EmailEvent, now: number): Promise<number> {
  const name = NAMES[event.type];
  if (name === undefined) return 0;
  let subscribers = 0;
  const fields = sesFields(event);
  const topics = snsScope(scope);
  for (const { types, topicArn } of await enabledDestinations(scope, tx, fields.configurationSet)) {
    if (!types.includes(name.toUpperCase())) continue;
    const content = { eventType: name, mail: mailOf(event, { isWhole: true }), ...partOf(name, event, now) };
    const subject = 'Amazon SES Email Event Notification';
    subscribers += await publishTo(topics, tx, topicArn, { message: `${JSON.stringify(content)}\n`, subject }, now);
  }
  if (!NOTIFIED.includes(name)) return subscribers;
  const type = name as NotificationType;
  const { topicArn, isWhole } = await feedbackTopic(scope, tx, fields.from, type);
  if (topicArn === undefined) return subscribers;
  const content = { notificationType: name, mail: mailOf(event, { isWhole }), ...partOf(name, event, now) };
  return subscribers + (await publishTo(topics, tx, topicArn, { message: JSON.stringify(content) }, now));
}

/** Returns the topic of the sender's address, or else of its domain. */
async function feedbackTopic(scope: RecordScope, tx: Tx, from: string, type: NotificationType) {
  const own = await topicsOf(scope, tx, from);
  const { topics, withHeaders } = own.topics[type] === undefined ? await topicsOf(scope, tx, domainOf(from)) : own;
  return { topicArn: topics[type], isWhole: withHeaders.includes(type) };
}

function sesFields({ record }: EmailEvent): SesFields {
  return emailData(record).fields as unknown as SesFields; // `sesMail` and `sesRawMail` alone write them
}

function domainOf(address: string): string {
  return parseEnvelopeAddress(address)?.domain ?? '';
}

/** Describes the mail. The notifications of an identity have the header fields only if the app asked for them. */
function mailOf(event: EmailEvent, { isWhole }: { isWhole: boolean }) {
  const { record } = event;
  const { from, recipients, region, configurationSet, tags, headers, subject } = sesFields(event);
  const all = (name: string) => headers.flatMap(([one, value]) => (one.toLowerCase() === name ? [value] : []));
  const [To, Cc, ReplyTo] = [all('to'), all('cc'), all('reply-to')];
  const byName: Readonly<Record<string, readonly string[]>> = Object.fromEntries<readonly string[]>([
    ...(configurationSet === null ? [] : [['ses:configuration-set', [configurationSet]] as const]),
    ['ses:from-domain', [domainOf(from)]],
    ['ses:source-ip', ['127.0.0.1']],
    ['ses:caller-identity', ['mailcap']],
    ...tags.map(([name, value]) => [name, [value]] as const),
  ]);
  return {
    timestamp: new Date(record.createdAt).toISOString(),
    source: from,
    sourceArn: `arn:aws:ses:${region}:${ACCOUNT}:identity/${domainOf(from)}`,
    ...(!isWhole && { sourceIp: '127.0.0.1', callerIdentity: 'mailcap' }),
    sendingAccountId: ACCOUNT,
    messageId: keyOfRecord(record),
    destination: recipients,
    ...(isWhole && {
      headersTruncated: false,
      headers: headers.map(([name, value]) => ({ name, value })),
      commonHeaders: {
        from: all('from'),
        ...(ReplyTo.length > 0 && { replyTo: ReplyTo }),
        ...(To.length > 0 && { to: To }),
        ...(Cc.length > 0 && { cc: Cc }),
        messageId: keyOfRecord(record),
        subject,
      },
      tags: byName,
    }),
  };
}

const REPORTER = 'a8-31.smtp-out.amazonses.com';

function partOf(name: Published, event: EmailEvent, now: number): Readonly<Record<string, unknown>> {
  const recipients = recipientsOf(event);
  const timestamp = new Date(now).toISOString();
  const { record, link, type } = event;
  const feedbackId = `0100${idOfText(`${record.id} ${type} ${recipients.join()}`, 28)}-000000`;
  switch (name) {
    case 'Send':
      return { send: {} };
    case 'Delivery': {
      const processingTimeMillis = Math.max(0, now - record.createdAt);
      return {
        delivery: { timestamp, processingTimeMillis, recipients, smtpResponse: '250 2.0.0 Ok', reportingMTA: REPORTER },
      };
    }
    case 'Bounce': {
      const isSuppressed = type === 'suppressed';
      const diagnosticCode = isSuppressed
        ? 'Amazon SES did not send the message to this address because it is on the suppression list for your account.'
        : 'smtp; 550 5.1.1 The simulator knows no such user';
      const bouncedRecipients = recipients.map((emailAddress) => ({
        ...{ emailAddress, action: 'failed', status: '5.1.1', diagnosticCode },
      }));
      const bounceSubType = isSuppressed ? 'OnAccountSuppressionList' : 'General';
      return {
        bounce: {
          ...{ feedbackId, bounceType: 'Permanent', bounceSubType, bouncedRecipients, timestamp },
          reportingMTA: `dns; ${REPORTER}`,
        },
      };
    }
    case 'Complaint':
      return {
        complaint: {
          ...{ feedbackId, complaintSubType: null, timestamp, userAgent: READER, complaintFeedbackType: 'abuse' },
          complainedRecipients: recipients.map((emailAddress) => ({ emailAddress })),
          arrivalDate: timestamp,
        },
      };
    case 'Open':
      return { open: { ipAddress: '127.0.0.1', timestamp, userAgent: READER } };
    case 'Click':
      return { click: { ipAddress: '127.0.0.1', link, linkTags: null, timestamp, userAgent: READER } };
  }
}
