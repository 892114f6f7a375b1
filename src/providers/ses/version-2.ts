import type { Reader, Tx } from '../../ports/store.ts';
import { type BodyFields, bodyReader } from '../body-fields.ts';
import { oneByOne } from '../calls.ts';
import type { DoorCall, DoorRefusal, DoorRoute } from '../door.ts';
import { addressIn, base64In, fieldOf, objectOf } from '../fields.ts';
import { addDomain, identities } from '../identities.ts';
import { type FileForm, WRONG } from '../parts.ts';
import { changeRoute, getRoute, okAnswer, postRoute } from '../routes.ts';
import { type AskedMail, sendMails } from '../send.ts';
import { suppressionRoutes } from '../suppressions.ts';
import {
  changeDestination,
  createDestination,
  createSet,
  destinationsOf,
  type GivenDestination,
  removeDestination,
  removeSet,
  setNames,
} from './destinations.ts';
import { badRequest, refuseSes } from './errors.ts';
import { type SesAddresses, type SesContent, sesMail, sesRawMail } from './mail.ts';
import { checkedParts, putTemplate, renderedSes, type SesTemplate, sesTemplate, TEMPLATES } from './templates.ts';

// Version 2 of the API of Amazon SES, as `@aws-sdk/client-sesv2` calls it: https://docs.aws.amazon.com/ses/latest/APIReference-V2

const MOST_IN_BULK = 50;

function bodyOf(call: DoorCall): BodyFields {
  const refuseBody = () => badRequest(call, 'The body has to be a JSON object.');
  return bodyReader(refuseBody, (field, wrong) => badRequest(call, `${field} ${WRONG[wrong]}.`))(call);
}

/** Returns a route that answers nothing. */
function voidRoute(
  method: 'POST' | 'PUT' | 'DELETE',
  path: string,
  run: (call: DoorCall, tx: Tx) => Promise<void>,
): DoorRoute {
  return changeRoute(method, path, 200, async (call, tx) => {
    await run(call, tx);
    return {};
  });
}

const sending: readonly DoorRoute[] = [
  postRoute('/v2/email/outbound-emails', async (call) => {
    const given = bodyOf(call);
    const addresses = addressesOf(given, given.inside('Destination'), given.raw('EmailTags'));
    const asked = await askedOf(call, given.inside('Content'), addresses);
    return sendMails(call, [asked], okAnswer({ MessageId: asked.mail.id }));
  }),
  postRoute('/v2/email/outbound-bulk-emails', async (call) => {
    const given = bodyOf(call);
    const entries = given.objects('BulkEmailEntries', MOST_IN_BULK);
    if (entries.length === 0) throw badRequest(call, `BulkEmailEntries has 1 to ${MOST_IN_BULK} entries.`);
    const content = given.inside('DefaultContent');
    if (content.lacks('Template')) throw badRequest(call, 'DefaultContent has no Template.');
    const asked = await oneByOne(entries, async (entry) => {
      const replacement = entry.inside('ReplacementEmailContent').inside('ReplacementTemplate');
      const tags = entry.raw('ReplacementTags') ?? given.raw('DefaultEmailTags');
      const data = [replacement.raw('ReplacementTemplateData')];
      const addresses = addressesOf(given, entry.inside('Destination'), tags);
      return sesMail(call, addresses, await templated(call, content.inside('Template'), data));
    });
    const BulkEmailEntryResults = asked.map(({ mail }) => ({ Status: 'SUCCESS', MessageId: mail.id }));
    return sendMails(call, asked, okAnswer({ BulkEmailEntryResults }));
  }),
  getRoute('/v2/email/account', () => ({
    ...{ SendingEnabled: true, ProductionAccessEnabled: true, EnforcementStatus: 'HEALTHY' },
    DedicatedIpAutoWarmupEnabled: false,
    SendQuota: { Max24HourSend: 1_000_000, MaxSendRate: 1_000, SentLast24Hours: 0 },
    SuppressionAttributes: { SuppressedReasons: ['BOUNCE', 'COMPLAINT'] },
  })),
];

async function askedOf(call: DoorCall, content: BodyFields, addresses: SesAddresses): Promise<AskedMail> {
  if (objectOf(content.raw('Raw'))) return sesRawMail(call, base64In(content.inside('Raw').raw('Data')), addresses);
  if (objectOf(content.raw('Template')))
    return sesMail(call, addresses, await templated(call, content.inside('Template'), []));
  if (!objectOf(content.raw('Simple'))) throw badRequest(call, 'Content has to be Simple, Raw or Template.');
  const simple = content.inside('Simple');
  const body = simple.inside('Body');
  return sesMail(call, addresses, {
    subject: simple.inside('Subject').raw('Data'),
    text: body.inside('Text').raw('Data'),
    html: body.inside('Html').raw('Data'),
    ...partsOf(simple),
  });
}

