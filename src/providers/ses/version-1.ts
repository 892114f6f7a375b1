import { domainIn } from '../../domain/address.ts';
import type { Tx } from '../../ports/store.ts';
import { docsPath } from '../../text/docs-place.ts';
import { awsAnswer, type QueryActions, QueryForm, queryAction, type XmlValue } from '../aws.ts';
import type { DoorAnswer, DoorCall } from '../door.ts';
import { base64In } from '../fields.ts';
import { addDomain, identities } from '../identities.ts';
import { storedAt } from '../parts.ts';
import { postRoute } from '../routes.ts';
import { type AskedMail, sendMails } from '../send.ts';
import {
  changeDestination,
  createDestination,
  createSet,
  destinationsOf,
  type GivenDestination,
  NOTIFICATION_TYPES,
  notificationType,
  removeDestination,
  removeSet,
  setHeadersIn,
  setNames,
  setTopic,
  topicsOf,
} from './destinations.ts';
import { badRequest, refuseSes, SES_NAMESPACE } from './errors.ts';
import { RECEIPT_CHANGES, RECEIPT_READS } from './inbound.ts';
import { type SesAddresses, sesMail, sesRawMail } from './mail.ts';
import { checkedParts, putTemplate, renderedSes, sesTemplate, TEMPLATES } from './templates.ts';

// Version 1 of the API of Amazon SES, a form with an Action, as `@aws-sdk/client-ses` and boto3 call it:
// https://docs.aws.amazon.com/ses/latest/APIReference

const NO_PARTS = { headers: [], attachments: [] };

const ACTIONS: QueryActions = {
  namespace: SES_NAMESPACE,
  answers: {
    SendEmail: async (call, form) => {
      const subject = form.one('Message.Subject.Data');
      const [text, html] = [form.one('Message.Body.Text.Data'), form.one('Message.Body.Html.Data')];
      return send(call, form, sesMail(call, addressesIn(form), { subject, text, html, ...NO_PARTS }));
    },
    SendRawEmail: async (call, form) => {
      const addresses = { ...addressesIn(form), to: form.list('Destinations') };
      return send(call, form, await sesRawMail(call, base64In(form.one('RawMessage.Data')), addresses));
    },
    SendTemplatedEmail: async (call, form) => {
      const template = await sesTemplate(call, await call.ctx.store.readNow(), form.one('Template'));
      const content = renderedSes(call, template, [form.one('TemplateData')]);
      return send(call, form, sesMail(call, addressesIn(form), { ...content, ...NO_PARTS }));
    },
  },
  reads: {
    GetTemplate: async (call, form, reader) => {
      const TemplateName = form.one('TemplateName') ?? '';
      const { subject, text, html } = await sesTemplate(call, reader, TemplateName);
      return { Template: { TemplateName, SubjectPart: subject, TextPart: text, HtmlPart: html } };
    },
    ListTemplates: async (call, _form, reader) => {
      const all = await TEMPLATES.list(call, reader);
      return { TemplatesMetadata: all.map((one) => ({ Name: one.key, CreatedTimestamp: storedAt(one) })) };
    },
    GetSendQuota: () => ({ Max24HourSend: '1000000.0', MaxSendRate: '1000.0', SentLast24Hours: '0.0' }),
    GetAccountSendingEnabled: () => ({ Enabled: true }),
    ListIdentities: async (call, _form, reader) => ({
      Identities: (await identities(call, reader)).map(({ domain }) => domain),
    }),
    // Every identity may send: mailcap does not ask for one before it takes mail.
    GetIdentityVerificationAttributes: (_call, form) => ({
      VerificationAttributes: new Map(
        form.list('Identities').map((name): [string, XmlValue] => [name, { VerificationStatus: 'Success' }]),
      ),
    }),
    ListConfigurationSets: async (call) => ({ ConfigurationSets: (await setNames(call)).map((Name) => ({ Name })) }),
    DescribeConfigurationSet: async (call, form, reader) => {
      const set = form.one('ConfigurationSetName');
      const EventDestinations = (await destinationsOf(call, reader, set)).map(
        ({ name, isEnabled, types, topicArn }) => ({
          ...{ Name: name, Enabled: isEnabled, MatchingEventTypes: types.map(inCamelCase) },
          SNSDestination: { TopicARN: topicArn },
        }),
      );
      return { ConfigurationSet: { Name: set ?? '' }, EventDestinations };
    },
    // No mail of feedback is sent, whether an app wants it or not.
    SetIdentityFeedbackForwardingEnabled: () => '',
    GetIdentityNotificationAttributes: async (call, form, reader) => {
      const attributes = new Map<string, XmlValue>();
      for (const identity of form.list('Identities')) {
        const { topics, withHeaders } = await topicsOf(call, reader, identity);
        const own = NOTIFICATION_TYPES.flatMap((type): [string, XmlValue][] => [
          [`${type}Topic`, topics[type] ?? ''],
          [`HeadersIn${type}NotificationsEnabled`, withHeaders.includes(type)],
        ]);
        attributes.set(identity, { ...Object.fromEntries(own), ForwardingEnabled: true });
      }
      return { NotificationAttributes: attributes };
    },
    ...RECEIPT_READS,
  },
  changes: {
    CreateTemplate: (call, form, tx) => putTemplate(call, tx, ...templateIn(call, form), true),
    UpdateTemplate: (call, form, tx) => putTemplate(call, tx, ...templateIn(call, form), false),
    DeleteTemplate: (call, form, tx) => TEMPLATES.remove(call, tx, form.one('TemplateName') ?? ''),
    VerifyEmailIdentity: (call, form, tx) => verify(call, tx, domainIn(form.one('EmailAddress') ?? '')),
    VerifyDomainIdentity: async (call, form, tx) => {
      await verify(call, tx, form.one('Domain') ?? '');
      return { VerificationToken: 'mailcap' };
    },
    CreateConfigurationSet: (call, form, tx) => createSet(call, tx, form.one('ConfigurationSet.Name')),
    DeleteConfigurationSet: (call, form, tx) => removeSet(call, tx, form.one('ConfigurationSetName')),
    CreateConfigurationSetEventDestination: (call, form, tx) =>
      createDestination(call, tx, form.one('ConfigurationSetName'), destinationIn(form)),
    UpdateConfigurationSetEventDestination: (call, form, tx) =>
      changeDestination(call, tx, form.one('ConfigurationSetName'), destinationIn(form)),
    DeleteConfigurationSetEventDestination: (call, form, tx) =>
      removeDestination(call, tx, form.one('ConfigurationSetName'), form.one('EventDestinationName')),
    SetIdentityNotificationTopic: (call, form, tx) => {
      const type = notificationType(call, form.one('NotificationType'));
      return setTopic(call, tx, identityIn(call, form), type, form.one('SnsTopic'));
    },
    SetIdentityHeadersInNotificationsEnabled: (call, form, tx) => {
      const type = notificationType(call, form.one('NotificationType'));
      return setHeadersIn(call, tx, identityIn(call, form), type, form.one('Enabled') === 'true');
    },
    ...RECEIPT_CHANGES,
  },
};

