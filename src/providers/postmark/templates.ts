import { MOST_RECORDS, type ProviderRecord } from '../../domain/provider.ts';
import type { Reader, Tx } from '../../ports/store.ts';
import { objectBody } from '../calls.ts';
import type { DoorCall, DoorRefusal, DoorRoute } from '../door.ts';
import { fieldOf, isMissing, isText, type JsonObject, objectOf } from '../fields.ts';
import { nextNumberKey, numbered, numberOf } from '../numbered.ts';
import { listRecords } from '../records.ts';
import { type Resource, resourceRoutes } from '../resources.ts';
import { oneLine, orRefuse, renderTemplate, storedPart, TemplateError } from '../templates.ts';
import { refuseWith } from './errors.ts';
import { type PostmarkContent, textField } from './mail.ts';

// Postmark's templates: https://postmarkapp.com/developer/api/templates-api

/** The most templates that a page of the list has. */
const MOST_LISTED = 500;

const resource: Resource = {
  kind: 'templates',
  path: '/templates',
  changesBy: 'PUT',
  newKey: (call, tx) => nextNumberKey(call, tx, 'templates'),
  find: (call, reader) => named(call, reader, call.params['id'] ?? ''),
  notFound: noTemplate,
  read: (call, before) => ({ ...templateIn(objectBody(call, badBody), before) }),
  check: (call, tx, data, before) => checkAlias(call, tx, data['Alias'], before),
  answers: {
    created: (record) => ({ status: 200, body: shownTemplate(record) }),
    listed: async ({ query }, all) => {
      const records = [...(await all())].reverse();
      const offset = Number(query.get('offset') ?? 0) || 0;
      const count = Math.min(Number(query.get('count') ?? 100) || 0, MOST_LISTED);
      const page = records.slice(offset, offset + count).map(shownTemplate);
      return { status: 200, body: { TotalCount: records.length, Templates: page } };
    },
    found: (record) => {
      const { Subject, HtmlBody, TextBody } = record.data;
      return { status: 200, body: { ...shownTemplate(record), Subject, HtmlBody, TextBody, AssociatedServerId: 1 } };
    },
    changed: (record) => ({ status: 200, body: shownTemplate(record) }),
    removed: (record) => ({
      status: 200,
      body: { ErrorCode: 0, Message: `Template ${numberOf(record)} removed.` },
    }),
  },
};

export const templates: readonly DoorRoute[] = [
  ...resourceRoutes(resource),
  // The SDK creates a template at this path.
  ...resourceRoutes({ ...resource, path: '/templates/' }).filter(
    ({ method, path }) => method === 'POST' && path === '/templates/',
  ),
  {
    method: 'POST',
    path: '/templates/validate',
    handle: async (call) => {
      const given = objectBody(call, badBody);
      const model = fieldOf(given, 'TestRenderModel') ?? {};
      const parts = (['Subject', 'HtmlBody', 'TextBody'] as const).map((name) => [
        name,
        validated(call, textField(given, name), model, name),
      ]);
      const isValid = parts.every(([, part]) => typeof part === 'string' || part === undefined || part.ContentIsValid);
      return {
        status: 200,
        body: { AllContentIsValid: isValid, ...Object.fromEntries(parts), SuggestedTemplateModel: {} },
      };
    },
  },
];

/** Returns the content that a template makes of the model of an email. Throws a refusal of Postmark. */
export async function renderedFor(call: DoorCall, given: JsonObject): Promise<PostmarkContent> {
  const name = fieldOf(given, 'TemplateId') ?? fieldOf(given, 'TemplateAlias');
  if (isMissing(name)) throw refuseWith(1101, 'Either TemplateId or TemplateAlias has to be given.');
  const record = await named(call, await call.ctx.store.readNow(), String(name));
  if (record === null) throw noTemplate();
  const { data } = record;
  const model = objectOf(fieldOf(given, 'TemplateModel'));
  if (model === null) throw refuseWith(1120, 'TemplateModel has to be an object.');
  const render = (part: string) => {
    const template = data[part];
    return isText(template) && template !== ''
      ? orRefuse(() => rendered(call, template, model, part), refuseTemplate)
      : null;
  };
  return { subject: oneLine(render('Subject') ?? ''), html: render('HtmlBody'), text: render('TextBody') };
}

