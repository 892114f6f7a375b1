import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';

// A step speaks to the runner by commands (https://docs.github.com/actions/reference/workflow-commands). It needs no
// package for them.

/** Returns the value of an input, without the spaces around it. */
export function input(name) {
  return (process.env[`INPUT_${name.toUpperCase()}`] ?? '').trim();
}

/** Adds values to one of the runner's files: GITHUB_ENV, GITHUB_OUTPUT or GITHUB_STATE. */
export function tell(file, values) {
  const path = process.env[file];
  if (!path) throw new Error(`${file} is not set: this program is to be started by a runner.`);
  for (const [name, value] of Object.entries(values)) {
    // No value can end the text that nobody knows the end of.
    const end = `end-${randomUUID()}`;
    appendFileSync(path, `${name}<<${end}\n${value}\n${end}\n`);
  }
}

/** Prints a text that others wrote, folded. The runner takes no line of it for a command. */
export function printFolded(title, text) {
  const token = randomUUID();
  console.log(`::group::${title}\n::stop-commands::${token}\n${text.trimEnd()}\n::${token}::\n::endgroup::`);
}

/** Marks the step as failed, with its reason. */
export function fail(reason) {
  console.log(`::error title=mailcap::${reason.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A')}`);
  process.exitCode = 1;
}
