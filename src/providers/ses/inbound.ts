import { domainIn } from '../../domain/address.ts';
import { keyOfRecord, type ProviderRecord } from '../../domain/provider.ts';
import type { Reader, Tx } from '../../ports/store.ts';
import type { ActionsWith, QueryForm, XmlValue } from '../aws.ts';
import { collection } from '../collection.ts';
import type { DoorCall } from '../door.ts';
import { type InboundMail, inboundHeader, peopleOf } from '../inbound/mail.ts';
import { ownRules } from '../inbound/rules.ts';
import { isoTime, storedAt } from '../parts.ts';
import { getRecord, putRecord, type RecordScope, removeRecord } from '../records.ts';
import { hasTopic, publishTo } from '../sns/topics.ts';
import { snsScope } from './destinations.ts';
import { badRequest, refuseSes } from './errors.ts';

// Receipt rules: mail for a domain or an address comes to a topic of SNS, whole and in its own bytes.
// https://docs.aws.amazon.com/ses/latest/dg/receiving-email-notifications-contents.html

const SETS = collection('settings', 'rule-set ');
/** The record that names the active rule set. It has no key of its own. */
const ACTIVE = collection<{ readonly name: string }>('settings', 'active-rule-set');
const NAME = /^[\w-]{1,64}$/;
/** SES hands no larger mail to a topic. */
const MOST_BYTES = 150 * 1024;

/** A rule, as its record keeps it. */
interface Receipt {
  readonly set: string;
  readonly isActive: boolean;
  readonly isEnabled: boolean;
  /** Addresses, domains, and with a dot before them subdomains. Empty: every recipient. */
  readonly recipients: readonly string[];
  readonly topicArn: string;
  readonly encoding: 'UTF-8' | 'Base64';
}

function receiptIn({ data }: ProviderRecord): Receipt {
  return data as unknown as Receipt; // `createRule` alone writes these records
}

/** The rules that take mail for a recipient. */
export function sesRules(rules: readonly ProviderRecord[], recipient: string): ProviderRecord[] {
  const [address, domain] = [recipient.toLowerCase(), domainIn(recipient).toLowerCase()];
  return rules.filter((rule) => {
    const { isActive, isEnabled, recipients } = receiptIn(rule);
    const isFor = (one: string) => one === address || one === domain || (one.startsWith('.') && domain.endsWith(one));
    return isActive && isEnabled && (recipients.length === 0 || recipients.some(isFor));
  });
}

/** Publishes a mail to the topic of a rule. A larger one than SES hands over is left out. */
export async function publishInbound(
  scope: RecordScope,
  tx: Tx,
  mail: InboundMail,
  rule: ProviderRecord,
  now: number,
): Promise<void> {
  const { topicArn, encoding } = receiptIn(rule);
  if (mail.raw.length > MOST_BYTES) {
    scope.ctx.log.warn('a mail is too large for a topic', { provider: 'ses', bytes: mail.raw.length });
    return;
  }
  const { message, raw, headers, parsed, to, from } = mail;
  const timestamp = isoTime(now);
  const messageId = message.id.toLowerCase();
  const people = (text: string | null) =>
    text === null
      ? undefined
      : peopleOf(text).map(({ name, address }) => (name === null ? address : `${name} <${address}>`));
  const verdict = { status: 'PASS' };
  const content = {
    notificationType: 'Received',
    mail: {
      ...{ timestamp, source: from, messageId, destination: to, headersTruncated: false },
      headers: headers.map(([name, value]) => ({ name, value })),
      commonHeaders: {
        returnPath: from,
        from: people(parsed.from),
        date: inboundHeader(mail, 'date'),
        to: people(parsed.to),
        ...(parsed.cc !== null && { cc: people(parsed.cc) }),
        messageId: inboundHeader(mail, 'message-id'),
        subject: parsed.subject,
      },
    },
    receipt: {
      ...{ timestamp, processingTimeMillis: Math.max(0, now - message.receivedAt), recipients: to },
      ...{ spamVerdict: verdict, virusVerdict: verdict, spfVerdict: { status: 'GRAY' } },
      ...{ dkimVerdict: { status: 'GRAY' }, dmarcVerdict: { status: 'GRAY' } },
      action: { type: 'SNS', topicArn, encoding: encoding === 'Base64' ? 'BASE64' : 'UTF8' },
    },
    content: raw.toString(encoding === 'Base64' ? 'base64' : 'utf8'),
  };
  const subject = 'Amazon SES Email Receipt Notification';
  await publishTo(snsScope(scope), tx, topicArn, { message: JSON.stringify(content), subject }, now);
}

