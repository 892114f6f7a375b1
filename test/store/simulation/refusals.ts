import type { Draw } from './draw.ts';
import type { Operation, OperationName } from './scheduler.ts';

export type RefusalCode = 'ENOSPC' | 'EIO';

/** What is refused, and how often. */
export interface Refusal {
  readonly operation: OperationName;
  readonly code: RefusalCode;
  /** Only where the path has this in it. */
  readonly path?: string;
  /** So many pass before it. Default 0. */
  readonly after?: number;
  /** So many are refused. Default 1. */
  readonly times?: number;
}

/** How likely a disk does less than it was asked to, each from 0 to 1. */
export interface Chances {
  readonly shortWrite: number;
  readonly shortRead: number;
  readonly refused: Readonly<Partial<Record<OperationName, number>>>;
}

export const NO_CHANCES: Chances = { shortWrite: 0, shortRead: 0, refused: {} };

/** What a disk refuses: as scripted, and by chance. */
export class Refusals {
  #scripted: { refusal: Refusal; passed: number; refused: number }[] = [];
  chances: Chances = NO_CHANCES;

  add(refusal: Refusal): void {
    this.#scripted.push({ refusal, passed: 0, refused: 0 });
  }

  clear(): void {
    this.#scripted = [];
    this.chances = NO_CHANCES;
  }

  /** The code an operation fails with, null where it passes. */
  codeFor({ name, path }: Operation, draw: Draw): RefusalCode | null {
    for (const entry of this.#scripted) {
      const { operation, code, path: part = '', after = 0, times = 1 } = entry.refusal;
      if (operation !== name || !path.includes(part) || entry.refused >= times) continue;
      if (entry.passed++ < after) continue;
      entry.refused++;
      return code;
    }
    const chance = this.chances.refused[name] ?? 0;
    if (chance === 0 || !draw.chance(chance)) return null;
    return name === 'write' && draw.chance(0.5) ? 'ENOSPC' : 'EIO';
  }
}
