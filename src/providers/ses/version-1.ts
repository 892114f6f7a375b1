import { addIdentity } from '../../actions/sends.ts';
import { ApiError } from '../../domain/errors.ts';
import { keyOfRecord } from '../../domain/provider.ts';
import { docsPath } from '../../text/docs-place.ts';
import type { DoorAnswer, DoorCall, DoorRoute } from '../door.ts';
import { base64In } from '../fields.ts';
import { getRecord, putRecord, removeRecord } from '../records.ts';
import { allRecords } from '../resources.ts';
import { sendMails } from '../send.ts';
import { inXml, NAMESPACE, refuseSes, XML } from './errors.ts';
import { renderedSes, type SesAddresses, sesMail, sesRawMail, sesTemplate } from './mail.ts';
import { checkedParts } from './version-2.ts';

// Version 1 of the API of Amazon SES, a form with an Action, as `@aws-sdk/client-ses` and boto3 call it:
// https://docs.aws.amazon.com/ses/latest/APIReference

type Action = (call: DoorCall, form: QueryForm) => Promise<DoorAnswer>;

/** The parameters of an action: `Destination.ToAddresses.member.1`. */
class QueryForm {
  readonly #values = new Map<string, string>();

  constructor({ body }: DoorCall) {
    if (body.kind === 'form')
      for (const { name, value } of body.fields) if (!this.#values.has(name)) this.#values.set(name, value);
  }

  one(name: string): string | undefined {
    return this.#values.get(name);
  }

  /** Returns a list, whose members are numbered from 1. `part` names a field of each. */
  list(name: string, part = ''): string[] {
    const found: string[] = [];
    for (let at = 1; at <= 1_000; at++) {
      const value = this.#values.get(`${name}.member.${at}${part}`);
      if (value === undefined) break;
      found.push(value);
    }
    return found;
  }

  addresses(): SesAddresses {
    const values = this.list('Tags', '.Value');
    return {
      from: this.one('Source'),
      to: this.list('Destination.ToAddresses'),
      cc: this.list('Destination.CcAddresses'),
      bcc: this.list('Destination.BccAddresses'),
      replyTo: this.list('ReplyToAddresses'),
      tags: this.list('Tags', '.Name').map((name, index) => [name, values[index]]),
    };
  }
}

const NO_PARTS = { headers: [], attachments: [] };

const ACTIONS: Readonly<Record<string, Action>> = {
  SendEmail: async (call, form) => {
    const content = {
      subject: form.one('Message.Subject.Data'),
      text: form.one('Message.Body.Text.Data'),
      html: form.one('Message.Body.Html.Data'),
    };
    const asked = sesMail(call, form.addresses(), { ...content, ...NO_PARTS });
    return sendMails(call, [asked], done(form, `<MessageId>${asked.mail.id}</MessageId>`));
  },
  SendRawEmail: async (call, form) => {
    const addresses = { ...form.addresses(), to: form.list('Destinations') };
    const asked = await sesRawMail(call, base64In(form.one('RawMessage.Data')), addresses);
    return sendMails(call, [asked], done(form, `<MessageId>${asked.mail.id}</MessageId>`));
  },
  SendTemplatedEmail: async (call, form) => {
    const template = await sesTemplate(call, await call.ctx.store.readNow(), form.one('Template'));
    const asked = sesMail(call, form.addresses(), {
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
  VerifyEmailIdentity: (call, form) => verify(call, form, (form.one('EmailAddress') ?? '').replace(/^.*@/, ''), ''),
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
};

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
  const action = form.one('Action') ?? '';
  const metadata = '<ResponseMetadata><RequestId>mailcap</RequestId></ResponseMetadata>';
  const body = `<${action}Response xmlns="${NAMESPACE}"><${action}Result>${result}</${action}Result>${metadata}</${action}Response>`;
  return { status: 200, body, type: XML };
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
