import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { describeLocal, describe as describeRoutes } from '../../src/http/openapi/document.ts';
import { cloudOperations, localOperations } from '../../src/http/operations.ts';
import { shareOf } from '../support/night-share.ts';
import { has } from '../support/programs.ts';
import { unless } from '../support/unless.ts';

const run = promisify(execFile);
const PATIENCE = 1_200_000;
const GENERATOR = 'org.openapitools:openapi-generator-cli:7.17.0';

/** The reason to skip in a share of the night: the clients take twenty minutes, and languages that CI need not have. */
const IN_SHARE = shareOf(process.env['MAILCAP_NIGHT_SHARE']) === null ? null : 'only the whole night runs it';

const lacking = (...programs: readonly string[]): string | null => {
  if (IN_SHARE !== null) return IN_SHARE;
  const missing = programs.filter((program) => !has(program));
  return missing.length === 0 ? null : `${missing.join(' and ')} is not installed here`;
};

/** What both documents need: the program of OpenAPI Generator, and the compiled libraries of the clients in Rust. */
const shared = mkdtempSync(join(tmpdir(), 'mailcap-generators-'));
afterAll(() => rmSync(shared, { recursive: true, force: true }));

// The generators and what their clients need come from the registries. A document that a generator does not take gives
// no client, or one that does not compile.
describe.each([
  ['cloud', describeRoutes(cloudOperations)],
  ['local', describeLocal(localOperations)],
] as const)('from the %s document', (name, document) => {
  const directory = mkdtempSync(join(tmpdir(), 'mailcap-generators-'));
  const input = join(directory, `${name}.json`);
  beforeAll(() => writeFileSync(input, JSON.stringify(document)));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  const within = (folder: string, file: string, args: string[], more: NodeJS.ProcessEnv = {}) => {
    const cwd = join(directory, folder);
    mkdirSync(cwd, { recursive: true });
    return run(file, args, { cwd, env: { ...process.env, ...more }, maxBuffer: 64 * 1024 * 1024 });
  };

  /** Generates a client with OpenAPI Generator, which is a program of Java. Returns its folder. */
  const generate = async (language: string): Promise<string> => {
    const jar = join(shared, 'openapi-generator-cli.jar');
    const copy = [`-Dartifact=${GENERATOR}`, `-DoutputDirectory=${shared}`, '-Dmdep.stripVersion=true'];
    if (!existsSync(jar)) await within('.', 'mvn', ['-q', '-B', 'dependency:copy', ...copy]);
    await within('.', 'java', ['-jar', jar, 'generate', '-i', input, '-g', language, '-o', language]);
    return language;
  };

  unless(test, lacking('java', 'mvn'))('a client in Java compiles', { timeout: PATIENCE }, async () => {
    await within(await generate('java'), 'mvn', ['-q', '-B', 'compile']);
  });

  unless(test, lacking('java', 'mvn', 'php'))('a client in PHP compiles', { timeout: PATIENCE }, async () => {
    const folder = await generate('php');
    const { stdout } = await within(folder, 'find', ['lib', '-name', '*.php']);
    for (const file of stdout.trim().split('\n')) await within(folder, 'php', ['-l', file]);
  });

  unless(test, lacking('java', 'mvn', 'cargo'))('a client in Rust compiles', { timeout: PATIENCE }, async () => {
    await within(await generate('rust'), 'cargo', ['check', '--quiet'], {
      CARGO_TARGET_DIR: join(shared, 'rust'),
    });
  });

  unless(test, lacking('java', 'mvn', 'python3'))('a client in Python compiles', { timeout: PATIENCE }, async () => {
    await within(await generate('python'), 'python3', ['-m', 'compileall', '-q', 'openapi_client']);
  });

  const goModule = 'module example.test/generated\n\ngo 1.24\n';

  unless(test, lacking('go'))('a client in Go by oapi-codegen compiles', { timeout: PATIENCE }, async () => {
    const tool = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';
    await within('oapi', 'go', ['run', tool, '-generate', 'types,client', '-package', name, '-o', 'client.go', input]);
    writeFileSync(join(directory, 'oapi', 'go.mod'), goModule);
    await within('oapi', 'go', ['mod', 'tidy']);
    await within('oapi', 'go', ['vet', './...']);
  });

  unless(test, lacking('go'))('a client in Go by ogen compiles', { timeout: PATIENCE }, async () => {
    await within('ogen', 'go', ['run', 'github.com/ogen-go/ogen/cmd/ogen@v1.24.0', '--target', 'api', input]);
    writeFileSync(join(directory, 'ogen', 'go.mod'), goModule);
    await within('ogen', 'go', ['mod', 'tidy']);
    await within('ogen', 'go', ['build', './...']);
  });
});
