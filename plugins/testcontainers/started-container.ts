import { AbstractStartedContainer, type StartedTestContainer } from 'testcontainers';
import { type Client, type ClientOptions, createClient } from '../../src/client/index.ts';
import { providerVariables } from '../../src/client/internal.ts';

/** The ports inside the container, as the image exposes them. */
export const PORTS = { http: 8025, smtp: 1025, pop3: 1110, imap: 1143 } as const;

/** The secrets that clients of the server need. */
export interface ContainerSecrets {
  /** The API key of the seeded workspace, `svc_live_...`. */
  readonly apiKey: string;
  /** The token of the local API. */
  readonly adminToken: string;
}

/**
 * A started container with a mailcap server. `stop()` ends it. A container that is declared with `await using` ends
 * with its block.
 */
export class StartedMailcapContainer extends AbstractStartedContainer {
  readonly #secrets: ContainerSecrets;

  /** Wraps a container that {@link MailcapContainer} started. `secrets` are the key and the token of its server. */
  constructor(container: StartedTestContainer, secrets: ContainerSecrets) {
    super(container);
    this.#secrets = secrets;
  }

  /** Returns the base URL of the server on this machine, without `/v1`. It is the value of `MAILCAP_URL`. */
  getUrl(): string {
    return `http://${this.#authority(PORTS.http)}`;
  }

  /** Returns the base URL with `/v1`, with which the URLs of the cloud API begin. */
  getApiUrl(): string {
    return `${this.getUrl()}/v1`;
  }

  /** Returns the host of the SMTP server, as this machine reaches it. */
  getSmtpHost(): string {
    return this.getHost();
  }

  /** Returns the port of the SMTP server on this machine. Docker chooses a new port for each container. */
  getSmtpPort(): number {
    return this.getMappedPort(PORTS.smtp);
  }

  /** Returns `smtp://host:port`, for an app on this machine. */
  getSmtpUrl(): string {
    return `smtp://${this.#authority(PORTS.smtp)}`;
  }

  /** Returns the port of the POP3 server on this machine. Its host is that of SMTP. */
  getPop3Port(): number {
    return this.getMappedPort(PORTS.pop3);
  }

  /** Returns the port of the IMAP server on this machine. Its host is that of SMTP. */
  getImapPort(): number {
    return this.getMappedPort(PORTS.imap);
  }

  /** Returns the API key of the seeded workspace. */
  getApiKey(): string {
    return this.#secrets.apiKey;
  }

  /** Returns the admin token of the local API. */
  getAdminToken(): string {
    return this.#secrets.adminToken;
  }

  /**
   * Returns the environment variables from which the client, the fixtures of Playwright and Vitest, and an app on this
   * machine learn the server's addresses and keys.
   *
   * @example Object.assign(process.env, mailcap.getVariables());
   */
  getVariables(): Record<string, string> {
    return {
      MAILCAP_URL: this.getUrl(),
      MAILCAP_API_KEY: this.getApiKey(),
      MAILCAP_ADMIN_TOKEN: this.getAdminToken(),
      MAILCAP_SMTP_URL: this.getSmtpUrl(),
      MAILCAP_SMTP_HOST: this.getSmtpHost(),
      MAILCAP_SMTP_PORT: String(this.getSmtpPort()),
      MAILCAP_WEBHOOK_BASE_URL: this.#webhookBaseUrl(),
      ...providerVariables(this.getUrl()),
    };
  }

  /**
   * Creates a client of the server. The URLs of its webhooks use the ports on this machine, because the server itself
   * knows only the ports inside the container. Throws an OptionError for an unknown option.
   *
   * @example const mailbox = await mailcap.client().mailbox();
   */
  client(options: Omit<ClientOptions, 'baseUrl'> = {}): Client {
    return createClient({
      apiKey: this.getApiKey(),
      adminToken: this.getAdminToken(),
      webhookBaseUrl: this.#webhookBaseUrl(),
      ...options,
      baseUrl: this.getUrl(),
    });
  }

  #webhookBaseUrl(): string {
    return `${this.getUrl()}/hooks`;
  }

  #authority(port: number): string {
    const host = this.getHost();
    return `${host.includes(':') ? `[${host}]` : host}:${this.getMappedPort(port)}`;
  }
}
