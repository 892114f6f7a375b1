import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Project } from './project.ts';

export const VITEST = 'node_modules/vitest/vitest.mjs';

/** The report of Vitest's JSON reporter. */
export interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly message: string;
    readonly assertionResults: readonly {
      readonly title: string;
      readonly status: string;
      readonly duration: number;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** Runs Vitest in the project. */
export async function vitest(
  project: Project,
  file: string,
  env: Readonly<Record<string, string>> = {},
  flags: readonly string[] = [],
): Promise<Report> {
  const { stdout, stderr } = await project.node(
    [VITEST, 'run', '--reporter=json', '--outputFile=report.json', ...flags, file],
    env,
  ).exit;
  try {
    return JSON.parse(await project.read('report.json'));
  } catch {
    throw new Error(`vitest said: ${stdout}\n${stderr}`);
  } finally {
    await rm(join(project.directory, 'report.json'), { force: true });
  }
}

/** Returns a line for each test: its status, its title, and the reason of a failure. */
export function results({ testResults }: Report): string[] {
  return testResults.flatMap(({ assertionResults, message }) =>
    assertionResults.length === 0
      ? [message]
      : assertionResults.map(({ title, status, failureMessages }) => [status, title, ...failureMessages].join(' ')),
  );
}
