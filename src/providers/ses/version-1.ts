import { addIdentity } from '../../actions/sends.ts';
import { domainIn } from '../../domain/address.ts';
import { ApiError } from '../../domain/errors.ts';
import { keyOfRecord } from '../../domain/provider.ts';
import type { Tx } from '../../ports/store.ts';
import { docsPath } from '../../text/docs-place.ts';
import { awsAnswer, inXml, membersOf, QueryForm } from '../aws.ts';
import type { DoorAnswer, DoorCall, DoorRoute } from '../door.ts';
import { base64In } from '../fields.ts';
import { getRecord, putRecord, removeRecord } from '../records.ts';
import { allRecords } from '../resources.ts';
import { sendMails } from '../send.ts';
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
import { NAMESPACE, refuseSes } from './errors.ts';
import { RECEIPT_CHANGES, RECEIPT_READS } from './inbound.ts';
import { renderedSes, type SesAddresses, sesMail, sesRawMail, sesTemplate } from './mail.ts';
import { checkedParts } from './version-2.ts';

// Version 1 of the API of Amazon SES, a form with an Action, as `@aws-sdk/client-ses` and boto3 call it:
// https://docs.aws.amazon.com/ses/latest/APIReference

type Action = (call: DoorCall, form: QueryForm) => Promise<DoorAnswer>;

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

const NO_PARTS = { headers: [], attachments: [] };

