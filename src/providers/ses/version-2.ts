import { addIdentity, addSuppression } from '../../actions/sends.ts';
import { ApiError } from '../../domain/errors.ts';
import { keyOfRecord } from '../../domain/provider.ts';
import type { DoorCall, DoorRefusal, DoorRoute } from '../door.ts';
import { addressIn, base64In, fieldOf, isMissing, isText, type JsonObject, objectOf } from '../fields.ts';
import { type FileForm, filesIn, type Refuse, WRONG } from '../parts.ts';
import { getRecord, putRecord, removeRecord } from '../records.ts';
import { allRecords } from '../resources.ts';
import { type AskedMail, sendMails } from '../send.ts';
import { liftSuppression, suppressionOf, suppressions } from '../suppressions.ts';
import { storedPart } from '../templates.ts';
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
import { refuseSes } from './errors.ts';
import {
  renderedSes,
  type SesAddresses,
  type SesContent,
  type SesTemplate,
  sesMail,
  sesRawMail,
  sesTemplate,
} from './mail.ts';

// Version 2 of the API of Amazon SES, as `@aws-sdk/client-sesv2` calls it: https://docs.aws.amazon.com/ses/latest/APIReference-V2

const MOST_IN_BULK = 50;

const sending: readonly DoorRoute[] = [
  {
    method: 'POST',
    path: '/v2/email/outbound-emails',
    handle: async (call) => {
      const given = bodyOf(call);
      const content = objectOf(fieldOf(given, 'Content')) ?? {};
      const addresses = addressesOf(given, fieldOf(given, 'Destination'), fieldOf(given, 'EmailTags'));
      const asked = await askedOf(call, content, addresses);
      return sendMails(call, [asked], { status: 200, body: { MessageId: asked.mail.id } });
    },
  },
  {
    method: 'POST',
    path: '/v2/email/outbound-bulk-emails',
    handle: async (call) => {
      const given = bodyOf(call);
      const entries = fieldOf(given, 'BulkEmailEntries');
      if (!Array.isArray(entries) || entries.length === 0 || entries.length > MOST_IN_BULK)
        throw refuseSes(call, 'bad', `BulkEmailEntries has 1 to ${MOST_IN_BULK} entries.`);
      const template = objectOf(fieldOf(objectOf(fieldOf(given, 'DefaultContent')) ?? {}, 'Template'));
      if (template === null) throw refuseSes(call, 'bad', 'DefaultContent has no Template.');
      const asked: AskedMail[] = [];
      for (const one of entries) {
        const entry = objectOf(one) ?? {};
        const replacement =
          objectOf(fieldOf(objectOf(fieldOf(entry, 'ReplacementEmailContent')) ?? {}, 'ReplacementTemplate')) ?? {};
        const tags = fieldOf(entry, 'ReplacementTags') ?? fieldOf(given, 'DefaultEmailTags');
        const addresses = addressesOf(given, fieldOf(entry, 'Destination'), tags);
        asked.push(
          sesMail(call, addresses, await templated(call, template, [fieldOf(replacement, 'ReplacementTemplateData')])),
        );
      }
      const BulkEmailEntryResults = asked.map(({ mail }) => ({ Status: 'SUCCESS', MessageId: mail.id }));
      return sendMails(call, asked, { status: 200, body: { BulkEmailEntryResults } });
    },
  },
  {
    method: 'GET',
    path: '/v2/email/account',
    handle: async () => ({
      status: 200,
      body: {
        ...{
          SendingEnabled: true,
          ProductionAccessEnabled: true,
          EnforcementStatus: 'HEALTHY',
          DedicatedIpAutoWarmupEnabled: false,
        },
        SendQuota: { Max24HourSend: 1_000_000, MaxSendRate: 1_000, SentLast24Hours: 0 },
        SuppressionAttributes: { SuppressedReasons: ['BOUNCE', 'COMPLAINT'] },
      },
    }),
  },
];

async function askedOf(call: DoorCall, content: JsonObject, addresses: SesAddresses): Promise<AskedMail> {
  const [simple, raw, template] = ['Simple', 'Raw', 'Template'].map((name) => objectOf(fieldOf(content, name)));
  if (raw) return sesRawMail(call, base64In(fieldOf(raw, 'Data')), addresses);
  if (template) return sesMail(call, addresses, await templated(call, template, []));
  if (!simple) throw refuseSes(call, 'bad', 'Content has to be Simple, Raw or Template.');
  const body = objectOf(fieldOf(simple, 'Body')) ?? {};
  const dataOf = (part: unknown) => fieldOf(objectOf(part) ?? {}, 'Data');
  return sesMail(call, addresses, {
    subject: dataOf(fieldOf(simple, 'Subject')),
    text: dataOf(fieldOf(body, 'Text')),
    html: dataOf(fieldOf(body, 'Html')),
    ...partsOf(call, simple),
  });
}

