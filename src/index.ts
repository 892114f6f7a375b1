import { configOf } from './config/load.ts';
import type { Config, OptionValues } from './config/options.ts';
import type { EventType } from './domain/event.ts';
import type { Plan, PlanName } from './domain/plan.ts';
import { type Overrides, type Running, type StartOptions, startMailcap } from './mailcap.ts';
import type { Clock } from './ports/clock.ts';
import type { Subscription } from './ports/feed.ts';
import type { Ready } from './runtime.ts';

export { type Overrides, verifyDirectory } from './mailcap.ts';
export type { Ready } from './runtime.ts';

/** The options of `mailcap dev`, by their names in a config file, and what only a config file can say. */
export type MailcapOptions = {
  readonly [Name in keyof OptionValues]?: OptionValues[Name] | undefined;
} & {
  readonly plans?: { readonly [Name in PlanName]?: Partial<Plan> } | undefined;
  /** Domains that every workspace may send from. */
  readonly identities?: readonly string[] | undefined;
  /** Of a new mailbox: addresses and `*.domain` patterns. */
  readonly allowlist?: readonly string[] | undefined;
  /** Of a new mailbox, where the plan has outbound. */
  readonly outboundEnabled?: boolean | undefined;
  readonly spf?: { readonly zone: Readonly<Record<string, string | readonly string[]>> } | undefined;
  /** Ports put in place of the real ones; what is given is the caller's to close. */
  readonly overrides?: Overrides | undefined;
};

/** A server in this process. */
export interface Mailcap extends AsyncDisposable {
  /** What `mailcap dev --json` prints. */
  readonly ready: Ready;
  /** `{base_url}` */
  readonly url: string;
  readonly apiUrl: string;
  readonly smtp: {
    readonly host: string;
    readonly port: number;
    readonly url: string;
    /** TLS from the first byte; null without `smtpsPort`. */
    readonly tlsUrl: string | null;
    /** Path of the certificate to trust; null where no file is kept. */
    readonly ca: string | null;
  };
  readonly apiKey: string;
  readonly workspaceId: string;
  /** The inbox mailbox. */
  readonly mailboxId: string;
  readonly mailDomain: string;
  /** Token of the local API, null on loopback, where it asks for none. */
  readonly adminToken: string | null;
  readonly clock: Clock;
  /** Back to the seeded state. */
  reset(): Promise<void>;
  /**
   * Hands on the events of the feed since the start, as lines of JSON, those of some types alone where any are named. `write`
   * answers false where it takes no more until the subscription is resumed.
   */
  follow(types: readonly EventType[] | undefined, write: (lines: Buffer) => boolean): Subscription;
  /** Stops accepting, finishes what is under way (10 s at most), flushes. */
  close(): Promise<void>;
}

/** Starts a server in this process. Options are those of `mailcap dev`, and so are their defaults; the environment and config files have no say. */
export async function createMailcap(options: MailcapOptions = {}): Promise<Mailcap> {
  const { overrides, ...given } = options;
  return serve(configOf(given, process.cwd()), overrides === undefined ? {} : { overrides });
}

/** Starts a server from a configuration that is resolved already, as the command line does. */
export async function serve(config: Config, options: StartOptions = {}): Promise<Mailcap> {
  return present(await startMailcap(config, options));
}

function present({ ctx, ready, reset, follow, close }: Running): Mailcap {
  return {
    ready,
    url: ready.url,
    apiUrl: ready.apiUrl,
    smtp: {
      host: ready.smtpHost,
      port: ready.smtpPort,
      url: ready.smtpUrl,
      tlsUrl: ready.smtpsUrl,
      ca: ready.smtpCa,
    },
    apiKey: ready.apiKey,
    workspaceId: ready.workspaceId,
    mailboxId: ready.mailboxId,
    mailDomain: ready.mailDomain,
    adminToken: ctx.runtime.adminToken,
    clock: ctx.clock,
    reset,
    follow: (types, write) => follow(types, { write }),
    close,
    [Symbol.asyncDispose]: close,
  };
}
