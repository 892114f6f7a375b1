import { type FilesRead, readFileSource, suggestion } from './file.ts';
import { type Config, isOptionName, OPTIONS } from './options.ts';
import { FILE_KEYS, type OptionSource, resolveConfig } from './resolve.ts';
import { ConfigError } from './user-error.ts';
import type { Given } from './value.ts';
import { misspeltVariable, speaks, VARIABLES } from './variables.ts';

/**
 * Resolves the configuration of a command that runs in `cwd`. `reads` tells whether it may run a config file that is a
 * module. Throws {@link ConfigError}, which names the flag, variable or key.
 */
export async function loadConfig(
  flags: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
  reads: FilesRead,
): Promise<Config> {
  return resolveConfig([flagSource(flags), envSource(env), await readFileSource(cwd, reads)], cwd, env);
}

/**
 * Resolves the configuration of a program that starts a server in its own process. It reads neither environment
 * variables nor config files. Throws {@link ConfigError}.
 */
export function configOf(options: Readonly<Record<string, unknown>>, cwd: string): Config {
  const source = new Map<string, Given>();
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (!isOptionName(name) && !FILE_KEYS.has(name))
      throw new ConfigError(`${name}: no such option${suggestion(name)}`);
    source.set(name, { name, file: null, value });
  }
  return resolveConfig([source], cwd, {});
}

/** Builds the source for flags. `flags` has option names as keys and undefined for a flag that was not given. */
function flagSource(flags: Readonly<Record<string, unknown>>): OptionSource {
  const source = new Map<string, Given>();
  for (const [key, { flag }] of Object.entries(OPTIONS)) {
    if (flags[key] !== undefined) source.set(key, { name: `--${flag}`, file: null, value: flags[key] });
  }
  return source;
}

function envSource(env: Readonly<Record<string, string | undefined>>): OptionSource {
  const source = new Map<string, Given>();
  for (const [name, value] of Object.entries(env)) {
    if (!speaks(name, value)) continue;
    const key = VARIABLES.get(name);
    if (key !== undefined) source.set(key, { name, file: null, value });
    else throwIfMisspelt(name);
  }
  return source;
}

function throwIfMisspelt(name: string): void {
  const error = misspeltVariable(name);
  if (error !== null) throw error;
}

/**
 * Checks the MAILCAP_* variables for commands that read no other configuration. Throws {@link ConfigError} for a
 * misspelt one.
 */
export function checkVariables(env: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(env)) if (speaks(name, value)) throwIfMisspelt(name);
}

export { variableOf } from './variables.ts';
