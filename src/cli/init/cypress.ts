import { editOrPaste, type InitStep, type PlanPart, type Project, type TextFile } from './project.ts';
import { runnerConfig } from './runner.ts';
import {
  asNode,
  editedConfig,
  exportedObject,
  type Insertion,
  importLine,
  importOf,
  linesAtStart,
  nodesOf,
  programOf,
  propertyOf,
  type SyntaxNode,
} from './source.ts';

const FROM = 'mailcap/cypress';
const WHY = 'registers the tasks of mailcap';
const SUPPORT = 'supportFile: false,';

export function planCypress(project: Project): PlanPart {
  const config = runnerConfig(project, 'cypress');
  if (config?.text.includes(FROM)) return { steps: [], notes: [] };
  return { steps: [config === null ? created(project) : edited(config, needsSupport(project))], notes: [] };
}

/** Without this file, Cypress runs no test unless its configuration says that there is none. */
function needsSupport({ exists }: Project): boolean {
  return !['js', 'jsx', 'ts', 'tsx'].some((ending) => exists(`cypress/support/e2e.${ending}`));
}

function created(project: Project): InitStep {
  const lines = [
    `import { mailcap } from '${FROM}';`,
    '',
    'export default {',
    '  e2e: {',
    ...(needsSupport(project) ? [`    ${SUPPORT}`] : []),
    '    setupNodeEvents: async (on) => {',
    '      await mailcap(on);',
    '    },',
    '  },',
    '};',
    '',
  ];
  return { do: 'create', path: 'cypress.config.mjs', text: lines.join('\n'), why: WHY };
}

function edited(config: TextFile, lacksSupport: boolean): InitStep {
  const { path, text } = config;
  return editOrPaste(
    config,
    WHY,
    (before) => withTasks(path, before, lacksSupport),
    () => ({ lines: linesFor(path, text), why: 'its `setupNodeEvents` is not written there' }),
  );
}

/** Returns the configuration with the tasks; null if its event handlers are not written in it as a function. */
function withTasks(path: string, text: string, lacksSupport: boolean): string | null {
  return editedConfig(path, text, (object, program) => {
    const property = propertyOf(object, 'e2e');
    const e2e = asNode(property?.['value']);
    const insertions = property === null ? withE2e(text, object, lacksSupport) : withHandler(text, e2e, lacksSupport);
    return insertions === null ? null : [importLine(text, program, 'mailcap', FROM), ...insertions];
  });
}

function withE2e(text: string, object: SyntaxNode, lacksSupport: boolean): Insertion[] {
  const support = lacksSupport ? [`  ${SUPPORT}`] : [];
  const inner = ['  async setupNodeEvents(on) {', '    await mailcap(on);', '  },'];
  return linesAtStart(text, object, ['e2e: {', ...support, ...inner, '},']);
}

function withHandler(text: string, e2e: SyntaxNode | null, lacksSupport: boolean): Insertion[] | null {
  if (e2e?.type !== 'ObjectExpression') return null;
  const support = lacksSupport && propertyOf(e2e, 'supportFile') === null ? [SUPPORT] : [];
  const property = propertyOf(e2e, 'setupNodeEvents');
  if (property === null) {
    const lines = ['async setupNodeEvents(on) {', '  await mailcap(on);', '},'];
    return linesAtStart(text, e2e, [...support, ...lines]);
  }
  const call = asNode(property['value']) ?? property;
  const body = asNode(call['body']);
  // A function of another kind, or with the type of its result, can't become async without its owner.
  if (body?.type !== 'BlockStatement' || call['generator'] === true || asNode(call['returnType']) !== null) return null;
  const [first] = nodesOf(call['params']);
  if (first !== undefined && first.type !== 'Identifier') return null;
  const name = first === undefined ? 'on' : String(first['name']);
  return [
    ...(call['async'] === true ? [] : [{ at: call.start, text: 'async ' }]),
    ...(first === undefined ? [{ at: text.indexOf('(', asNode(call['key'])?.end ?? call.start) + 1, text: name }] : []),
    ...linesAtStart(text, body, [`await mailcap(${name});`]),
    ...(support.length === 0 ? [] : linesAtStart(text, e2e, support)),
  ];
}

/** Returns lines that fit the configuration: they call the event handlers that it names. */
function linesFor(path: string, text: string): string {
  const program = programOf(path, text);
  const object = program === null ? null : exportedObject(program);
  const e2e = object === null ? null : asNode(propertyOf(object, 'e2e')?.['value']);
  const property = e2e?.type === 'ObjectExpression' ? propertyOf(e2e, 'setupNodeEvents') : null;
  const value = asNode(property?.['value']);
  const isNamed = value?.type === 'Identifier' || value?.type === 'MemberExpression';
  const named = value !== null && isNamed ? `return ${text.slice(value.start, value.end)}(on, config);` : null;
  return [
    `${importOf(program, 'mailcap', `'${FROM}'`)};`,
    '',
    '// in e2e:',
    'async setupNodeEvents(on, config) {',
    '  await mailcap(on);',
    `  ${named ?? '// what it does already'}`,
    '},',
  ].join('\n');
}