function rendered(call: DoorCall, template: string, model: unknown, part: string): string {
  return renderTemplate(asHandlebars(template), model, { missing: 'empty', escapes: part !== 'TextBody' }, call);
}

function refuseTemplate(reason: string): DoorRefusal {
  return refuseWith(1109, `There was a problem with the template: ${reason}`);
}

/** Postmark marks where a layout has its content; a template may use it too. */
function asHandlebars(template: string): string {
  return template.replaceAll('{{{@content}}}', '').replaceAll('{{{ @content }}}', '');
}

function validated(call: DoorCall, template: string | null, model: unknown, name: string) {
  if (template === null) return undefined;
  try {
    return { ContentIsValid: true, ValidationErrors: [], RenderedContent: rendered(call, template, model, name) };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const ValidationErrors = [{ Message: error.message, Line: 1, CharacterPosition: 1 }];
    return { ContentIsValid: false, ValidationErrors, RenderedContent: null };
  }
}

interface TemplateData {
  readonly Name: string;
  readonly Alias: string | null;
  readonly Subject: string | null;
  readonly HtmlBody: string | null;
  readonly TextBody: string | null;
}

function templateIn(given: JsonObject, before: ProviderRecord | null): TemplateData {
  if (fieldOf(given, 'TemplateType') === 'Layout' || !isMissing(fieldOf(given, 'LayoutTemplate')))
    throw refuseWith(1123, 'mailcap has no layouts of templates.');
  const old = before?.data ?? {};
  const part = (name: keyof TemplateData) => textField(given, name) ?? (isText(old[name]) ? old[name] : null);
  const data = {
    Name: part('Name') ?? '',
    Alias: part('Alias'),
    Subject: part('Subject'),
    HtmlBody: part('HtmlBody'),
    TextBody: part('TextBody'),
  };
  if (data.Name === '' || data.Name.length > 200)
    throw refuseWith(1104, 'The Name of the template is missing or too long.');
  if (data.Alias !== null && !/^[A-Za-z][\w.-]{0,200}$/.test(data.Alias))
    throw refuseWith(1117, 'The Alias of the template is invalid.');
  if (isMissing(data.HtmlBody) && isMissing(data.TextBody))
    throw refuseWith(1107, 'A template needs an HtmlBody or a TextBody.');
  for (const text of [data.Subject, data.HtmlBody, data.TextBody]) storedPart(asHandlebars(text ?? ''), refuseTemplate);
  return data;
}

async function checkAlias(call: DoorCall, tx: Tx, alias: unknown, self: ProviderRecord | null): Promise<void> {
  const other = isText(alias) ? await aliased(call, tx, alias) : null;
  if (other !== null && other.id !== self?.id)
    throw refuseWith(1122, `A template with the alias ${String(alias)} exists already.`);
}

async function named(call: DoorCall, reader: Reader, name: string): Promise<ProviderRecord | null> {
  return (await numbered(call, reader, 'templates', name)) ?? aliased(call, reader, name);
}

function noTemplate(): DoorRefusal {
  return refuseWith(1101, "The 'TemplateId' or 'TemplateAlias' of the request does not exist on this server.");
}

async function aliased(call: DoorCall, reader: Reader, alias: string): Promise<ProviderRecord | null> {
  const all = await listRecords(call, reader, 'templates', { limit: MOST_RECORDS });
  return all.find(({ data }) => data['Alias'] === alias) ?? null;
}

function shownTemplate(record: ProviderRecord) {
  const { Name, Alias } = record.data;
  return { TemplateId: numberOf(record), Name, Active: true, Alias, TemplateType: 'Standard', LayoutTemplate: null };
}

function badBody(): DoorRefusal {
  return refuseWith(402, 'The body must be a JSON object.');
}
