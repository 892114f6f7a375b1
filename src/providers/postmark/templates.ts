import { MOST_RECORDS, type ProviderRecord } from '../../domain/provider.ts';
import type { Reader, Tx } from '../../ports/store.ts';
import type { DoorCall, DoorRefusal, DoorRoute } from '../door.ts';
import { fieldOf, isMissing, isText, type JsonObject, objectOf } from '../fields.ts';
import { listRecords, putRecord, removeRecord } from '../records.ts';
import { checkTemplate, oneLine, renderTemplate, TemplateError } from '../templates.ts';
import { refuseWith } from './errors.ts';
import { type PostmarkContent, textField } from './mail.ts';
import { nextNumber, numbered, numberKey, numberOf } from './numbered.ts';

// Postmark's templates: https://postmarkapp.com/developer/api/templates-api

/** The most templates that a page of the list has. */
const MOST_LISTED = 500;

export const templates: readonly DoorRoute[] = [
  ...['/templates', '/templates/'].map(
    (path): DoorRoute => ({
      method: 'POST',
      path,
      handle: async (call) => {
        const given = bodyOf(call);
        const data = templateIn(given, null);
        return call.once(async (tx) => {
          await checkAlias(call, tx, data.Alias, null);
          const number = await nextNumber(call, tx, 'templates');
          const record = await putRecord(call, tx, 'templates', numberKey(number), { ...data });
          return { status: 200, body: shownTemplate(record) };
        });
      },
    }),
  ),
  {
    method: 'GET',
    path: '/templates',
    handle: async (call) => {
      const all = await listRecords(call, await call.ctx.store.readNow(), 'templates', { limit: MOST_RECORDS });
      const offset = Number(call.query.get('offset') ?? 0) || 0;
      const count = Math.min(Number(call.query.get('count') ?? 100) || 0, MOST_LISTED);
      const page = all.reverse().slice(offset, offset + count);
      return { status: 200, body: { TotalCount: all.length, Templates: page.map(shownTemplate) } };
    },
  },
  {
    method: 'POST',
    path: '/templates/validate',
    handle: async (call) => {
      const given = bodyOf(call);
      const model = fieldOf(given, 'TestRenderModel') ?? {};
      const parts = (['Subject', 'HtmlBody', 'TextBody'] as const).map((name) => [
        name,
        validated(textField(given, name), model, name),
      ]);
      const isValid = parts.every(([, part]) => typeof part === 'string' || part === undefined || part.ContentIsValid);
      return {
        status: 200,
        body: { AllContentIsValid: isValid, ...Object.fromEntries(parts), SuggestedTemplateModel: {} },
      };
    },
  },
  {
    method: 'GET',
    path: '/templates/:id',
    handle: async (call) => {
      const record = await templateNamed(call, await call.ctx.store.readNow(), call.params['id'] ?? '');
      return { status: 200, body: { ...shownTemplate(record), ...contentFields(record), AssociatedServerId: 1 } };
    },
  },
  {
    method: 'PUT',
    path: '/templates/:id',
    handle: async (call) => {
      const given = bodyOf(call);
      return call.once(async (tx) => {
        const record = await templateNamed(call, tx, call.params['id'] ?? '');
        const data = templateIn(given, record);
        await checkAlias(call, tx, data.Alias, record);
        const changed = await putRecord(call, tx, 'templates', numberKey(numberOf(record)), { ...data });
        return { status: 200, body: shownTemplate(changed) };
      });
    },
  },
  {
    method: 'DELETE',
    path: '/templates/:id',
    handle: async (call) =>
      call.once(async (tx) => {
        const record = await templateNamed(call, tx, call.params['id'] ?? '');
        await removeRecord(call, tx, 'templates', numberKey(numberOf(record)));
        return { status: 200, body: { ErrorCode: 0, Message: `Template ${numberOf(record)} removed.` } };
      }),
  },
];

/** Returns the content that a template makes of the model of an email. Throws a refusal of Postmark. */
export async function renderedFor(call: DoorCall, given: JsonObject): Promise<PostmarkContent> {
  const name = fieldOf(given, 'TemplateId') ?? fieldOf(given, 'TemplateAlias');
  if (isMissing(name)) throw refuseWith(1101, 'Either TemplateId or TemplateAlias has to be given.');
  const { data } = await templateNamed(call, await call.ctx.store.readNow(), String(name));
  const model = objectOf(fieldOf(given, 'TemplateModel'));
  if (model === null) throw refuseWith(1120, 'TemplateModel has to be an object.');
  const render = (part: unknown) => (isText(part) && part !== '' ? rendered(part, model) : null);
  const content = {
    subject: oneLine(render(data['Subject']) ?? ''),
    html: render(data['HtmlBody']),
    text: render(data['TextBody']),
  };
  return content;
}

function rendered(template: string, model: unknown): string {
  try {
    return renderTemplate(asHandlebars(template), model, { missing: 'empty', escapes: true });
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    throw refuseWith(1109, `There was a problem rendering the template: ${error.message}`);
  }
}

/** Postmark marks where a layout has its content; a template may use it too. */
function asHandlebars(template: string): string {
  return template.replaceAll('{{{@content}}}', '').replaceAll('{{{ @content }}}', '');
}

function validated(template: string | null, model: unknown, name: string) {
  if (template === null) return undefined;
  try {
    const RenderedContent = renderTemplate(asHandlebars(template), model, {
      missing: 'empty',
      escapes: name !== 'TextBody',
    });
    return { ContentIsValid: true, ValidationErrors: [], RenderedContent };
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
  for (const text of [data.Subject, data.HtmlBody, data.TextBody]) if (text !== null) checkPart(text);
  return data;
}

/** The largest part of a template, in characters. Templates stay in memory. */
const LONGEST_PART = 128 * 1024;

function checkPart(text: string): void {
  if (text.length > LONGEST_PART) throw refuseWith(1105, 'mailcap keeps templates up to 128 KB.');
  try {
    checkTemplate(asHandlebars(text));
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    throw refuseWith(1109, error.message);
  }
}

async function checkAlias(call: DoorCall, tx: Tx, alias: string | null, self: ProviderRecord | null): Promise<void> {
  const other = alias === null ? null : await aliased(call, tx, alias);
  if (other !== null && other.id !== self?.id)
    throw refuseWith(1122, `A template with the alias ${alias} exists already.`);
}

async function templateNamed(call: DoorCall, reader: Reader, name: string): Promise<ProviderRecord> {
  const found = (await numbered(call, reader, 'templates', name)) ?? (await aliased(call, reader, name));
  if (found === null) throw noTemplate();
  return found;
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

function contentFields({ data }: ProviderRecord) {
  return { Subject: data['Subject'], HtmlBody: data['HtmlBody'], TextBody: data['TextBody'] };
}

function bodyOf({ body }: DoorCall): JsonObject {
  const given = body.kind === 'json' ? objectOf(body.value) : null;
  if (given === null) throw refuseWith(402, 'The body must be a JSON object.');
  return given;
}