const ACTIONS: Readonly<Record<string, Action>> = {
  SendEmail: async (call, form) => {
    const content = {
      subject: form.one('Message.Subject.Data'),
      text: form.one('Message.Body.Text.Data'),
      html: form.one('Message.Body.Html.Data'),
    };
    const asked = sesMail(call, addressesIn(form), { ...content, ...NO_PARTS });
    return sendMails(call, [asked], done(form, `<MessageId>${asked.mail.id}</MessageId>`));
  },
  SendRawEmail: async (call, form) => {
    const addresses = { ...addressesIn(form), to: form.list('Destinations') };
    const asked = await sesRawMail(call, base64In(form.one('RawMessage.Data')), addresses);
    return sendMails(call, [asked], done(form, `<MessageId>${asked.mail.id}</MessageId>`));
  },
  SendTemplatedEmail: async (call, form) => {
    const template = await sesTemplate(call, await call.ctx.store.readNow(), form.one('Template'));
    const asked = sesMail(call, addressesIn(form), {
      ...renderedSes(call, template, [form.one('TemplateData')]),
      ...NO_PARTS,
    });
    return sendMails(call, [asked], done(form, `<MessageId>${asked.mail.id}</MessageId>`));
  },
  CreateTemplate: (call, form) => putTemplate(call, form, true),
  UpdateTemplate: (call, form) => putTemplate(call, form, false),
  GetTemplate: async (call, form) => {
    const name = form.one('TemplateName') ?? '';
    const { subject, text, html } = await sesTemplate(call, await call.ctx.store.readNow(), name);
    const parts = `<SubjectPart>${inXml(subject)}</SubjectPart><TextPart>${inXml(text)}</TextPart><HtmlPart>${inXml(html)}</HtmlPart>`;
    return done(form, `<Template><TemplateName>${inXml(name)}</TemplateName>${parts}</Template>`);
  },
  ListTemplates: async (call, form) => {
    const all = await allRecords(call, 'templates');
    const members = all.map(
      (one) =>
        `<member><Name>${inXml(keyOfRecord(one))}</Name><CreatedTimestamp>${new Date(one.createdAt).toISOString()}</CreatedTimestamp></member>`,
    );
    return done(form, `<TemplatesMetadata>${members.join('')}</TemplatesMetadata>`);
  },
  DeleteTemplate: (call, form) =>
    call.once(async (tx) => {
      await removeRecord(call, tx, 'templates', form.one('TemplateName') ?? '');
      return done(form);
    }),
  GetSendQuota: async (_call, form) =>
    done(
      form,
      '<Max24HourSend>1000000.0</Max24HourSend><MaxSendRate>1000.0</MaxSendRate><SentLast24Hours>0.0</SentLast24Hours>',
    ),
  GetAccountSendingEnabled: async (_call, form) => done(form, '<Enabled>true</Enabled>'),
  VerifyEmailIdentity: (call, form) => verify(call, form, domainIn(form.one('EmailAddress') ?? ''), ''),
  VerifyDomainIdentity: (call, form) =>
    verify(call, form, form.one('Domain') ?? '', '<VerificationToken>mailcap</VerificationToken>'),
  ListIdentities: async ({ ctx, workspaceId }, form) => {
    const own = await (await ctx.store.readNow()).identities.list(workspaceId);
    return done(
      form,
      `<Identities>${own.map(({ domain }) => `<member>${inXml(domain)}</member>`).join('')}</Identities>`,
    );
  },
  // Every identity may send: mailcap does not ask for one before it takes mail.
  GetIdentityVerificationAttributes: async (_call, form) => {
    const entries = form
      .list('Identities')
      .map(
        (name) =>
          `<entry><key>${inXml(name)}</key><value><VerificationStatus>Success</VerificationStatus></value></entry>`,
      );
    return done(form, `<VerificationAttributes>${entries.join('')}</VerificationAttributes>`);
  },
  ...Object.fromEntries(
    Object.entries(RECEIPT_CHANGES).map(([name, change]): [string, Action] => [
      name,
      (call, form) => changed(call, form, (tx) => change(call, form, tx)),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(RECEIPT_READS).map(([name, read]): [string, Action] => [
      name,
      (call, form) => read(call, form, done),
    ]),
  ),
  CreateConfigurationSet: (call, form) =>
    changed(call, form, (tx) => createSet(call, tx, form.one('ConfigurationSet.Name'))),
  DeleteConfigurationSet: (call, form) =>
    changed(call, form, (tx) => removeSet(call, tx, form.one('ConfigurationSetName'))),
  ListConfigurationSets: async (call, form) => {
    const names = (await setNames(call)).map((name) => `<Name>${name}</Name>`);
    return done(form, `<ConfigurationSets>${membersOf(names)}</ConfigurationSets>`);
  },
  DescribeConfigurationSet: async (call, form) => {
    const set = form.one('ConfigurationSetName');
    const all = await destinationsOf(call, await call.ctx.store.readNow(), set);
    const members = all.map(({ name, isEnabled, types, topicArn }) => {
      const written = types.map((type) =>
        type.toLowerCase().replace(/_(.)/g, (_all, next: string) => next.toUpperCase()),
      );
      return `<Name>${name}</Name><Enabled>${isEnabled}</Enabled><MatchingEventTypes>${membersOf(written)}</MatchingEventTypes><SNSDestination><TopicARN>${inXml(topicArn)}</TopicARN></SNSDestination>`;
    });
    const described = `<ConfigurationSet><Name>${inXml(set ?? '')}</Name></ConfigurationSet>`;
    return done(form, `${described}<EventDestinations>${membersOf(members)}</EventDestinations>`);
  },
  CreateConfigurationSetEventDestination: (call, form) =>
    changed(call, form, (tx) => createDestination(call, tx, form.one('ConfigurationSetName'), destinationIn(form))),
  UpdateConfigurationSetEventDestination: (call, form) =>
    changed(call, form, (tx) => changeDestination(call, tx, form.one('ConfigurationSetName'), destinationIn(form))),
  DeleteConfigurationSetEventDestination: (call, form) =>
    changed(call, form, (tx) =>
      removeDestination(call, tx, form.one('ConfigurationSetName'), form.one('EventDestinationName')),
    ),
  SetIdentityNotificationTopic: (call, form) => {
    const type = notificationType(call, form.one('NotificationType'));
    return changed(call, form, (tx) => setTopic(call, tx, identityIn(call, form), type, form.one('SnsTopic')));
  },
  SetIdentityHeadersInNotificationsEnabled: (call, form) => {
    const type = notificationType(call, form.one('NotificationType'));
    const isOn = form.one('Enabled') === 'true';
    return changed(call, form, (tx) => setHeadersIn(call, tx, identityIn(call, form), type, isOn));
  },
  // No mail of feedback is sent, whether an app wants it or not.
  SetIdentityFeedbackForwardingEnabled: async (_call, form) => done(form),
  GetIdentityNotificationAttributes: async (call, form) => {
    const reader = await call.ctx.store.readNow();
    const entries = await Promise.all(
      form.list('Identities').map(async (identity) => {
        const { topics, withHeaders } = await topicsOf(call, reader, identity);
        const attributes = NOTIFICATION_TYPES.map(
          (type) =>
            `<${type}Topic>${inXml(topics[type] ?? '')}</${type}Topic><HeadersIn${type}NotificationsEnabled>${withHeaders.includes(type)}</HeadersIn${type}NotificationsEnabled>`,
        );
        return `<entry><key>${inXml(identity)}</key><value>${attributes.join('')}<ForwardingEnabled>true</ForwardingEnabled></value></entry>`;
      }),
    );
    return done(form, `<NotificationAttributes>${entries.join('')}</NotificationAttributes>`);
  },
};

/** Makes a change whose answer holds nothing. */
function changed(call: DoorCall, form: QueryForm, change: (tx: Tx) => Promise<void>): Promise<DoorAnswer> {
  return call.once(async (tx) => {
    await change(tx);
    return done(form);
  });
}

function identityIn(call: DoorCall, form: QueryForm): string {
  const identity = form.one('Identity') ?? '';
  // An ARN names it too.
  const name = identity.replace(/^arn:aws:ses:[^:]*:\d+:identity\//, '');
  if (!/^[^\s@]{0,64}@?[\w.-]{1,253}$/.test(name))
    throw refuseSes(call, 'bad', `Identity <${identity.slice(0, 100)}> is not valid.`);
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

function verify(call: DoorCall, form: QueryForm, domain: string, result: string): Promise<DoorAnswer> {
  return call.once(async (tx) => {
    await addIdentity(call.ctx, tx, call.workspaceId, { domain }).catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.code !== 'invalid_domain') throw error;
      throw refuseSes(call, 'bad', 'The identity is neither an address nor a domain.');
    });
    return done(form, result);
  });
}

function putTemplate(call: DoorCall, form: QueryForm, isNew: boolean): Promise<DoorAnswer> {
  const name = form.one('Template.TemplateName') ?? '';
  if (!/^[\w.-]{1,64}$/.test(name)) throw refuseSes(call, 'bad', 'The TemplateName is missing or not valid.');
  const parts = checkedParts(
    call,
    form.one('Template.SubjectPart'),
    form.one('Template.TextPart'),
    form.one('Template.HtmlPart'),
  );
  return call.once(async (tx) => {
    const before = await getRecord(call, tx, 'templates', name);
    if (isNew && before !== null) throw refuseSes(call, 'exists', `Template ${name} already exists`);
    if (!isNew && before === null) throw refuseSes(call, 'no_template', `Template ${name} does not exist`);
    await putRecord(call, tx, 'templates', name, { parts });
    return done(form);
  });
}

/** Writes the answer of an action. */
function done(form: QueryForm, result = ''): DoorAnswer {
  return awsAnswer(NAMESPACE, form, result);
}

export const version1: readonly DoorRoute[] = ['', '/'].map((path) => ({
  method: 'POST',
  path,
  handle: async (call) => {
    const form = new QueryForm(call);
    const name = form.one('Action') ?? '';
    const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
    if (action === undefined)
      throw refuseSes(
        call,
        'not_found',
        `mailcap does not have the action ${name.slice(0, 100)}: ${docsPath('providers')} lists what it has.`,
      );
    return action(call, form);
  },
}));
