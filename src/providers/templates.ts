import { parse } from '@handlebars/parser';
import { fieldOf, isSubject, isText, objectOf } from './fields.ts';
import { DEEPEST, weightOf } from './template-shape.ts';

// Templates in the syntax of Handlebars, which SendGrid, Mailgun and SES use, and whose sections Postmark's are too. The
// parser is Handlebars' own. The tree is walked here, so no code is made of a template, and a template reaches nothing but
// the data that it was given.

/** A template that can't be parsed or rendered, with a sentence that says why. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

interface TemplateNode {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** The largest template in characters. */
const LONGEST_TEMPLATE = 1024 * 1024;
/** The largest size of the parts of a mail together, in characters. */
const LONGEST_RESULT = 4 * 1024 * 1024;
/**
 * The most steps that the parts of a mail take together: nodes that are visited, values that are looked up, and each field
 * on the way to one. They take the time of one turn of the event loop. Loops within loops would go on for years.
 */
const MOST_STEPS = 100_000;
/** The characters that are compared, joined, and escaped in the time of a step. */
const COMPARED = 1_024;
const JOINED = 16;
const ESCAPED = 64;
/** The most that a template may have in its tags, and those of a request together, by {@link weightOf}. */
const HEAVIEST_TEMPLATE = 64 * 1024;
const TOO_DEEP = 'The template is nested too deeply.';
/** What the templates of one request may take together: characters that are parsed, in tags and made, and steps. */
const MOST_OF_REQUEST = {
  parsed: 4 * 1024 * 1024,
  tags: 256 * 1024,
  made: 64 * 1024 * 1024,
  steps: 2_000_000,
} as const;

/** What the templates of a request have taken so far. A request may merge one template for a thousand people. */
export class MergeBudget {
  readonly #trees = new Map<string, TemplateNode>();
  readonly #taken = { parsed: 0, tags: 0, made: 0, steps: 0 };

  /** Parses a template, once in a request. Throws {@link TemplateError}. */
  tree(template: string): TemplateNode {
    const known = this.#trees.get(template);
    if (known !== undefined) return known;
    this.take('parsed', template.length);
    const { tree, weight } = parsed(template);
    this.take('tags', weight);
    this.#trees.set(template, tree);
    return tree;
  }

  /** Throws {@link TemplateError} if the request takes too much. */
  take(what: keyof typeof MOST_OF_REQUEST, count: number): void {
    this.#taken[what] += count;
    if (this.#taken[what] > MOST_OF_REQUEST[what])
      throw new TemplateError('The templates of the request make too much: send fewer or smaller mails at a time.');
  }
}

const BUDGETS = new WeakMap<object, MergeBudget>();

/** Returns the budget of a request. */
export function budgetOf(call: object): MergeBudget {
  const budget = BUDGETS.get(call) ?? new MergeBudget();
  BUDGETS.set(call, budget);
  return budget;
}

/**
 * Puts values in the place of texts, such as `-name-`, one after the other. Throws {@link TemplateError} if that makes too
 * much.
 */
export function replaceTexts(
  text: string,
  values: readonly (readonly [key: string, value: string])[],
  call: object,
): string {
  let made = text;
  for (const [key, value] of values) {
    if (key === '') continue;
    budgetOf(call).take('made', made.length);
    const pieces = made.split(key);
    const count = pieces.length - 1;
    if (count === 0) continue;
    if (made.length + count * (value.length - key.length) > LONGEST_RESULT)
      throw new TemplateError('The result is larger than 4 MB.');
    made = pieces.join(value);
  }
  return made;
}

/** Checks that a template can be parsed. Throws {@link TemplateError}. */
export function checkTemplate(template: string): void {
  parsed(template);
}

/**
 * Renders a template with data, which is JSON, for a request. `escapes` tells whether `{{name}}` escapes the characters of
 * HTML. Throws {@link TemplateError}.
 */
export function renderTemplate(template: string, data: unknown, escapes: boolean, call: object): string {
  return new Renderer('empty', budgetOf(call)).render(template, data, escapes);
}

/** Runs work with templates. What can't be parsed or rendered is refused with what `refuse` makes of the reason. */
export function orRefuse<T>(work: () => T, refuse: (reason: string) => Error): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    throw refuse(error.message);
  }
}

