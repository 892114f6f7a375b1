import type { ProviderRecord } from '../../domain/provider.ts';
import type { Reader } from '../../ports/store.ts';
import { BodyFields } from '../body-fields.ts';
import type { DoorCall, DoorRefusal, DoorRoute } from '../door.ts';
import { isText, objectOf } from '../fields.ts';
import { numbered, numberOf } from '../numbered.ts';
import { listRecords } from '../records.ts';
import { type Resource, resourceRoutes } from '../resources.ts';
import { okAnswer, pageIn, postRoute } from '../routes.ts';
import { type Content, mergedContent, renderTemplate, storedPart, TemplateError } from '../templates.ts';
import { postmarkBody, refusePostmarkField, refuseWith } from './errors.ts';

// Postmark's templates: https://postmarkapp.com/developer/api/templates-api

const PARTS = ['Subject', 'HtmlBody', 'TextBody'] as const;

const templates: Resource = {
  kind: 'templates',
  path: '/templates',
  changesBy: 'PUT',
  keys: 'numbers',
  find: (call, reader) => named(call, reader, call.params['id'] ?? ''),
  notFound: noTemplate,
  read: (call, before) => {
    const given = postmarkBody(call).over(before?.data);
    if (given.raw('TemplateType') === 'Layout' || !given.lacks('LayoutTemplate'))
      throw refuseWith(1123, 'mailcap has no layouts of templates.');
    const [Name, Alias, Subject] = [given.text('Name') ?? '', given.text('Alias'), given.text('Subject')];
    const [HtmlBody, TextBody] = [given.text('HtmlBody'), given.text('TextBody')];
    if (Name === '' || Name.length > 200) throw refuseWith(1104, 'The Name of the template is missing or too long.');
    if (Alias !== null && !/^[A-Za-z][\w.-]{0,200}$/.test(Alias))
      throw refuseWith(1117, 'The Alias of the template is invalid.');
    if (!HtmlBody && !TextBody) throw refuseWith(1107, 'A template needs an HtmlBody or a TextBody.');
    for (const text of [Subject, HtmlBody, TextBody]) storedPart(asHandlebars(text), refuseTemplate);
    return { Name, Alias, Subject, HtmlBody, TextBody };
  },
  check: async (call, tx, { Alias }, before) => {
    const other = isText(Alias) ? await aliased(call, tx, Alias) : null;
    if (other !== null && other.id !== before?.id)
      throw refuseWith(1122, `A template with the alias ${String(Alias)} exists already.`);
  },
  show: (record) => {
    const { Name, Alias } = record.data;
    return { TemplateId: numberOf(record), Name, Active: true, Alias, TemplateType: 'Standard', LayoutTemplate: null };
  },
  list: (shown, call) => ({
    TotalCount: shown.length,
    Templates: pageIn(call, shown.toReversed(), { offset: 'offset', count: 'count', usual: 100, most: 500 }),
  }),
  answers: {
    created: (record, call) => okAnswer(templates.show(record, call)),
    found: (record, call) => {
      const { Subject, HtmlBody, TextBody } = record.data;
      return okAnswer({ ...templates.show(record, call), Subject, HtmlBody, TextBody, AssociatedServerId: 1 });
    },
    removed: (record) => okAnswer({ ErrorCode: 0, Message: `Template ${numberOf(record)} removed.` }),
  },
};

export const templateRoutes: readonly DoorRoute[] = [
  ...resourceRoutes(templates),
  postRoute('/templates/validate', async (call) => {
    const given = postmarkBody(call);
    const model = given.raw('TestRenderModel') ?? {};
    const shown = PARTS.map((name) => [name, validated(call, name, given.text(name), model)] as const);
    const AllContentIsValid = shown.every(([, part]) => part?.ContentIsValid ?? true);
    return okAnswer({ AllContentIsValid, ...Object.fromEntries(shown), SuggestedTemplateModel: {} });
  }),
];

/** Returns the content that a template makes of the model of an email; its subject is escaped too. Throws a refusal of Postmark. */
export async function renderedFor(call: DoorCall, value: unknown): Promise<Content> {
  const given = new BodyFields(objectOf(value) ?? {}, refusePostmarkField);
  const name = given.raw('TemplateId') ?? given.raw('TemplateAlias');
  if (given.lacks('TemplateId') && given.lacks('TemplateAlias'))
    throw refuseWith(1101, 'Either TemplateId or TemplateAlias has to be given.');
  const record = await named(call, await call.ctx.store.readNow(), String(name));
  if (record === null) throw noTemplate();
  const model = objectOf(given.raw('TemplateModel'));
  if (model === null) throw refuseWith(1120, 'TemplateModel has to be an object.');
  const [subject, html, text] = PARTS.map((part) => asHandlebars(record.data[part]));
  return mergedContent(call, { subject, html, text }, model, refuseTemplate, { escaped: ['subject', 'html'] });
}

function refuseTemplate(reason: string): DoorRefusal {
  return refuseWith(1109, `There was a problem with the template: ${reason}`);
}

/** Postmark marks where a layout has its content; a template may use it too. */
function asHandlebars(template: unknown): string {
  return isText(template) ? template.replaceAll('{{{@content}}}', '').replaceAll('{{{ @content }}}', '') : '';
}

function validated(call: DoorCall, name: (typeof PARTS)[number], template: string | null, model: unknown) {
  if (template === null) return undefined;
  try {
    const RenderedContent = renderTemplate(asHandlebars(template), model, name !== 'TextBody', call);
    return { ContentIsValid: true, ValidationErrors: [], RenderedContent };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const ValidationErrors = [{ Message: error.message, Line: 1, CharacterPosition: 1 }];
    return { ContentIsValid: false, ValidationErrors, RenderedContent: null };
  }
}

async function named(call: DoorCall, reader: Reader, name: string): Promise<ProviderRecord | null> {
  return (await numbered(call, reader, 'templates', name)) ?? aliased(call, reader, name);
}

function noTemplate(): DoorRefusal {
  return refuseWith(1101, "The 'TemplateId' or 'TemplateAlias' of the request does not exist on this server.");
}

async function aliased(call: DoorCall, reader: Reader, alias: string): Promise<ProviderRecord | null> {
  const all = await listRecords(call, reader, 'templates');
  return all.find(({ data }) => data['Alias'] === alias) ?? null;
}
