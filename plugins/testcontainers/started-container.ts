import { AbstractStartedContainer, type StartedTestContainer } from 'testcontainers';
import { type Client, type ClientOptions, createClient } from '../../src/client/index.ts';

/** The ports inside the container, as the image exposes them. */
export const PORTS = { http: 8025, smtp: 1025 } as const;

/** The secrets that clients of the server need. */
export interface ContainerSecrets {
  /** The API key of the seeded workspace, `svc_live_...`. */
  readonly apiKey: string;
  /** The token of the local API. */
  readonly adminToken: string;
}

/** A mailcap server in a container that has started. `stop()` ends it; with `await using` it ends by itself. */
export class StartedMailcapContainer extends AbstractStartedContainer {
  readonly #secrets: ContainerSecrets;

  /** Wraps a container that {@link MailcapContainer} started. `secrets` are those that it was started with. */
  constructor(container: StartedTestContainer, secrets: ContainerSecrets) {
    super(container);
    this.#secrets = secrets;
  }

  /** Returns the base URL of the server on this machine, without `/v1`: what the client takes as `MAILCAP_URL`. */
  getUrl(): string {
    return `http://${this.#authority(PORTS.http)}`;
  }

  /** Returns the URL that paths of the API document begin with: the base URL and `/v1`. */
  getApiUrl(): string {
    return `${this.getUrl()}/v1`;
  }

  /** Returns the host of the SMTP server, as this machine reaches it. */
  getSmtpHost(): string {
    return this.getHost();
  }

  /** Returns the port of the SMTP server on this machine. The engine chooses it anew for each container. */
  getSmtpPort(): number {
    return this.getMappedPort(PORTS.smtp);
  }

  /** Returns `smtp://host:port`, for an app on this machine. */
  getSmtpUrl(): string {
    return `smtp://${this.#authority(PORTS.smtp)}`;
  }

  /** Returns the API key of the seeded workspace. */
  getApiKey(): string {
    return this.#secrets.apiKey;
  }

  /** Returns the admin token, which the local API asks for. */
  getAdminToken(): string {
    return this.#secrets.adminToken;
  }

  /**
   * Returns the variables by which the client, the fixtures of Playwright and Vitest, and an app on this machine find
   * the server.
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
    };
  }

  /**
   * Creates a client of the server. Its webhooks have URLs that this machine reaches; the server itself knows only the
   * ports inside the container. Throws an OptionError for an unknown option.
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