async function templated(call: DoorCall, given: JsonObject, more: readonly unknown[]): Promise<SesContent> {
  const inline = objectOf(fieldOf(given, 'TemplateContent'));
  const name =
    fieldOf(given, 'TemplateName') ?? String(fieldOf(given, 'TemplateArn') ?? '').replace(/^.*template\//, '');
  const template =
    inline === null ? await sesTemplate(call, await call.ctx.store.readNow(), name) : partsIn(call, inline);
  return { ...renderedSes(call, template, [fieldOf(given, 'TemplateData'), ...more]), ...partsOf(call, given) };
}

function addressesOf(given: JsonObject, destination: unknown, tags: unknown): SesAddresses {
  const places = objectOf(destination) ?? {};
  const list = (value: unknown) => (Array.isArray(value) ? value : isMissing(value) ? [] : [value]);
  return {
    from: fieldOf(given, 'FromEmailAddress'),
    to: list(fieldOf(places, 'ToAddresses')),
    cc: list(fieldOf(places, 'CcAddresses')),
    bcc: list(fieldOf(places, 'BccAddresses')),
    replyTo: list(fieldOf(given, 'ReplyToAddresses')),
    tags: list(tags).map((one: unknown) => [
      fieldOf(objectOf(one) ?? {}, 'Name'),
      fieldOf(objectOf(one) ?? {}, 'Value'),
    ]),
    configurationSet: fieldOf(given, 'ConfigurationSetName'),
  };
}

const FILES: FileForm = {
  ...{ content: 'RawContent', filename: 'FileName', type: 'ContentType', contentId: ['ContentId'] },
  disposition: 'ContentDisposition',
  mostBytes: 30 * 1024 * 1024,
};

function partsOf(call: DoorCall, given: JsonObject): Pick<SesContent, 'headers' | 'attachments'> {
  const headers = fieldOf(given, 'Headers') ?? [];
  if (!Array.isArray(headers)) throw refuseSes(call, 'bad', 'Headers is a list.');
  const refuse: Refuse = (field, wrong) => refuseSes(call, 'bad', `${field} ${WRONG[wrong]}.`);
  return {
    headers: headers.map((one: unknown) => {
      const header = objectOf(one) ?? {};
      return [String(fieldOf(header, 'Name')), fieldOf(header, 'Value')] as const;
    }),
    attachments: filesIn(fieldOf(given, 'Attachments'), 'Attachments', FILES, refuse),
  };
}

/** Reads and checks the parts of a template. Throws a refusal of SES. */
export function checkedParts(call: DoorCall, subject: unknown, text: unknown, html: unknown): SesTemplate {
  const [first, second, third] = [subject, text, html].map((part) =>
    storedPart(part, (reason) => refuseSes(call, 'bad', `The template is not valid: ${reason}`)),
  );
  if (!second && !third) throw refuseSes(call, 'bad', 'A template needs a Text or a Html part.');
  return { subject: first ?? '', text: second ?? '', html: third ?? '' };
}

function partsIn(call: DoorCall, given: JsonObject): SesTemplate {
  return checkedParts(call, fieldOf(given, 'Subject'), fieldOf(given, 'Text'), fieldOf(given, 'Html'));
}

const NAME = /^[\w.-]{1,64}$/;

const templates: readonly DoorRoute[] = [
  {
    method: 'POST',
    path: '/v2/email/templates',
    handle: async (call) => {
      const given = bodyOf(call);
      const name = fieldOf(given, 'TemplateName');
      if (!isText(name) || !NAME.test(name)) throw refuseSes(call, 'bad', 'The TemplateName is missing or not valid.');
      const parts = partsIn(call, objectOf(fieldOf(given, 'TemplateContent')) ?? {});
      return call.once(async (tx) => {
        if ((await getRecord(call, tx, 'templates', name)) !== null)
          throw refuseSes(call, 'exists', `Template ${name} already exists`);
        await putRecord(call, tx, 'templates', name, { parts });
        return { status: 200, body: {} };
      });
    },
  },
  {
    method: 'GET',
    path: '/v2/email/templates',
    handle: async (call) => {
      const all = await allRecords(call, 'templates');
      const TemplatesMetadata = all.map((one) => ({
        TemplateName: keyOfRecord(one),
        CreatedTimestamp: one.createdAt / 1_000,
      }));
      return { status: 200, body: { TemplatesMetadata } };
    },
  },
  {
    method: 'GET',
    path: '/v2/email/templates/:name',
    handle: async (call) => {
      const { subject, text, html } = await sesTemplate(call, await call.ctx.store.readNow(), call.params['name']);
      const TemplateContent = { Subject: subject, Text: text, Html: html };
      return { status: 200, body: { TemplateName: call.params['name'], TemplateContent } };
    },
  },
  {
    method: 'PUT',
    path: '/v2/email/templates/:name',
    handle: async (call) => {
      const parts = partsIn(call, objectOf(fieldOf(bodyOf(call), 'TemplateContent')) ?? {});
      return call.once(async (tx) => {
        await sesTemplate(call, tx, call.params['name']);
        await putRecord(call, tx, 'templates', call.params['name'] ?? '', { parts });
        return { status: 200, body: {} };
      });
    },
  },
  {
    method: 'DELETE',
    path: '/v2/email/templates/:name',
    handle: async (call) =>
      call.once(async (tx) => {
        await sesTemplate(call, tx, call.params['name']);
        await removeRecord(call, tx, 'templates', call.params['name'] ?? '');
        return { status: 200, body: {} };
      }),
  },
];

const identities: readonly DoorRoute[] = [
  ...[['GET', '/v2/email/identities'] as const, ['POST', '/v2/email/list-identities'] as const].map(
    ([method, path]): DoorRoute => ({
      method,
      path,
      handle: async ({ ctx, workspaceId }) => {
        const own = await (await ctx.store.readNow()).identities.list(workspaceId);
        const EmailIdentities = own.map(({ domain }) => ({
          ...{ IdentityType: 'DOMAIN', IdentityName: domain, SendingEnabled: true, VerificationStatus: 'SUCCESS' },
        }));
        return { status: 200, body: { EmailIdentities } };
      },
    }),
  ),
  {
    method: 'POST',
    path: '/v2/email/identities',
    handle: async (call) => {
      const identity = fieldOf(bodyOf(call), 'EmailIdentity');
      const address = addressIn(identity);
      const domain = address === null ? identity : address.domain;
      return call.once(async (tx) => {
        await addIdentity(call.ctx, tx, call.workspaceId, { domain }).catch((error: unknown) => {
          if (!(error instanceof ApiError) || error.code !== 'invalid_domain') throw error;
          throw refuseSes(call, 'bad', 'EmailIdentity is neither an address nor a domain.');
        });
        const IdentityType = address === null ? 'DOMAIN' : 'EMAIL_ADDRESS';
        return { status: 200, body: { IdentityType, VerifiedForSendingStatus: true } };
      });
    },
  },
  {
    method: 'GET',
    path: '/v2/email/identities/:name',
    // Every identity may send: mailcap does not ask for one before it takes mail.
    handle: async ({ params }) => {
      const IdentityType = params['name']?.includes('@') ? 'EMAIL_ADDRESS' : 'DOMAIN';
      return {
        status: 200,
        body: {
          IdentityType,
          VerifiedForSendingStatus: true,
          VerificationStatus: 'SUCCESS',
          FeedbackForwardingStatus: true,
        },
      };
    },
  },
  {
    method: 'DELETE',
    path: '/v2/email/identities/:name',
    handle: async (call) =>
      call.once(async (tx) => {
        const found = (await tx.identities.list(call.workspaceId)).find(
          ({ domain }) => domain === call.params['name']?.toLowerCase(),
        );
        if (found === undefined) throw notFound(call, 'Email identity does not exist.');
        await tx.identities.remove(found.id);
        return { status: 200, body: {} };
      }),
  },
];

const lists: readonly DoorRoute[] = [
  {
    method: 'PUT',
    path: '/v2/email/suppression/addresses',
    handle: async (call) => {
      const given = bodyOf(call);
      const [address, reason] = [addressIn(fieldOf(given, 'EmailAddress')), fieldOf(given, 'Reason')];
      if (address === null || (reason !== 'BOUNCE' && reason !== 'COMPLAINT'))
        throw refuseSes(call, 'bad', 'EmailAddress is not valid, or Reason is neither BOUNCE nor COMPLAINT.');
      return call.once(async (tx) => {
        const entry = { recipient: address.address, reason: reason === 'BOUNCE' ? 'bounce' : 'complaint' } as const;
        await addSuppression(call.ctx, tx, call.workspaceId, entry);
        return { status: 200, body: {} };
      });
    },
  },
  {
    method: 'GET',
    path: '/v2/email/suppression/addresses',
    handle: async (call) => {
      const all = await suppressions(call);
      return { status: 200, body: { SuppressedDestinationSummaries: all.map(shownSuppression) } };
    },
  },
  {
    method: 'GET',
    path: '/v2/email/suppression/addresses/:email',
    handle: async (call) => {
      const entry = await suppressionOf(call, await call.ctx.store.readNow(), call.params['email']);
      if (entry === null) throw notFound(call, 'Email address does not exist on your suppression list.');
      return { status: 200, body: { SuppressedDestination: shownSuppression(entry) } };
    },
  },
  {
    method: 'DELETE',
    path: '/v2/email/suppression/addresses/:email',
    handle: async (call) =>
      call.once(async (tx) => {
        if (!(await liftSuppression(call, tx, call.params['email'])))
          throw notFound(call, 'Email address does not exist on your suppression list.');
        return { status: 200, body: {} };
      }),
  },
];

const SETS = '/v2/email/configuration-sets';
const DESTINATIONS = `${SETS}/:name/event-destinations`;

function destinationIn(given: JsonObject, name: unknown): GivenDestination {
  const destination = objectOf(fieldOf(given, 'EventDestination')) ?? {};
  const types = fieldOf(destination, 'MatchingEventTypes');
  return {
    name,
    isEnabled: fieldOf(destination, 'Enabled') === true,
    types: Array.isArray(types) ? types : [],
    topicArn: fieldOf(objectOf(fieldOf(destination, 'SnsDestination')) ?? {}, 'TopicArn'),
  };
}

const configurationSets: readonly DoorRoute[] = [
  {
    method: 'POST',
    path: SETS,
    handle: async (call) =>
      call.once(async (tx) => {
        await createSet(call, tx, fieldOf(bodyOf(call), 'ConfigurationSetName'));
        return { status: 200, body: {} };
      }),
  },
  {
    method: 'GET',
    path: SETS,
    handle: async (call) => ({ status: 200, body: { ConfigurationSets: await setNames(call) } }),
  },
  {
    method: 'GET',
    path: `${SETS}/:name`,
    handle: async (call) => {
      await destinationsOf(call, await call.ctx.store.readNow(), call.params['name']);
      const body = { ConfigurationSetName: call.params['name'], SendingOptions: { SendingEnabled: true } };
      return { status: 200, body };
    },
  },
  {
    method: 'DELETE',
    path: `${SETS}/:name`,
    handle: async (call) =>
      call.once(async (tx) => {
        await removeSet(call, tx, call.params['name']);
        return { status: 200, body: {} };
      }),
  },
  {
    method: 'POST',
    path: DESTINATIONS,
    handle: async (call) =>
      call.once(async (tx) => {
        const given = bodyOf(call);
        const destination = destinationIn(given, fieldOf(given, 'EventDestinationName'));
        await createDestination(call, tx, call.params['name'], destination);
        return { status: 200, body: {} };
      }),
  },
  {
    method: 'GET',
    path: DESTINATIONS,
    handle: async (call) => {
      const all = await destinationsOf(call, await call.ctx.store.readNow(), call.params['name']);
      const EventDestinations = all.map(({ name, isEnabled, types, topicArn }) => ({
        ...{ Name: name, Enabled: isEnabled, MatchingEventTypes: types, SnsDestination: { TopicArn: topicArn } },
      }));
      return { status: 200, body: { EventDestinations } };
    },
  },
  {
    method: 'PUT',
    path: `${DESTINATIONS}/:destination`,
    handle: async (call) =>
      call.once(async (tx) => {
        const destination = destinationIn(bodyOf(call), call.params['destination']);
        await changeDestination(call, tx, call.params['name'], destination);
        return { status: 200, body: {} };
      }),
  },
  {
    method: 'DELETE',
    path: `${DESTINATIONS}/:destination`,
    handle: async (call) =>
      call.once(async (tx) => {
        await removeDestination(call, tx, call.params['name'], call.params['destination']);
        return { status: 200, body: {} };
      }),
  },
];

function shownSuppression({ recipient, reason, addedAt }: { recipient: string; reason: string; addedAt: number }) {
  return { EmailAddress: recipient, Reason: reason.toUpperCase(), LastUpdateTime: addedAt / 1_000 };
}

function notFound(call: DoorCall, message: string): DoorRefusal {
  return refuseSes(call, 'not_found', message);
}

function bodyOf(call: DoorCall): JsonObject {
  const given = call.body.kind === 'json' ? objectOf(call.body.value) : null;
  if (given === null) throw refuseSes(call, 'bad', 'The body has to be a JSON object.');
  return given;
}

export const version2: readonly DoorRoute[] = [...sending, ...templates, ...identities, ...lists, ...configurationSets];