/** The largest part of a template that is stored, in characters. Templates stay in memory. */
const LONGEST_STORED = 128 * 1024;

/** Reads a part of a template that an app stores; a missing one is empty. */
export function storedPart(value: unknown, refuse: (reason: string) => Error): string {
  const text = value ?? '';
  if (!isText(text) || text.length > LONGEST_STORED) throw refuse('It is no text of at most 128 KB.');
  orRefuse(() => checkTemplate(text), refuse);
  return text;
}

/** The parts of a mail. */
export interface Content {
  readonly subject: string;
  readonly html: string | null;
  readonly text: string | null;
}

/** How the parts of a mail are merged. */
interface MergeRules {
  /** `empty`, if left out: a variable that is missing is an empty text. `error`: the template fails. */
  readonly missing?: 'empty' | 'error';
  /** The parts in which `{{name}}` escapes the characters of HTML. */
  readonly escaped?: readonly (keyof Content)[];
}

/**
 * Merges data into the parts of a mail. A part that is missing or empty stays null. What can't be rendered is refused
 * with what `refuse` makes of the reason.
 */
export function mergedContent(
  call: object,
  parts: Readonly<Record<keyof Content, unknown>>,
  data: unknown,
  refuse: (reason: string) => Error,
  { missing = 'empty', escaped = ['html'] }: MergeRules = {},
): Content {
  const renderer = new Renderer(missing, budgetOf(call));
  const merged = (name: keyof Content) => {
    const part = parts[name];
    if (!isText(part) || part === '') return null;
    return orRefuse(() => renderer.render(part, data, escaped.includes(name)), refuse);
  };
  const subject = oneLine(merged('subject') ?? '');
  if (!isSubject(subject)) throw refuse('The subject is longer than 2,000 characters.');
  return { subject, html: merged('html'), text: merged('text') };
}

/** Makes one line of a rendered subject, because a template may be written in several. */
export function oneLine(text: string): string {
  return text.replace(/[\r\n]+/g, ' ').trim();
}

function parsed(template: string): { tree: TemplateNode; weight: number } {
  if (template.length > LONGEST_TEMPLATE) throw new TemplateError('The template is larger than 1 MB.');
  const weight = weightOf(template);
  if (weight === 'too deep') throw new TemplateError(TOO_DEEP);
  if (weight === 'a tag has no end') throw new TemplateError('The template can’t be parsed: A tag has no end.');
  if (weight > HEAVIEST_TEMPLATE) throw new TemplateError('The template has too many or too long tags.');
  try {
    return { tree: parse(template) as unknown as TemplateNode, weight };
  } catch (cause) {
    const [first = ''] = cause instanceof Error ? cause.message.split('\n') : [];
    throw new TemplateError(`The template can’t be parsed: ${first.slice(0, 200)}`, { cause });
  }
}

/** The data that a part of a template sees: its own, and that of the parts around it. */
interface Scope {
  readonly value: unknown;
  readonly outer: Scope | null;
  readonly loop: Loop;
}

/** The values of `@root`, `@index`, `@key`, `@first` and `@last`. */
interface Loop {
  readonly root: unknown;
  readonly index?: number;
  readonly key?: number | string;
  readonly first?: boolean;
  readonly last?: boolean;
}

type Helper = (values: readonly unknown[]) => boolean;

/** The conditions that SendGrid adds to Handlebars. */
const CONDITIONS: Readonly<Record<string, Helper>> = {
  if: ([value]) => isTrue(value),
  unless: ([value]) => !isTrue(value),
  and: (values) => values.every(isTrue),
  or: (values) => values.some(isTrue),
  equals: ([one, other]) => one === other,
  notEquals: ([one, other]) => one !== other,
  greaterThan: ([one, other]) => Number(one) > Number(other),
  lessThan: ([one, other]) => Number(one) < Number(other),
};

