/**
 * The ready line that `--json` prints and `.mailcap/server.json` stores once all listeners are up
 * (docs/options.md#the-ready-line).
 */
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
  /** `smtps://host:port`, TLS from the first byte. Null without `--smtps-port`. */
  readonly smtpsUrl: string | null;
  /** The path of the certificate that clients on this machine can trust. Null if TLS is off or no file is kept. */
  readonly smtpCa: string | null;
  /** `pop3://host:port` and `pop3s://host:port`, TLS from the first byte. Each is null without its port. */
  readonly pop3Url: string | null;
  readonly pop3sUrl: string | null;
  /** `imap://host:port` and `imaps://host:port`, alike. */
  readonly imapUrl: string | null;
  readonly imapsUrl: string | null;
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

/**
 * The content of `server.json`, for the programs of this machine. Its addresses are those of this machine, without a
 * balancer.
 */
export interface ServerFile extends Ready {
  /** The token of the local API. Null on loopback, where the local API needs none. */
  readonly adminToken: string | null;
}

/** The phase of a server's life. `ready` is set once all listeners are up. */
export interface Runtime {
  readonly version: string;
  readonly phase: 'starting' | 'up' | 'stopping';
  /** Tells whether a stop has begun and everything still works, until a balancer has left. */
  readonly isDraining: boolean;
  readonly ready: Ready | null;
  /** The token of the local API. Null on loopback, where the local API needs none. */
  readonly adminToken: string | null;
}
