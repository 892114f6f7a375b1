import { z } from 'zod';
import { addFault, removeFault } from '../../actions/faults.ts';
import type { Context } from '../../context.ts';
import { chaosRule, TRIGGER_NAMES, TRIGGERS, type TriggerName } from '../../domain/chaos.ts';
import { refuse, there } from '../../domain/errors.ts';
import type { CountedFault, FaultRule, FaultStage } from '../../domain/fault.ts';
import { type Anyone, type Endpoint, foreignRoute } from '../route.ts';
import { anyCase, nothing } from './shared.ts';

// Mailpit's Chaos and MailHog's Jim are fault rules here (docs/faults.md), so whoever lists the rules sees them. Nothing
// else is stored: what these APIs tell of their settings is read from the rules.

/** A trigger as Mailpit writes it. The probability is in per cent. */
interface Trigger {
  readonly ErrorCode: number;
  readonly Probability: number;
}

const TriggerRequest = anyCase(z.looseObject({ errorcode: z.int().nullish(), probability: z.int().nullish() }));
const ChaosRequest = anyCase(
  z.looseObject({
    sender: TriggerRequest.nullish(),
    recipient: TriggerRequest.nullish(),
    authentication: TriggerRequest.nullish(),
  }),
);

export const chaosRoutes: readonly Endpoint<Anyone>[] = [
  foreignRoute('GET', '/api/v1/chaos', async ({ ctx }) => readChaos(await ctx.faults.list())),

  foreignRoute('PUT', '/api/v1/chaos', {
    body: ChaosRequest,
    handle: async ({ ctx, body }) => {
      const { sender, recipient, authentication } = body;
      const given = { Sender: sender, Recipient: recipient, Authentication: authentication };
      const triggers = TRIGGER_NAMES.map((name) => [name, requireTrigger(name, given[name])] as const);
      await removeRules(ctx, isOfChaos);
      for (const [name, { ErrorCode, Probability }] of triggers) {
        // A rule that never applies keeps a code that is not the first one, as Mailpit does.
        if (Probability > 0 || ErrorCode !== TRIGGERS[name].code)
          await addFault(ctx, chaosRule(name, ErrorCode, Probability));
      }
      return readChaos(await ctx.faults.list());
    },
  }),
];

/** Reads a trigger. What is left out has Mailpit's value. Throws `invalid_body` with Mailpit's sentence. */
function requireTrigger(name: TriggerName, given: z.infer<typeof TriggerRequest> | null | undefined): Trigger {
  const ErrorCode = given?.errorcode || TRIGGERS[name].code;
  const Probability = given?.probability ?? 0;
  if (ErrorCode < 400 || ErrorCode > 599)
    throw refuse('invalid_body', { message: 'error code must be between 400 and 599' });
  if (Probability < 0 || Probability > 100)
    throw refuse('invalid_body', { message: 'probability must be between 0 and 100' });
  return { ErrorCode, Probability };
}

function readChaos(faults: readonly CountedFault[]): Record<TriggerName, Trigger> {
  const triggerOf = (name: TriggerName): Trigger => {
    const rule = faults.find(({ rule }) => isTrigger(rule, name))?.rule;
    const reply = rule?.stage === 'http' ? null : rule?.action.reply;
    return {
      ErrorCode: reply?.code ?? TRIGGERS[name].code,
      Probability: Math.round((rule?.probability ?? 0) * 100),
    };
  };
  return {
    Sender: triggerOf('Sender'),
    Recipient: triggerOf('Recipient'),
    Authentication: triggerOf('Authentication'),
  };
}

function isOfChaos(rule: FaultRule): boolean {
  return TRIGGER_NAMES.some((name) => isTrigger(rule, name));
}

/** Tells whether a rule is that of a trigger: Mailpit's reply by chance, without conditions. */
function isTrigger(rule: FaultRule, name: TriggerName): boolean {
  if (rule.stage !== TRIGGERS[name].stage || rule.probability === null || rule.mailboxId !== null) return false;
  return rule.action.reply?.text === TRIGGERS[name].text && Object.keys(rule.globs).length === 0;
}

/** The pattern of clients by which the rules of Jim are known again. It matches every client. */
const EVERY_CLIENT = '*';

/** What Jim does by chance: the steps at which it does so, and MailHog's reply, or none if it disconnects. */
const DEEDS = {
  connect: { stages: ['connect'], reply: null },
  disconnect: { stages: ['helo', 'mail', 'rcpt', 'data'], reply: null },
  rejectSender: { stages: ['mail'], reply: '550 Invalid sender' },
  rejectRecipient: { stages: ['rcpt'], reply: '550 Invalid recipient' },
  rejectAuth: { stages: ['auth'], reply: '500 Unrecognised command' },
} as const satisfies Record<string, { readonly stages: readonly FaultStage[]; readonly reply: string | null }>;
type Deed = keyof typeof DEEDS;
const DEED_NAMES = Object.keys(DEEDS) as readonly Deed[];

