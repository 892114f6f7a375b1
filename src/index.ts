import { configOf } from './config/load.ts';
import type { Config, OptionValues } from './config/options.ts';
import type { EventType } from './domain/event.ts';
import type { Plan, PlanName } from './domain/workspace.ts';
import { type Overrides, type RunningServer, type StartOptions, startMailcap } from './mailcap.ts';
import type { Subscription } from './ports/events.ts';
import type { Clock } from './ports/system.ts';
import type { Ready } from './runtime.ts';

export { type CopiedRows, type CopyBlobs, type CopyProgress, copyWholeStore } from './copy-store.ts';
export type { Overrides } from './mailcap.ts';
export { verifyDatabaseAt, verifyDirectory } from './open-store.ts';
export type { Ready } from './runtime.ts';

/** The options of `mailcap dev` under their config file names, and the keys that only a config file can set. */
export type MailcapOptions = {
  readonly [Name in keyof OptionValues]?: OptionValues[Name] | undefined;
} & {
  readonly plans?: { readonly [Name in PlanName]?: Partial<Plan> } | undefined;
  /** The domains that every workspace may send from. */
  readonly identities?: readonly string[] | undefined;
  /** The allowlist of a new mailbox: addresses, `*@domain` and `*.domain` patterns. */
  readonly allowlist?: readonly string[] | undefined;
  /** Tells whether a new mailbox may send, provided that its plan allows it. */
  readonly outboundEnabled?: boolean | undefined;
  /** The users who may send by SMTP, use the local API by a password, or send by Mailpit's API: `name:password`. */
  readonly smtpUsers?: readonly string[] | undefined;
  readonly httpUsers?: readonly string[] | undefined;
  readonly sendUsers?: readonly string[] | undefined;
  /** The users who may read the inbox by POP3 and IMAP: `name:password`. */
  readonly readerUsers?: readonly string[] | undefined;
  /** The recipients that SMTP takes: those that match a regular expression, and how many of a mail. */
  readonly recipients?:
    | { readonly allowed?: string; readonly dropOthers?: boolean; readonly most?: number }
    | undefined;
  /** The rules by which new mail gets tags. */
  readonly tagging?:
    | {
        readonly xTags?: boolean;
        readonly plusAddresses?: boolean;
        readonly titleCase?: boolean;
        readonly user?: boolean;
        readonly searches?: readonly { readonly query: string; readonly tags: readonly string[] }[];
      }
    | undefined;
  /** The rules by which mail that comes leaves again by itself. Without `relay` it goes to that of the option. */
  readonly autoRelay?: readonly LeavingMail[] | undefined;
  /** The recipients that may get released mail, and its sender. */
  readonly release?: Omit<LeavingMail, 'relay' | 'to'> | undefined;
  /** The URL that gets each new mail as JSON. */
  readonly mailWebhook?:
    | { readonly url: string; readonly everySeconds?: number; readonly delaySeconds?: number }
    | undefined;
  /** Fault rules from the start on, as the client's `faults.set` takes them. */
  readonly faults?: readonly object[] | undefined;
  /** The name of the server in Mailpit's API. */
  readonly label?: string | undefined;
  readonly spf?: { readonly zone: Readonly<Record<string, string | readonly string[]>> } | undefined;
  /** Ports that replace the real ones. The caller must close them. */
  readonly overrides?: Overrides | undefined;
};

/** The rules that mail must obey when it leaves. */
export interface LeavingMail {
  /** The SMTP URL of the server that gets it. */
  readonly relay?: string;
  /** The addresses that get each mail in place of its own recipients. */
  readonly to?: readonly string[];
  /** Regular expressions for recipients: the last that matches decides. */
  readonly rules?: readonly ({ readonly allow: string } | { readonly deny: string })[];
  /** The address that replaces From and the envelope sender. */
  readonly from?: string;
  /** The address that replaces the envelope sender. */
  readonly sender?: string;
}

/** A server that runs in this process. */
export interface Mailcap extends AsyncDisposable {
  /** The ready line that `mailcap dev --json` prints. */
  readonly ready: Ready;
  /** `{base_url}` */
  readonly url: string;
  readonly apiUrl: string;
  readonly smtp: {
    readonly host: string;
    readonly port: number;
    readonly url: string;
    /** The URL for SMTP with TLS from the first byte. Null without `smtpsPort`. */
    readonly tlsUrl: string | null;
    /** The path of the certificate that clients should trust. Null if no file is kept. */
    readonly ca: string | null;
  };
  readonly apiKey: string;
  readonly workspaceId: string;
  /** The id of the inbox mailbox. */
  readonly mailboxId: string;
  readonly mailDomain: string;
  /** The token of the local API. Null on loopback, where the local API needs none. */
  readonly adminToken: string | null;
  readonly clock: Clock;
  /** Returns the server to its seeded state. */
  reset(): Promise<void>;
  /**
   * Passes the events since the start to `write` as lines of JSON. `types` selects event types; undefined selects all.
   * When `write` returns false, no events follow until the subscription is resumed.
   */
  follow(types: readonly EventType[] | undefined, write: (lines: Buffer) => boolean): Subscription;
  /** Stops the server. It accepts nothing new, gives running work up to 10 seconds to finish, and flushes the store. */
  close(): Promise<void>;
}

/**
 * Starts a server in this process. It takes the options of `mailcap dev` with the same defaults. It ignores environment
 * variables and config files.
 */
export async function createMailcap(options: MailcapOptions = {}): Promise<Mailcap> {
  const { overrides, ...given } = options;
  return serve(configOf(given, process.cwd()), overrides === undefined ? {} : { overrides });
}

/** Starts a server from a resolved configuration, as the command line does. */
export async function serve(config: Config, options: StartOptions = {}): Promise<Mailcap> {
  return present(await startMailcap(config, options));
}

function present({ ctx, ready, reset, follow, close }: RunningServer): Mailcap {
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