function send(call: DoorCall, form: QueryForm, asked: AskedMail): Promise<DoorAnswer> {
  return sendMails(call, [asked], awsAnswer(SES_NAMESPACE, form, { MessageId: asked.mail.id }));
}

function addressesIn(form: QueryForm): SesAddresses {
  const values = form.list('Tags', '.Value');
  return {
    from: form.one('Source'),
    to: form.list('Destination.ToAddresses'),
    cc: form.list('Destination.CcAddresses'),
    bcc: form.list('Destination.BccAddresses'),
    replyTo: form.list('ReplyToAddresses'),
    tags: form.list('Tags', '.Name').map((name, index) => [name, values[index]]),
    configurationSet: form.one('ConfigurationSetName'),
  };
}

function templateIn(call: DoorCall, form: QueryForm) {
  const [subject, text, html] = ['SubjectPart', 'TextPart', 'HtmlPart'].map((part) => form.one(`Template.${part}`));
  return [form.one('Template.TemplateName'), checkedParts(call, { subject, text, html })] as const;
}

function identityIn(call: DoorCall, form: QueryForm): string {
  const identity = form.one('Identity') ?? '';
  // An ARN names it too.
  const name = identity.replace(/^arn:aws:ses:[^:]*:\d+:identity\//, '');
  if (!/^[^\s@]{0,64}@?[\w.-]{1,253}$/.test(name))
    throw badRequest(call, `Identity <${identity.slice(0, 100)}> is not valid.`);
  return name;
}

function destinationIn(form: QueryForm): GivenDestination {
  return {
    name: form.one('EventDestination.Name'),
    isEnabled: form.one('EventDestination.Enabled') === 'true',
    types: form.list('EventDestination.MatchingEventTypes'),
    topicArn: form.one('EventDestination.SNSDestination.TopicARN'),
  };
}

/** Writes the type of an event as this version does: `renderingFailure`. */
function inCamelCase(type: string): string {
  return type.toLowerCase().replace(/_(.)/g, (_all, next: string) => next.toUpperCase());
}

async function verify(call: DoorCall, tx: Tx, domain: string): Promise<void> {
  await addDomain(call, tx, domain, () => badRequest(call, 'The identity is neither an address nor a domain.'));
}

export const version1 = postRoute('', async (call) => {
  const form = new QueryForm(call);
  const action = queryAction(ACTIONS, form);
  if (action !== null) return action(call);
  const name = form.one('Action') ?? '';
  const message = `mailcap does not have the action ${name.slice(0, 100)}: ${docsPath('providers')} lists what it has.`;
  throw refuseSes(call, 'not_found', message);
});