const chance = z.number().min(0).max(1).nullish();
const JimRequest = anyCase(
  z.looseObject({
    disconnectchance: chance,
    acceptchance: chance,
    rejectsenderchance: chance,
    rejectrecipientchance: chance,
    rejectauthchance: chance,
  }),
);

/** The chances of a Jim that nobody configured. */
const USUAL: Readonly<Record<Deed, number>> = {
  connect: 0.01,
  disconnect: 0.005,
  rejectSender: 0.05,
  rejectRecipient: 0.05,
  rejectAuth: 0.05,
};

export const jimRoutes: readonly Endpoint<Anyone>[] = [
  foreignRoute('GET', '/api/v2/jim', async ({ ctx }) => requireJim(await ctx.faults.list())),

  foreignRoute('POST', '/api/v2/jim', {
    body: JimRequest,
    bodyIsOptional: true,
    handle: async ({ ctx, body }) => {
      if (jimIn(await ctx.faults.list()) !== null)
        throw refuse('invalid_body', { message: 'Jim is there: PUT changes it, and DELETE removes it.' });
      await addJim(ctx, Object.keys(body).length === 0 ? USUAL : chancesOf(body));
      return nothing(201);
    },
  }),

  foreignRoute('PUT', '/api/v2/jim', {
    body: JimRequest,
    handle: async ({ ctx, body }) => {
      requireJim(await ctx.faults.list());
      await removeRules(ctx, isOfJim);
      await addJim(ctx, chancesOf(body));
      return nothing();
    },
  }),

  foreignRoute('DELETE', '/api/v2/jim', async ({ ctx }) => {
    requireJim(await ctx.faults.list());
    await removeRules(ctx, isOfJim);
    return nothing();
  }),
];

/** Reads the chances of a request. A number that is left out is 0, as in Go. */
function chancesOf(given: z.infer<typeof JimRequest>): Readonly<Record<Deed, number>> {
  return {
    connect: 1 - (given.acceptchance ?? 0),
    disconnect: given.disconnectchance ?? 0,
    rejectSender: given.rejectsenderchance ?? 0,
    rejectRecipient: given.rejectrecipientchance ?? 0,
    rejectAuth: given.rejectauthchance ?? 0,
  };
}

async function addJim(ctx: Context, chances: Readonly<Record<Deed, number>>): Promise<void> {
  for (const deed of DEED_NAMES) {
    const { stages, reply } = DEEDS[deed];
    const action = reply === null ? { drop: true } : { reply };
    for (const stage of stages)
      await addFault(ctx, { stage, match: { clientAddress: EVERY_CLIENT }, action, probability: chances[deed] });
  }
}

/** Returns Jim as MailHog writes it. Throws `not_found` if there is none. */
function requireJim(faults: readonly CountedFault[]) {
  return there(jimIn(faults));
}

function jimIn(faults: readonly CountedFault[]) {
  const rules = faults.map(({ rule }) => rule).filter(isOfJim);
  if (rules.length === 0) return null;
  const chanceOf = (deed: Deed) => rules.find((rule) => doesDeed(rule, deed))?.probability ?? 0;
  return {
    DisconnectChance: chanceOf('disconnect'),
    AcceptChance: rounded(1 - chanceOf('connect')),
    // No rule slows a connection down.
    ...{ LinkSpeedAffect: 0, LinkSpeedMin: 0, LinkSpeedMax: 0 },
    RejectSenderChance: chanceOf('rejectSender'),
    RejectRecipientChance: chanceOf('rejectRecipient'),
    RejectAuthChance: chanceOf('rejectAuth'),
  };
}

/** Returns a chance without the last digits, which a subtraction of fractions leaves wrong. */
function rounded(number: number): number {
  return Number(number.toFixed(12));
}

function isOfJim(rule: FaultRule): boolean {
  return DEED_NAMES.some((deed) => doesDeed(rule, deed));
}

function doesDeed(rule: FaultRule, deed: Deed): boolean {
  const { stages, reply } = DEEDS[deed];
  if (rule.stage === 'http' || !stages.some((stage) => stage === rule.stage)) return false;
  if (rule.probability === null || rule.globs.clientAddress?.pattern !== EVERY_CLIENT) return false;
  const { action } = rule;
  return reply === null ? action.drop : action.reply !== null && `${action.reply.code} ${action.reply.text}` === reply;
}

async function removeRules(ctx: Context, isMeant: (rule: FaultRule) => boolean): Promise<void> {
  for (const { id, rule } of await ctx.faults.list()) if (isMeant(rule)) await removeFault(ctx, id);
}
