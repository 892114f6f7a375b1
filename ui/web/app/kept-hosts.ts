import type { Machine } from './ports.ts';

const HOSTS = 'mailcap.hosts';

/** The kinds of content that may be loaded from each host. */
export type KindsByHost = Readonly<Record<string, readonly string[]>>;

/** Keeps the hosts from which mails may load content. */
export function keepHosts(machine: Machine, allowed: KindsByHost): void {
  machine.keep(HOSTS, JSON.stringify(allowed));
}

/** Returns the hosts that the browser has kept. Any other text means none. */
export function keptHosts(machine: Machine): KindsByHost {
  try {
    const parsed: unknown = JSON.parse(machine.kept(HOSTS) ?? '{}');
    if (typeof parsed !== 'object' || parsed === null) return {};
    return Object.fromEntries(
      Object.entries(parsed).filter(
        (entry): entry is [string, string[]] =>
          Array.isArray(entry[1]) && entry[1].every((host) => typeof host === 'string'),
      ),
    );
  } catch {
    return {};
  }
}