/** The actions on receipt rules that change something. */
export const RECEIPT_CHANGES: ActionsWith<Tx> = {
  CreateReceiptRuleSet: async (call, form, tx) => {
    const name = form.one('RuleSetName') ?? '';
    if (!NAME.test(name)) throw badRequest(call, 'The RuleSetName is missing or not valid.');
    if ((await SETS.get(call, tx, name)) !== null) throw refuseSes(call, 'exists', `Rule set already exists: ${name}`);
    await SETS.put(call, tx, name, {});
  },
  DeleteReceiptRuleSet: async (call, form, tx) => {
    const name = form.one('RuleSetName') ?? '';
    if ((await activeSet(call, tx)) === name)
      throw refuseSes(call, 'cannot_delete', `Cannot delete active rule set: ${name}`);
    await SETS.remove(call, tx, name);
    for (const rule of await ownRules(call, tx))
      if (receiptIn(rule).set === name) await removeRecord(call, tx, 'rules', keyOfRecord(rule));
  },
  SetActiveReceiptRuleSet: async (call, form, tx) => {
    const name = form.one('RuleSetName');
    if (name === undefined) await ACTIVE.remove(call, tx, '');
    else {
      await checkSet(call, tx, name);
      await ACTIVE.put(call, tx, '', { name });
    }
    for (const rule of await ownRules(call, tx))
      await putRecord(call, tx, 'rules', keyOfRecord(rule), { ...rule.data, isActive: receiptIn(rule).set === name });
  },
  CreateReceiptRule: (call, form, tx) => putReceipt(call, form, tx, true),
  UpdateReceiptRule: (call, form, tx) => putReceipt(call, form, tx, false),
  DeleteReceiptRule: async (call, form, tx) => {
    await checkSet(call, tx, form.one('RuleSetName') ?? '');
    await removeRecord(call, tx, 'rules', `${form.one('RuleSetName') ?? ''} ${form.one('RuleName') ?? ''}`);
  },
};

async function putReceipt(call: DoorCall, form: QueryForm, tx: Tx, isNew: boolean): Promise<void> {
  const [set, name] = [form.one('RuleSetName') ?? '', form.one('Rule.Name') ?? ''];
  await checkSet(call, tx, set);
  if (!NAME.test(name)) throw badRequest(call, 'The name of the rule is missing or not valid.');
  const isThere = (await getRecord(call, tx, 'rules', `${set} ${name}`)) !== null;
  if (isNew && isThere) throw refuseSes(call, 'exists', `Rule already exists: ${name}`);
  if (!isNew && !isThere) throw refuseSes(call, 'no_rule', `Rule does not exist: ${name}`);
  const topicArn =
    form.one('Rule.Actions.member.1.SNSAction.TopicArn') ?? form.one('Rule.Actions.member.1.SNSAction.TopicARN');
  if (topicArn === undefined || form.one('Rule.Actions.member.2.SNSAction.TopicArn') !== undefined)
    throw badRequest(call, 'mailcap knows receipt rules with one SNSAction alone.');
  if (!(await hasTopic(snsScope(call), tx, topicArn)))
    throw refuseSes(call, 'bad_topic', `Invalid SNS topic: ${topicArn.slice(0, 300)}`);
  const receipt: Receipt = {
    ...{ set, topicArn, isActive: (await activeSet(call, tx)) === set, isEnabled: form.one('Rule.Enabled') === 'true' },
    recipients: form.list('Rule.Recipients').map((one) => one.toLowerCase()),
    encoding: form.one('Rule.Actions.member.1.SNSAction.Encoding') === 'Base64' ? 'Base64' : 'UTF-8',
  };
  await putRecord(call, tx, 'rules', `${set} ${name}`, { ...receipt });
}

async function activeSet(call: DoorCall, reader: Reader): Promise<string | null> {
  return (await ACTIVE.get(call, reader, ''))?.name ?? null;
}

async function checkSet(call: DoorCall, reader: Reader, name: string): Promise<void> {
  if ((await SETS.get(call, reader, name)) === null)
    throw refuseSes(call, 'no_rule_set', `Rule set does not exist: ${name.slice(0, 64)}`);
}

/** The actions on receipt rules that read them. */
export const RECEIPT_READS: ActionsWith<Reader> = {
  ListReceiptRuleSets: async (call, _form, reader) => {
    const sets = await SETS.list(call, reader);
    return { RuleSets: sets.map((one) => ({ Name: one.key, CreatedTimestamp: storedAt(one) })) };
  },
  DescribeReceiptRuleSet: async (call, form, reader) => {
    const name = form.one('RuleSetName') ?? '';
    await checkSet(call, reader, name);
    return described(call, reader, name);
  },
  DescribeActiveReceiptRuleSet: async (call, _form, reader) => {
    const name = await activeSet(call, reader);
    return name === null ? '' : described(call, reader, name);
  },
};

async function described(call: DoorCall, reader: Reader, set: string): Promise<XmlValue> {
  const rules = (await ownRules(call, reader)).filter((rule) => receiptIn(rule).set === set);
  const Rules = rules.map((rule) => {
    const { isEnabled, recipients, topicArn, encoding } = receiptIn(rule);
    const Actions = [{ SNSAction: { TopicArn: topicArn, Encoding: encoding } }];
    return { Name: keyOfRecord(rule).slice(set.length + 1), Enabled: isEnabled, Recipients: recipients, Actions };
  });
  return { Metadata: { Name: set }, Rules };
}
