import type { Draw } from './draw.ts';
import type { Operation, OperationName } from './scheduler.ts';

export type RefusalCode = 'ENOSPC' | 'EIO';

/** A scripted refusal: the operation, its error, and how often it applies. */
export interface Refusal {
  readonly operation: OperationName;
  readonly code: RefusalCode;
  /** Limits the refusal to paths that contain this text. */
  readonly path?: string;
  /** The number of operations that pass first. Default 0. */
  readonly after?: number;
  /** The number of operations that are refused. Default 1. */
  readonly times?: number;
}

/** The probability of each failure, from 0 to 1. */
export interface Chances {
  readonly shortWrite: number;
  readonly shortRead: number;
  readonly refused: Readonly<Partial<Record<OperationName, number>>>;
}

export const NO_CHANCES: Chances = { shortWrite: 0, shortRead: 0, refused: {} };

/** Decides which operations a disk refuses, by script and by chance. */
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

  /** Returns the error code of an operation, or null if it passes. */
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
