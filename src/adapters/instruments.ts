import type { Registry } from 'prom-client';
import type { LabelledCounter } from './labelled-counter.ts';

export interface Instruments {
  level(name: string, help: string, value: () => number): void;
  total(name: string, help: string, value: () => number): void;
  totals(name: string, help: string, counts: LabelledCounter): void;
  /** A gauge per state: 1 for the current state, 0 for the others. */
  states<State extends string>(name: string, help: string, states: readonly State[], now: () => State | null): void;
  /** A constant gauge of 1 whose labels carry the information. */
  info(name: string, help: string, labels: Readonly<Record<string, string>>): void;
}

/** Creates instruments of prom-client. Each reads its value when the registry is scraped. */
export function instrumentsOf({ Counter, Gauge }: typeof import('prom-client'), registry: Registry): Instruments {
  const registers = [registry];
  return {
    level: (name, help, value) => {
      const collect = (): void => gauge.set(value());
      const gauge = new Gauge({ name, help, registers, collect });
    },
    total: (name, help, value) => {
      const collect = (): void => {
        counter.reset();
        counter.inc(value());
      };
      const counter = new Counter({ name, help, registers, collect });
    },
    totals: (name, help, counts) => {
      const collect = (): void => {
        counter.reset();
        for (const [labels, count] of counts.entries()) counter.inc(labels, count);
      };
      const counter = new Counter({ name, help, labelNames: counts.labelNames, registers, collect });
    },
    states: (name, help, states, now) => {
      const collect = (): void => {
        const current = now();
        for (const state of states) gauge.set({ state }, state === current ? 1 : 0);
      };
      const gauge = new Gauge({ name, help, labelNames: ['state'], registers, collect });
    },
    info: (name, help, labels) => {
      new Gauge({ name, help, labelNames: Object.keys(labels), registers }).set({ ...labels }, 1);
    },
  };
}
