/** What `--json` prints and `.mailcap/server.json` holds once everything listens (docs/contract.md#the-ready-line). */
export interface Ready {
  readonly event: 'ready';
  /** `{base_url}`, `http://127.0.0.1:8025` */
  readonly url: string;
  /** `url` + `/v1` */
  readonly apiUrl: string;
  /** `smtp://host:port` */
  readonly smtpUrl: string;
  readonly smtpHost: string;
  readonly smtpPort: number;
  /** `smtps://host:port`, TLS from the first byte; null without `--smtps-port`. */
  readonly smtpsUrl: string | null;
  /** Path of the certificate that clients of this machine can trust; null where TLS is off or no file is kept. */
  readonly smtpCa: string | null;
  /** `url` + `/hooks` */
  readonly webhookBaseUrl: string;
  /** `ws://.../_mailcap/feed` */
  readonly feedUrl: string;
  readonly mailDomain: string;
  readonly apiKey: string;
  readonly workspaceId: string;
  readonly mailboxId: string;
  readonly pid: number;
  readonly version: string;
}

/** Where a server stands in its life. `ready` is set from the moment both listeners are up. */
export interface Runtime {
  readonly version: string;
  readonly phase: 'starting' | 'up' | 'stopping';
  readonly ready: Ready | null;
  /** Null on loopback, where the local API asks for no key. */
  readonly adminToken: string | null;
}
