import { readFileSource } from './file.ts';
import { type Config, isOptionName, OPTIONS } from './options.ts';
import { FILE_KEYS, resolveConfig, type Source } from './resolve.ts';
import { ConfigError } from './user-error.ts';
import { type Given, misplaced } from './value.ts';

/** The configuration of a command line run in `cwd`. Throws {@link ConfigError} naming the flag, variable or key. */
export async function loadConfig(
  flags: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
): Promise<Config> {
  return resolveConfig([flagSource(flags), envSource(env), await readFileSource(cwd)], cwd);
}

/** The configuration of a program that starts a server in its own process: neither environment nor file has a say. */
export function configOf(options: Readonly<Record<string, unknown>>, cwd: string): Config {
  const source = new Map<string, Given>();
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (!isOptionName(name) && !FILE_KEYS.has(name)) throw new ConfigError(`${name}: no such option.`);
    source.set(name, { name, file: null, value });
  }
  return resolveConfig([source], cwd);
}

/** `flags` by option name, undefined where a flag was not given. */
function flagSource(flags: Readonly<Record<string, unknown>>): Source {
  const source = new Map<string, Given>();
  for (const [key, { flag }] of Object.entries(OPTIONS)) {
    if (flags[key] !== undefined) source.set(key, { name: `--${flag}`, file: null, value: flags[key] });
  }
  return source;
}

function envSource(env: Readonly<Record<string, string | undefined>>): Source {
  const source = new Map<string, Given>();
  const names = new Map(Object.entries(OPTIONS).map(([key, { flag }]) => [variableOf(flag), key]));
  for (const [name, value] of Object.entries(env)) {
    // An empty variable is how a compose file says nothing; tcp://... is what Kubernetes and Docker links put into
    // MAILCAP_PORT where a service is called mailcap.
    if (!name.startsWith('MAILCAP_') || !value || value.startsWith('tcp://')) continue;
    const given: Given = { name, file: null, value };
    const key = names.get(name);
    if (key !== undefined) source.set(key, given);
    else refuseMisspelt(given, names.keys());
  }
  return source;
}

/** Others may have variables that begin with MAILCAP_, clients among them; one that differs by an underscore is a slip. */
function refuseMisspelt(given: Given, names: Iterable<string>): void {
  const plain = (name: string) => name.slice('MAILCAP_'.length).replaceAll('_', '');
  for (const name of names) {
    if (plain(name) === plain(given.name)) throw misplaced(given, `no such variable; did you mean ${name}?`);
  }
}

/** `smtp-port` is `MAILCAP_SMTP_PORT`. */
export function variableOf(flag: string): string {
  return `MAILCAP_${flag.toUpperCase().replaceAll('-', '_')}`;
}