/** Renders the parts of a mail, which share its bounds. */
class Renderer {
  readonly #missing: 'empty' | 'error';
  readonly #budget: MergeBudget;
  #escapes = false;
  #steps = 0;
  #length = 0;

  constructor(missing: 'empty' | 'error', budget: MergeBudget) {
    this.#missing = missing;
    this.#budget = budget;
  }

  render(template: string, data: unknown, escapes: boolean): string {
    this.#escapes = escapes;
    return this.#program(this.#budget.tree(template), { value: data, outer: null, loop: { root: data } }, 0);
  }

  #program(program: unknown, scope: Scope, depth: number): string {
    if (depth > DEEPEST) throw new TemplateError(TOO_DEEP);
    const node = program as TemplateNode | undefined; // the parser's tree
    const body = (node?.['body'] ?? []) as readonly TemplateNode[];
    let text = '';
    for (const one of body) text += this.#statement(one, scope, depth);
    return text;
  }

  #statement(node: TemplateNode, scope: Scope, depth: number): string {
    this.#step();
    switch (node.type) {
      case 'ContentStatement':
        return this.#counted(String(node['value']));
      case 'CommentStatement':
        return '';
      case 'MustacheStatement':
        return this.#counted(this.#mustache(node, scope));
      case 'BlockStatement':
        return this.#block(node, scope, depth);
      default:
        throw new TemplateError(`mailcap’s templates have no ${node.type}.`);
    }
  }

  #step(count = 1): void {
    this.#steps += count;
    if (this.#steps > MOST_STEPS) throw new TemplateError('The template does not end within 100,000 steps.');
    this.#budget.take('steps', count);
  }

  #counted(text: string): string {
    this.#length += text.length;
    this.#budget.take('made', text.length);
    this.#checkLength('');
    return text;
  }

  #checkLength(more: string): void {
    if (this.#length + more.length > LONGEST_RESULT) throw new TemplateError('The result is larger than 4 MB.');
  }

  #mustache(node: TemplateNode, scope: Scope): string {
    const { name, values } = this.#callOf(node, scope);
    let value: unknown;
    if (name === 'insert') value = values[0] ?? this.#default(values);
    else if (values.length > 0) throw new TemplateError(`mailcap’s templates have no helper ${name}.`);
    else value = this.#value(node['path'] as TemplateNode, scope);
    if (value === undefined || value === null) {
      if (this.#missing === 'error')
        throw new TemplateError(`Attribute '${name}' is not present in the rendering data.`);
      return '';
    }
    const text = this.#textOf(value);
    if (node['escaped'] !== true || !this.#escapes) return text;
    this.#checkLength(text);
    this.#step(text.length / ESCAPED);
    return escaped(text);
  }

  #textOf(value: unknown): string {
    if (typeof value !== 'object') return String(value);
    if (!Array.isArray(value)) return '[object Object]';
    const text = value.join(',');
    this.#step(text.length / JOINED);
    return text;
  }

  /** The second value of `{{insert name "default=text"}}`. */
  #default(values: readonly unknown[]): unknown {
    const [, given] = values;
    return isText(given) && given.startsWith('default=') ? given.slice(8) : given;
  }

  #block(node: TemplateNode, scope: Scope, depth: number): string {
    const { name, values } = this.#callOf(node, scope);
    const inner = (scoped: Scope) => this.#program(node['program'], scoped, depth + 1);
    const otherwise = () => this.#program(node['inverse'], scope, depth + 1);
    if (values.length === 0)
      return this.#section(this.#value(node['path'] as TemplateNode, scope), scope, inner, otherwise);
    const [value] = values;
    if (name === 'each') return this.#each(value, scope, inner, otherwise);
    if (name === 'with') return isTrue(value) ? inner({ value, outer: scope, loop: scope.loop }) : otherwise();
    return this.#holds(name, values) ? inner(scope) : otherwise();
  }

  #holds(name: string, values: readonly unknown[]): boolean {
    const condition = Object.hasOwn(CONDITIONS, name) ? CONDITIONS[name] : undefined;
    if (condition === undefined) throw new TemplateError(`mailcap’s templates have no helper ${name}.`);
    this.#step(values.filter(isText).reduce((sum, { length }) => sum + length, 0) / COMPARED);
    return condition(values);
  }

  /** A section of Mustache: `{{#items}}…{{/items}}`, or `{{^items}}…{{/items}}`. */
  #section(value: unknown, scope: Scope, inner: (scope: Scope) => string, otherwise: () => string): string {
    if (Array.isArray(value)) return this.#each(value, scope, inner, otherwise);
    if (!isTrue(value)) return otherwise();
    return inner(objectOf(value) === null ? scope : { value, outer: scope, loop: scope.loop });
  }

  #each(value: unknown, scope: Scope, inner: (scope: Scope) => string, otherwise: () => string): string {
    const list: readonly unknown[] | null = Array.isArray(value) ? value : null;
    const fields = objectOf(value) ?? {};
    const keys = list === null ? Object.keys(fields) : null;
    const count = (list ?? keys ?? []).length;
    if (count === 0) return otherwise();
    const { root } = scope.loop;
    let text = '';
    for (let index = 0; index < count; index++) {
      // A loop without a body takes time too.
      this.#step();
      const key = keys?.[index] ?? index;
      const item = list === null ? fields[key] : list[index];
      text += inner({
        value: item,
        outer: scope,
        loop: { root, index, key, first: index === 0, last: index === count - 1 },
      });
    }
    return text;
  }

  #callOf(node: TemplateNode, scope: Scope): { name: string; values: readonly unknown[] } {
    const path = node['path'] as TemplateNode;
    const params = (node['params'] ?? []) as readonly TemplateNode[];
    return { name: String(path['original'] ?? ''), values: params.map((one) => this.#value(one, scope)) };
  }

  #value(node: TemplateNode, scope: Scope): unknown {
    this.#step();
    switch (node.type) {
      case 'StringLiteral':
      case 'NumberLiteral':
      case 'BooleanLiteral':
        return node['value'];
      case 'UndefinedLiteral':
      case 'NullLiteral':
        return null;
      case 'PathExpression':
        return this.#lookUp(node, scope);
      case 'SubExpression': {
        const { name, values } = this.#callOf(node, scope);
        return this.#holds(name, values);
      }
      default:
        throw new TemplateError(`mailcap’s templates have no ${node.type}.`);
    }
  }

  /** Looks a path up in the data. Fields are those of the data itself, so a path reaches no prototype. */
  #lookUp(node: TemplateNode, scope: Scope): unknown {
    const parts = (node['parts'] ?? []) as readonly unknown[];
    this.#step(parts.length);
    let from: Scope | null = scope;
    for (let up = Number(node['depth'] ?? 0); up > 0 && from !== null; up--) from = from.outer;
    if (from === null) return undefined;
    if (node['data'] === true) return parts.reduce(fieldIn, from.loop);
    if (parts.length === 0) return from.value;
    const [first] = parts;
    // Mustache looks in the parts around a section too.
    let holder: Scope | null = from;
    while (holder !== null && fieldIn(holder.value, first) === undefined) {
      this.#step();
      holder = holder.outer;
    }
    return parts.reduce(fieldIn, (holder ?? from).value);
  }
}

function fieldIn(value: unknown, part: unknown): unknown {
  if (!isText(part)) return undefined;
  if (Array.isArray(value))
    return part === 'length' ? value.length : /^\d{1,9}$/.test(part) ? value[Number(part)] : undefined;
  const object = objectOf(value);
  return object === null ? undefined : fieldOf(object, part);
}

function isTrue(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#x27;',
  '`': '&#x60;',
  '=': '&#x3D;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"'`=]/g, (character) => ENTITIES[character] ?? character);
}
