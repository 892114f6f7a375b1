import { randomBytes } from 'node:crypto';
import { GenericContainer, Wait } from 'testcontainers';
import { type FaultRule, OptionError } from '../../src/client/index.ts';
import { type ContainerSecrets, PORTS, StartedMailcapContainer } from './started-container.ts';

const HEALTH = '/_mailcap/health';
/** The timeout of one health check, and the pause between two of them, in milliseconds. */
const LOOK_MS = 500;
const STARTUP_MS = 120_000;

/**
 * A mailcap server in a container. By default it keeps mail only in memory and has no rate limits. It is ready when its
 * health check succeeds, which means that SMTP and HTTP listen. `withEnvironment` sets any option of `mailcap dev` by
 * its variable, as in `{ MAILCAP_PLAN: 'free' }`.
 *
 * @example
 * const mailcap = await new MailcapContainer('registry.example.com/mailcap').start();
 * const mailbox = await mailcap.client().mailbox();
 */
export class MailcapContainer extends GenericContainer {
  #faults: readonly FaultRule[] = [];

  /** Describes a container. `image` is the name of an image that was built from mailcap's Dockerfile. */
  constructor(image: string) {
    super(given('the image', image));
    this.withExposedPorts(...Object.values(PORTS))
      .withWaitStrategy(
        Wait.forHttp(HEALTH, PORTS.http, { abortOnContainerExit: true }).forStatusCode(200).withReadTimeout(LOOK_MS),
      )
      .withStartupTimeout(STARTUP_MS);
  }

  /**
   * Sets the API key of the seeded workspace: `svc_live_`, then letters, digits, `-` and `_`. Default: a random key.
   */
  withApiKey(apiKey: string): this {
    return this.withEnvironment({ MAILCAP_API_KEY: given('withApiKey', apiKey) });
  }

  /** Sets the admin token of the local API. Default: a random token. */
  withAdminToken(adminToken: string): this {
    return this.withEnvironment({ MAILCAP_ADMIN_TOKEN: given('withAdminToken', adminToken) });
  }

  /** Sets the domain of the mailbox addresses. Default: `mailcap.example.com`. */
  withMailDomain(mailDomain: string): this {
    return this.withEnvironment({ MAILCAP_MAIL_DOMAIN: given('withMailDomain', mailDomain) });
  }

  /**
   * Sets whether the server keeps mail only in memory, which is the default. With `false` it stores mail in the volume
   * `/data`, where a `restart()` does not delete it.
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
    if (!Array.isArray(rules)) throw new OptionError('withFaults needs a list of rules.');
    this.#faults = [...rules];
    return this;
  }

  /**
   * Starts the container and resolves when the server is ready. Throws an OptionError if the container is reusable but
   * has no fixed key and token: with random ones it never equals a running container. Throws testcontainers' error,
   * with the last lines of the log, if the server does not start.
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

  /** Sets the variables that are not set yet, because testcontainers would pass a variable to the container twice. */
  #setMissing(variables: Readonly<Record<string, string>>): void {
    const missing = Object.entries(variables).filter(([name]) => this.environment[name] === undefined);
    this.withEnvironment(Object.fromEntries(missing));
  }

  #secrets(): ContainerSecrets {
    const { MAILCAP_API_KEY: apiKey, MAILCAP_ADMIN_TOKEN: adminToken } = this.environment;
    if (this.reuse && (apiKey === undefined || adminToken === undefined))
      throw new OptionError(
        'A reusable container needs withApiKey and withAdminToken: with random ones it would never equal a running container.',
      );
    return { apiKey: apiKey ?? `svc_live_${token()}`, adminToken: adminToken ?? token() };
  }
}

/** Checks a string. The server would ignore an empty variable and choose a value that the client does not know. */
function given(what: string, text: string): string {
  if (typeof text !== 'string' || text.trim() === '')
    throw new OptionError(`${what} must be a non-empty string; it is ${JSON.stringify(text)}.`);
  return text;
}

function token(): string {
  return randomBytes(32).toString('base64url');
}
