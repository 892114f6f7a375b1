import type { Reader, Tx } from '../../ports/store.ts';
import { collection } from '../collection.ts';
import type { DoorCall } from '../door.ts';
import { isMissing, isText, jsonObjectIn } from '../fields.ts';
import { type Content, mergedContent, storedPart } from '../templates.ts';
import { badRequest, refuseSes } from './errors.ts';

// The templates of both versions of the API.

const NAME = /^[\w.-]{1,64}$/;
const LONGEST_DATA = 256 * 1024;

/** The parts of a template. */
export interface SesTemplate {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export const TEMPLATES = collection<{ readonly parts: SesTemplate }>('templates');

/** Reads and checks the parts of a template. Throws a refusal of SES. */
export function checkedParts(call: DoorCall, given: Readonly<Record<keyof SesTemplate, unknown>>): SesTemplate {
  const part = (name: keyof SesTemplate) =>
    storedPart(given[name], (reason) => refuseSes(call, 'bad_template', `The template is not valid: ${reason}`));
  const parts = { subject: part('subject'), text: part('text'), html: part('html') };
  if (parts.text === '' && parts.html === '')
    throw refuseSes(call, 'bad_template', 'A template needs a Text or a Html part.');
  return parts;
}

/** Stores a new template, or changes one. Throws a refusal of SES. */
export async function putTemplate(call: DoorCall, tx: Tx, name: unknown, parts: SesTemplate, isNew: boolean) {
  if (!isText(name) || !NAME.test(name))
    throw refuseSes(call, 'bad_template', 'The TemplateName is missing or not valid.');
  if (!isNew) await sesTemplate(call, tx, name);
  else if ((await TEMPLATES.get(call, tx, name)) !== null)
    throw refuseSes(call, 'exists', `Template ${name} already exists`);
  await TEMPLATES.put(call, tx, name, { parts });
}

/** Returns a stored template. Throws a refusal of SES. */
export async function sesTemplate(call: DoorCall, reader: Reader, name: unknown): Promise<SesTemplate> {
  const template = isText(name) ? await TEMPLATES.get(call, reader, name) : null;
  if (template === null) throw refuseSes(call, 'no_template', `Template ${String(name).slice(0, 100)} does not exist`);
  return template.parts;
}

/** Renders a template with data as JSON texts; later ones win. Throws a refusal of SES. */
export function renderedSes(call: DoorCall, template: SesTemplate, texts: readonly unknown[]): Content {
  // Entries become own fields: assigned, a field `__proto__` would be the prototype.
  const data = Object.fromEntries(texts.flatMap((text) => Object.entries(dataIn(call, text))));
  const refuse = (reason: string) => refuseSes(call, 'render', reason);
  return mergedContent(call, template, data, refuse, { missing: 'error', escaped: [] });
}

function dataIn(call: DoorCall, text: unknown): object {
  const value = isMissing(text) ? {} : jsonObjectIn(text, LONGEST_DATA);
  if (value === null) throw badRequest(call, 'The template data is not a JSON object of at most 256 KB.');
  return value;
}
