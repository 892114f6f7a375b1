import { isPlanName, PLANS, type Plan, type Plans } from '../domain/plan.ts';
import { type Given, misplaced, readEntries, wrong } from './value.ts';

/**
 * Reads the plans. Numbers in a config file replace the defaults (docs/contract.md#plans). Throws {@link ConfigError}.
 */
export function readPlans(given: Given): Plans {
  const plans = { ...PLANS };
  for (const [name, numbers] of readEntries(given)) {
    if (!isPlanName(name)) throw misplaced(numbers, 'there is no such plan: use free or business.');
    plans[name] = readPlan(plans[name], numbers);
  }
  return plans;
}

function readPlan(defaults: Plan, given: Given): Plan {
  const numbers = new Map<string, unknown>();
  for (const [key, number] of readEntries(given)) {
    if (!Object.hasOwn(defaults, key)) {
      throw misplaced(number, `there is no such limit: use ${Object.keys(defaults).join(', ')}.`);
    }
    checkNumber(key, number);
    numbers.set(key, number.value);
  }
  // The loop above has checked that every key exists in the defaults and has the right type.
  const plan = { ...defaults, ...(Object.fromEntries(numbers) as Partial<Plan>) };
  if (plan.retentionDefaultDays > plan.retentionMaxDays) {
    throw misplaced(given, `retentionDefaultDays (${plan.retentionDefaultDays}) is larger than retentionMaxDays.`);
  }
  return plan;
}

function checkNumber(key: string, given: Given): void {
  const { value } = given;
  if (key === 'outbound') {
    if (typeof value !== 'boolean') throw wrong(given, 'true or false');
    return;
  }
  const min = key.startsWith('retention') ? 1 : 0;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < min) {
    throw wrong(given, `a whole number of ${min} or more`);
  }
}
