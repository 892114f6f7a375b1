import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { OPTIONS } from '../../src/config/options.ts';

// Tests the documentation that an editor shows for each name of the public API.

const ROOT = join(import.meta.dirname, '..', '..');
/** The declarations that the compiler made of the entries. They have every text, and none of the program to be read. */
const ENTRIES = [
  'dist/src/client/index.d.ts',
  'dist/plugins/playwright/index.d.ts',
  'dist/plugins/vitest/index.d.ts',
  'dist/plugins/jest/index.d.ts',
  'dist/plugins/cypress/index.d.ts',
  'dist/plugins/testcontainers/index.d.ts',
];
/** Answer types, whose fields docs/api.md explains, and types that a library creates. */
const OF_THE_API = /\/(?:connection\/(?:calls|resources|local-resources)|http\/.*|runtime)\.d\.ts$/;

const config = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, ROOT);
const host = ts.createCompilerHost(options);
// Only our own texts are looked at, so the types of other packages are not read. Reading them takes longer than the rest.
host.resolveModuleNameLiterals = (literals, from, _redirected, given) =>
  literals.map(({ text }) =>
    text.startsWith('.') ? ts.resolveModuleName(text, from, given, host) : { resolvedModule: undefined },
  );
const program = ts.createProgram(
  ENTRIES.map((file) => join(ROOT, file)),
  { ...options, noEmit: true, types: [] },
  host,
);
const checker = program.getTypeChecker();

interface Named {
  /** The qualified name, such as `Mailbox.waitForCode`. */
  readonly name: string;
  readonly symbol: ts.Symbol;
}

const EXPORTS = new Map(
  ENTRIES.flatMap((file) => {
    const source = program.getSourceFile(join(ROOT, file));
    const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
    return module === undefined ? [] : checker.getExportsOfModule(module).map(whole);
  })
    .filter((symbol) => isOurs(symbol))
    .map((symbol) => [symbol, symbol.name] as const),
);
const MEMBERS: readonly Named[] = [...EXPORTS.keys()].flatMap((symbol) => membersOf(symbol));

function whole(symbol: ts.Symbol): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

function isOurs(symbol: ts.Symbol): boolean {
  return (symbol.declarations ?? []).some((one) => {
    const { fileName } = one.getSourceFile();
    return !fileName.includes('node_modules') && !OF_THE_API.test(fileName);
  });
}

function membersOf(symbol: ts.Symbol): Named[] {
  if (!(symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.Class))) return [];
  return checker
    .getDeclaredTypeOfSymbol(symbol)
    .getProperties()
    .filter((member) => isOurs(member) && !member.name.includes('#'))
    .map((member) => ({ name: `${symbol.name}.${member.name}`, symbol: member }));
}

function textOf(symbol: ts.Symbol): string {
  return ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim();
}

function hasExample(symbol: ts.Symbol): boolean {
  return symbol.getJsDocTags(checker).some(({ name, text }) => name === 'example' && text !== undefined);
}

function isMethod({ symbol }: Named): boolean {
  return (symbol.declarations ?? []).some((one) => ts.isMethodSignature(one));
}

test('there is a public API to look at', () => {
  const names = MEMBERS.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['Mailbox.waitForCode', 'WaitOptions.pick', 'MailcapFixtures.totp']));
});

test('every export has a docstring', () => {
  expect([...EXPORTS].filter(([symbol]) => textOf(symbol) === '').map(([, name]) => name)).toEqual([]);
});

test('every member of an export has a docstring', () => {
  expect(MEMBERS.filter(({ symbol }) => textOf(symbol) === '').map(({ name }) => name)).toEqual([]);
});

test('every call of a handle, and of a client, has an example', () => {
  const HANDLES = /^(?:Mailbox|Webhook|Message|Attachment|CapturedRequest|Authenticator|Client|Api|MailcapMatchers)\./;
  const calls = MEMBERS.filter((member) => HANDLES.test(member.name) && isMethod(member));
  expect(calls.length).toBeGreaterThan(30);
  const without = calls.filter(({ symbol }) => !hasExample(symbol)).map(({ name }) => name);
  expect(without.filter((name) => !name.endsWith('.toString'))).toEqual([]);
});

test('every option names its default', () => {
  const optional = MEMBERS.filter(
    ({ name, symbol }) => /^\w+Options\./.test(name) && symbol.flags & ts.SymbolFlags.Optional,
  );
  expect(optional.length).toBeGreaterThan(20);
  const silent = optional.filter(({ symbol }) => !/left out|default|else|without it|any\b/i.test(textOf(symbol)));
  expect(silent.map(({ name }) => name)).toEqual([]);
});

test('every option and field that is a time says its unit', () => {
  const times = MEMBERS.filter(({ name }) => /\.(?:timeout|minRemaining|for|ms|delayMs|mailcapTimeout)$/.test(name));
  expect(times.length).toBeGreaterThan(5);
  expect(times.filter(({ symbol }) => !/millisecond/i.test(textOf(symbol))).map(({ name }) => name)).toEqual([]);
});

test('no docstring of the package stands behind another member, where editors do not find it', () => {
  const bundle = join(ROOT, 'dist/bundle');
  const files = readdirSync(bundle).filter((name) => /\.d\.c?ts$/.test(name));
  const lines = files.flatMap((name) => readFileSync(join(bundle, name), 'utf8').split('\n'));
  expect(lines.length).toBeGreaterThan(5_000);
  expect(lines.filter((line) => /[;{] ?\/\*\*/.test(line))).toEqual([]);
});

test('each option of createMailcap has the sentence of docs/options.md, with its default', () => {
  const file = join(ROOT, 'dist/bundle/index.d.ts');
  const bundled = ts.createProgram([file], { ...options, noEmit: true, types: [] }, host);
  const types = bundled.getTypeChecker();
  const source = bundled.getSourceFile(file);
  const module = source && types.getSymbolAtLocation(source);
  const create = module && types.tryGetMemberInModuleExports('createMailcap', module);
  const whole = create && types.getTypeOfSymbol(types.getAliasedSymbol(create));
  const [given] = whole?.getCallSignatures()[0]?.getParameters() ?? [];
  const taken = given && types.getNonNullableType(types.getTypeOfSymbol(given));
  const texts = Object.keys(OPTIONS).map((name) => {
    const option = taken?.getProperty(name);
    return [name, ts.displayPartsToString(option?.getDocumentationComment(types))] as const;
  });
  expect(texts.filter(([, text]) => text === '').map(([name]) => name)).toEqual([]);
  expect(Object.fromEntries(texts)).toMatchObject({ smtpPort: 'The SMTP port. Default: `1025`.' });
});
