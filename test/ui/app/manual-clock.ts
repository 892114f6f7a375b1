/** Creates a clock that the test moves by hand. */
export function manualClock() {
  let timers: { at: number; act: () => void }[] = [];
  let now = 0;
  return {
    now: () => now,
    after(ms: number, act: () => void) {
      const timer = { at: now + ms, act };
      timers.push(timer);
      return () => {
        timers = timers.filter((one) => one !== timer);
      };
    },
    pass(ms: number) {
      now += ms;
      const due = timers.filter(({ at }) => at <= now);
      timers = timers.filter(({ at }) => at > now);
      for (const { act } of due) act();
    },
  };
}
