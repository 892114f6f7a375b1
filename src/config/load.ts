import { readFileSource } from './file.ts';
import { type Config, isOptionName, OPTIONS } from './options.ts';
import { FILE_KEYS, resolveConfig, type Source } from './resolve.ts';
import { ConfigError } from './user-error.ts';
import type { Given } from './value.ts';

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
  for (const [key, { flag }] of Object.entries(OPTIONS)) {
    const name = variableOf(flag);
    const value = env[name];
    // An empty variable is how a compose file says nothing; tcp://... is what Docker links and Kubernetes put
    // into MAILCAP_PORT where a service is called mailcap.
    if (value === undefined || value === '' || (flag === 'port' && value.startsWith('tcp://'))) continue;
    source.set(key, { name, file: null, value });
  }
  return source;
}

/** `smtp-port` is `MAILCAP_SMTP_PORT`. */
export function variableOf(flag: string): string {
  return `MAILCAP_${flag.toUpperCase().replaceAll('-', '_')}`;
}
