import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { TestContext } from 'vitest';
import { type Attempt, amend } from '../shared/attempt.ts';
import { reportOf } from '../shared/report.ts';

const DIRECTORY = join('.mailcap', 'failures');
const MAX_NAME = 60;

/** Writes the messages and requests of a failed attempt to files, and adds their path to the test's error. */
export async function keepReport(attempt: Attempt, task: TestContext['task']): Promise<void> {
  const exhibits = await reportOf(attempt);
  if (exhibits.length === 0) return;
  const root = process.cwd();
  const { file, result } = task;
  const directory = join(root, DIRECTORY, slug(relative(root, file.filepath)), directoryOf(task));
  await rm(directory, { recursive: true, force: true });
  // Mail and keys are for this user alone, as all of `.mailcap` (docs/security.md#what-is-kept-on-the-disk).
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await writeFile(join(root, DIRECTORY, '.gitignore'), '*\n');
  const names = new Set<string>();
  for (const { name, extension, body } of exhibits) {
    const plain = slug(name.replace(/\.json$/, ''));
    const unique = names.has(`${plain}.${extension}`) ? `${plain}-${names.size}` : plain;
    names.add(`${unique}.${extension}`);
    await writeFile(join(directory, `${unique}.${extension}`), body);
  }
  const error = result?.errors?.at(-1);
  if (error !== undefined) amend(error, `The received mail and requests are in: ${relative(root, directory)}`);
}

/** The test that owns each directory. Different titles may give the same file name. */
const owners = new Map<string, string>();

function directoryOf(task: TestContext['task']): string {
  const { retryCount = 0, repeatCount = 0 } = task.result ?? {};
  const name = slug(fullName(task));
  const owner = `${task.file.id} ${task.id}`;
  let unique = name;
  for (let at = 2; (owners.get(unique) ?? owner) !== owner; at++) unique = `${name}-${at}`;
  owners.set(unique, owner);
  return [unique, repeatCount && `repeat-${repeatCount}`, retryCount && `retry-${retryCount}`]
    .filter(Boolean)
    .join('-');
}

function fullName({ name, suite }: TestContext['task']): string {
  return suite === undefined || suite.name === '' ? name : `${suite.name} ${name}`;
}

function slug(text: string): string {
  const plain = text.replace(/[^\p{L}\p{N}.]+/gu, '-').replace(/^[-.]+|(?<![-.])[-.]+$/g, '');
  return plain.slice(0, MAX_NAME) || 'test';
}
