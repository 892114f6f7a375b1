import { now } from '../clock.ts';
import { type DoctorFinding, ok, warning } from './finding.ts';

const PATIENCE_MS = 2_000;
/** A time before the release of this program. An earlier clock is wrong. */
const EARLIEST = Date.UTC(2026, 0, 1);
/** The length of a TOTP time step in seconds. */
const FAR_OFF_SECONDS = 30;

/** Checks the clock. A wrong clock makes TOTP codes wrong and lets mail expire at the wrong time. */
export async function checkClock(url: string | null): Promise<DoctorFinding> {
  const own = now();
  if (own < EARLIEST)
    return warning(
      'Clock',
      `this machine's clock says ${new Date(own).toISOString()}, which is in the past.`,
      'Set the clock of this machine: codes of authenticators depend on it.',
    );
  const set = url === null ? null : await clockOf(url);
  if (set === null) return ok('Clock', new Date(own).toISOString());
  if (set.offsetSeconds !== 0)
    return warning(
      'Clock',
      `the server's is set ${describe(set.offsetSeconds)}: retention, codes and counters follow it.`,
      'PUT null to /_mailcap/clock sets it back to real time.',
    );
  const apart = Math.abs(Date.parse(set.now) - now()) / 1_000;
  if (apart > FAR_OFF_SECONDS)
    return warning(
      'Clock',
      `the server's is ${Math.round(apart)} s from this machine's.`,
      'Codes of authenticators depend on the clock: correct the wrong one.',
    );
  return ok('Clock', `${set.now}, the server's agrees`);
}

function describe(seconds: number): string {
  return `${Math.abs(seconds)} s ${seconds > 0 ? 'ahead' : 'back'}`;
}

async function clockOf(url: string): Promise<{ now: string; offsetSeconds: number } | null> {
  try {
    const response = await fetch(`${url}/_mailcap/clock`, { signal: AbortSignal.timeout(PATIENCE_MS) });
    const value: unknown = await response.json();
    if (typeof value !== 'object' || value === null || !('now' in value) || !('offsetSeconds' in value)) return null;
    const { now: at, offsetSeconds } = value;
    return typeof at === 'string' && typeof offsetSeconds === 'number' ? { now: at, offsetSeconds } : null;
  } catch {
    return null;
  }
}
