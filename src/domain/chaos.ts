/** The triggers of Mailpit's Chaos: the step of the SMTP transaction, Mailpit's reply, and the code that it begins with. */
export const TRIGGERS = {
  Sender: { stage: 'mail', text: 'Chaos sender error', code: 451 },
  Recipient: { stage: 'rcpt', text: 'Chaos recipient error', code: 451 },
  Authentication: { stage: 'auth', text: 'Chaos authentication error', code: 535 },
} as const;
export type TriggerName = keyof typeof TRIGGERS;
export const TRIGGER_NAMES = Object.keys(TRIGGERS) as readonly TriggerName[];

/** Returns the fault rule of a trigger, as a client would send it (docs/faults.md). The probability is in per cent. */
export function chaosRule(name: TriggerName, code: number, probability: number) {
  const { stage, text } = TRIGGERS[name];
  return { stage, action: { reply: `${code} ${text}` }, probability: probability / 100 };
}