async function templated(call: DoorCall, given: BodyFields, more: readonly unknown[]): Promise<SesContent> {
  const name = given.raw('TemplateName') ?? String(given.raw('TemplateArn') ?? '').replace(/^.*template\//, '');
  const template = given.lacks('TemplateContent')
    ? await sesTemplate(call, await call.ctx.store.readNow(), name)
    : partsIn(call, given.inside('TemplateContent'));
  return { ...renderedSes(call, template, [given.raw('TemplateData'), ...more]), ...partsOf(given) };
}

function addressesOf(given: BodyFields, destination: BodyFields, tags: unknown): SesAddresses {
  return {
    from: given.raw('FromEmailAddress'),
    to: listOf(destination.raw('ToAddresses')),
    cc: listOf(destination.raw('CcAddresses')),
    bcc: listOf(destination.raw('BccAddresses')),
    replyTo: listOf(given.raw('ReplyToAddresses')),
    tags: listOf(tags).map((one) => [fieldOf(objectOf(one) ?? {}, 'Name'), fieldOf(objectOf(one) ?? {}, 'Value')]),
    configurationSet: given.raw('ConfigurationSetName'),
  };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : value === undefined || value === null || value === '' ? [] : [value];
}

const FILES: FileForm = {
  ...{ content: 'RawContent', filename: 'FileName', type: 'ContentType', contentId: ['ContentId'] },
  disposition: 'ContentDisposition',
  mostBytes: 30 * 1024 * 1024,
};

function partsOf(given: BodyFields): Pick<SesContent, 'headers' | 'attachments'> {
  const headers = given.objects('Headers', 1_000).map((one) => [String(one.raw('Name')), one.raw('Value')] as const);
  return { headers, attachments: given.files('Attachments', FILES) };
}

function partsIn(call: DoorCall, given: BodyFields): SesTemplate {
  return checkedParts(call, { subject: given.raw('Subject'), text: given.raw('Text'), html: given.raw('Html') });
}

const PATH = '/v2/email/templates';

const templates: readonly DoorRoute[] = [
  voidRoute('POST', PATH, (call, tx) => {
    const given = bodyOf(call);
    return putTemplate(call, tx, given.raw('TemplateName'), partsIn(call, given.inside('TemplateContent')), true);
  }),
  getRoute(PATH, async (call, reader) => {
    const all = await TEMPLATES.list(call, reader);
    return {
      TemplatesMetadata: all.map((one) => ({ TemplateName: one.key, CreatedTimestamp: one.createdAt / 1_000 })),
    };
  }),
  getRoute(`${PATH}/:name`, async (call, reader) => {
    const { subject, text, html } = await sesTemplate(call, reader, call.params['name']);
    const TemplateContent = { Subject: subject, Text: text, Html: html };
    return { TemplateName: call.params['name'], TemplateContent };
  }),
  voidRoute('PUT', `${PATH}/:name`, (call, tx) =>
    putTemplate(call, tx, call.params['name'], partsIn(call, bodyOf(call).inside('TemplateContent')), false),
  ),
  voidRoute('DELETE', `${PATH}/:name`, async (call, tx) => {
    await sesTemplate(call, tx, call.params['name']);
    await TEMPLATES.remove(call, tx, call.params['name'] ?? '');
  }),
];

const IDENTITIES = '/v2/email/identities';

const identityRoutes: readonly DoorRoute[] = [
  getRoute(IDENTITIES, shownIdentities),
  postRoute('/v2/email/list-identities', async (call) =>
    okAnswer(await shownIdentities(call, await call.ctx.store.readNow())),
  ),
  changeRoute('POST', IDENTITIES, 200, async (call, tx) => {
    const identity = bodyOf(call).raw('EmailIdentity');
    const domain = addressIn(identity)?.domain ?? identity;
    await addDomain(call, tx, domain, () => badRequest(call, 'EmailIdentity is neither an address nor a domain.'));
    return { IdentityType: domain === identity ? 'DOMAIN' : 'EMAIL_ADDRESS', VerifiedForSendingStatus: true };
  }),
  // Every identity may send: mailcap does not ask for one before it takes mail.
  getRoute(`${IDENTITIES}/:name`, ({ params }) => ({
    IdentityType: params['name']?.includes('@') ? 'EMAIL_ADDRESS' : 'DOMAIN',
    ...{ VerifiedForSendingStatus: true, VerificationStatus: 'SUCCESS', FeedbackForwardingStatus: true },
  })),
  voidRoute('DELETE', `${IDENTITIES}/:name`, async (call, tx) => {
    const name = call.params['name']?.toLowerCase();
    const found = (await identities(call, tx)).find(({ domain }) => domain === name);
    if (found === undefined) throw notFound(call, 'Email identity does not exist.');
    await tx.identities.remove(found.id);
  }),
];

async function shownIdentities(call: DoorCall, reader: Reader) {
  const EmailIdentities = (await identities(call, reader)).map(({ domain }) => ({
    ...{ IdentityType: 'DOMAIN', IdentityName: domain, SendingEnabled: true, VerificationStatus: 'SUCCESS' },
  }));
  return { EmailIdentities };
}

const suppressed = suppressionRoutes({
  path: '/v2/email/suppression/addresses',
  show: ({ recipient, reason, addedAt }) => ({
    ...{ EmailAddress: recipient, Reason: reason.toUpperCase(), LastUpdateTime: addedAt / 1_000 },
  }),
  list: (SuppressedDestinationSummaries) => ({ SuppressedDestinationSummaries }),
  found: (SuppressedDestination) => ({ SuppressedDestination }),
  add: {
    ...{ method: 'PUT', status: 200 },
    read: (call) => {
      const given = bodyOf(call);
      const [address, reason] = [addressIn(given.raw('EmailAddress')), given.raw('Reason')];
      if (address === null || (reason !== 'BOUNCE' && reason !== 'COMPLAINT'))
        throw badRequest(call, 'EmailAddress is not valid, or Reason is neither BOUNCE nor COMPLAINT.');
      return [{ recipient: address.address, reason: reason === 'BOUNCE' ? 'bounce' : 'complaint' }];
    },
    answer: () => ({}),
  },
  removed: () => ({}),
  notFound: (call) => notFound(call, 'Email address does not exist on your suppression list.'),
});

const SETS = '/v2/email/configuration-sets';
const DESTINATIONS = `${SETS}/:name/event-destinations`;

const configurationSets: readonly DoorRoute[] = [
  voidRoute('POST', SETS, (call, tx) => createSet(call, tx, bodyOf(call).raw('ConfigurationSetName'))),
  getRoute(SETS, async (call) => ({ ConfigurationSets: await setNames(call) })),
  getRoute(`${SETS}/:name`, async (call, reader) => {
    await destinationsOf(call, reader, call.params['name']);
    return { ConfigurationSetName: call.params['name'], SendingOptions: { SendingEnabled: true } };
  }),
  voidRoute('DELETE', `${SETS}/:name`, (call, tx) => removeSet(call, tx, call.params['name'])),
  voidRoute('POST', DESTINATIONS, (call, tx) => {
    const given = bodyOf(call);
    return createDestination(call, tx, call.params['name'], destinationIn(given, given.raw('EventDestinationName')));
  }),
  getRoute(DESTINATIONS, async (call, reader) => {
    const all = await destinationsOf(call, reader, call.params['name']);
    const EventDestinations = all.map(({ name, isEnabled, types, topicArn }) => ({
      ...{ Name: name, Enabled: isEnabled, MatchingEventTypes: types, SnsDestination: { TopicArn: topicArn } },
    }));
    return { EventDestinations };
  }),
  voidRoute('PUT', `${DESTINATIONS}/:destination`, (call, tx) =>
    changeDestination(call, tx, call.params['name'], destinationIn(bodyOf(call), call.params['destination'])),
  ),
  voidRoute('DELETE', `${DESTINATIONS}/:destination`, (call, tx) =>
    removeDestination(call, tx, call.params['name'], call.params['destination']),
  ),
];

function destinationIn(given: BodyFields, name: unknown): GivenDestination {
  const destination = given.inside('EventDestination');
  return {
    name,
    isEnabled: destination.raw('Enabled') === true,
    types: listOf(destination.raw('MatchingEventTypes')),
    topicArn: destination.inside('SnsDestination').raw('TopicArn'),
  };
}

function notFound(call: DoorCall, message: string): DoorRefusal {
  return refuseSes(call, 'not_found', message);
}

export const version2: readonly DoorRoute[] = [
  ...[...sending, ...templates, ...identityRoutes, ...suppressed, ...configurationSets],
];
