import type { Dns, MailExchange } from '../../src/ports/mail.ts';

export interface Records {
  readonly txt?: readonly string[];
  readonly a?: readonly string[];
  readonly aaaa?: readonly string[];
  /** The MX hosts in order of preference. */
  readonly mx?: readonly string[];
  readonly ptr?: readonly string[];
  /** True if queries for all other record types fail. */
  readonly failing?: boolean;
}

export interface ScriptedDns extends Dns {
  /** The queries so far, as `type name`. */
  readonly asked: string[];
}

/** Creates a resolver that knows these names, regardless of case. */
export function scriptedDns(names: Readonly<Record<string, Records>>): ScriptedDns {
  const known = new Map(Object.entries(names).map(([name, records]) => [name.toLowerCase(), records]));
  const asked: string[] = [];
  const ask = async (type: Exclude<keyof Records, 'failing'>, name: string): Promise<string[] | null> => {
    asked.push(`${type} ${name}`);
    const records = known.get(name.toLowerCase().replace(/\.$/, ''));
    const found = records?.[type];
    if (found === undefined && records?.failing) throw new Error(`${name} does not answer`);
    return found === undefined ? null : [...found];
  };
  return {
    asked,
    txt: async (name) => (await ask('txt', name))?.map((text) => [text]) ?? null,
    a: (name) => ask('a', name),
    aaaa: (name) => ask('aaaa', name),
    mx: async (name) =>
      (await ask('mx', name))?.map((exchange, i): MailExchange => ({ exchange, priority: 10 * (i + 1) })) ?? null,
    ptr: (name) => ask('ptr', name),
    close: () => {},
  };
}
