import { randomBytes } from 'node:crypto';
import { GenericContainer, Wait } from 'testcontainers';
import { type FaultRule, OptionError } from '../../src/client/index.ts';
import { type ContainerSecrets, PORTS, StartedMailcapContainer } from './started-container.ts';

const HEALTH = '/_mailcap/health';
/** How long one look at the server's health may take, and the pause between two of them. */
const LOOK_MS = 500;
const STARTUP_MS = 120_000;

/**
 * A mailcap server in a container. It keeps nothing beyond the container and has no rate limits, unless it is told
 * otherwise. It is ready once its health says so, which is when SMTP and HTTP listen. Every option of `mailcap dev` can
 * be given by `withEnvironment`, as its variable: `{ MAILCAP_PLAN: 'free' }`.
 *
 * @example
 * const mailcap = await new MailcapContainer('ghcr.io/your-org/mailcap').start();
 * const mailbox = await mailcap.client().mailbox();
 */
export class MailcapContainer extends GenericContainer {
  #faults: readonly FaultRule[] = [];

  /** Describes a container of an image that the Dockerfile of mailcap made. */
  constructor(image: string) {
    super(given('the image', image));
    this.withExposedPorts(PORTS.http, PORTS.smtp)
      .withWaitStrategy(
        Wait.forHttp(HEALTH, PORTS.http, { abortOnContainerExit: true }).forStatusCode(200).withReadTimeout(LOOK_MS),
      )
      .withStartupTimeout(STARTUP_MS);
  }

  /** Sets the API key of the seeded workspace: `svc_live_` and letters, digits, `-` and `_`. Default: a random one. */
  withApiKey(apiKey: string): this {
    return this.withEnvironment({ MAILCAP_API_KEY: given('withApiKey', apiKey) });
  }

  /** Sets the token of the local API. Default: a random one. */
  withAdminToken(adminToken: string): this {
    return this.withEnvironment({ MAILCAP_ADMIN_TOKEN: given('withAdminToken', adminToken) });
  }

  /** Sets the domain that the mailboxes live under. Default: `mailcap.test`. */
  withMailDomain(mailDomain: string): this {
    return this.withEnvironment({ MAILCAP_MAIL_DOMAIN: given('withMailDomain', mailDomain) });
  }

  /**
   * Says whether the mail is kept in memory only, which is the default. With `false` it is in the volume `/data`, and is
   * still there after `restart()`.
   */
  withEphemeral(isEphemeral = true): this {
    return this.withEnvironment({ MAILCAP_EPHEMERAL: String(isEphemeral) });
  }

  /**
   * Sets the fault rules that are in force from the start. `start` throws a RefusedError with the code `invalid_faults`
   * if one is wrong, and leaves no container behind.
   *
   * @example new MailcapContainer(image).withFaults([{ stage: 'rcpt', action: { reply: '451 4.7.1 later' }, times: 1 }]);
   */
  withFaults(rules: readonly FaultRule[]): this {
    if (!Array.isArray(rules)) throw new OptionError('withFaults takes a list of rules.');
    this.#faults = [...rules];
    return this;
  }

  /**
   * Starts the container and resolves when the server is up. Throws an OptionError if the container may be reused and
   * has no fixed key and token, because random ones are no other container's; and testcontainers' error, with the last
   * lines of the log, if the server ends at its start.
   */
  override async start(): Promise<StartedMailcapContainer> {
    const secrets = this.#secrets();
    this.#setMissing({
      MAILCAP_EPHEMERAL: 'true',
      MAILCAP_LIMITS: 'off',
      MAILCAP_API_KEY: secrets.apiKey,
      MAILCAP_ADMIN_TOKEN: secrets.adminToken,
    });
    const started = new StartedMailcapContainer(await super.start(), secrets);
    if (this.#faults.length > 0) {
      try {
        await started.client().local.setFaults(this.#faults);
      } catch (error) {
        await started.stop();
        throw error;
      }
    }
    return started;
  }

  /** Sets the variables that are not set yet: testcontainers would hand over the same variable twice. */
  #setMissing(variables: Readonly<Record<string, string>>): void {
    const missing = Object.entries(variables).filter(([name]) => this.environment[name] === undefined);
    this.withEnvironment(Object.fromEntries(missing));
  }

  #secrets(): ContainerSecrets {
    const { MAILCAP_API_KEY: apiKey, MAILCAP_ADMIN_TOKEN: adminToken } = this.environment;
    if (this.reuse && (apiKey === undefined || adminToken === undefined))
      throw new OptionError('A container that is reused needs withApiKey and withAdminToken: a random key changes it.');
    return { apiKey: apiKey ?? `svc_live_${token()}`, adminToken: adminToken ?? token() };
  }
}

/** Checks a text. An empty variable would count as none, and the server would choose what its client does not know. */
function given(what: string, text: string): string {
  if (typeof text !== 'string' || text.trim() === '')
    throw new OptionError(`${what}: expected a text that is not empty, got ${JSON.stringify(text)}.`);
  return text;
}

function token(): string {
  return randomBytes(32).toString('base64url');
}
