/** The rules that a mail must obey when it leaves the server unchanged, by a release or by itself. */
export interface RelayRules {
  /** Which recipients get it: the last rule whose pattern finds something in the address decides. Without one, all do. */
  readonly rules: readonly RecipientRule[];
  /** The address that replaces the envelope sender and the From field. Null leaves both as they are. */
  readonly from: string | null;
  /** The address that replaces the envelope sender alone. */
  readonly sender: string | null;
}

export interface RecipientRule {
  readonly pattern: RegExp;
  readonly allows: boolean;
}

/** Mail that comes by SMTP leaves at once, as by a release (docs/drop-in.md#mail-that-leaves-by-itself). */
export interface AutoRelay extends RelayRules {
  /** The SMTP URL of the server that gets it. Null means that of `--relay`. */
  readonly relay: string | null;
  /** The addresses that get each mail in place of its own recipients. Null means its own. */
  readonly to: readonly string[] | null;
}

export const NO_RELAY_RULES: RelayRules = { rules: [], from: null, sender: null };

/** Tells whether an address may get mail that leaves. */
export function mayLeaveTo({ rules }: RelayRules, address: string): boolean {
  return rules.findLast(({ pattern }) => pattern.test(address))?.allows ?? true;
}

/** Returns the recipients to whom a mail leaves. */
export function leavingTo(rule: AutoRelay, rcptTo: readonly string[]): readonly string[] {
  return (rule.to ?? rcptTo).filter((address) => mayLeaveTo(rule, address));
}

/** Returns the host and port of a rule's own server, by which a mail finds it after a restart. Null means the relay. */
export function serverOf({ relay }: AutoRelay): string | null {
  return relay === null ? null : new URL(relay).host;
}

/** The webhook that gets new mail (docs/drop-in.md#a-webhook-for-new-mail). */
export interface MailWebhook {
  readonly url: string;
  /** Mail that comes sooner than this after the last request is not told. 0 tells each. */
  readonly everySeconds: number;
  /** The time between the mail and its request. */
  readonly delaySeconds: number;
}
