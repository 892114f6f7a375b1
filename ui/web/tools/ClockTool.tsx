import { type FormEvent, useState } from 'react';
import { saidMoment } from '../../../src/text/said.ts';
import { Button } from '../parts/controls.tsx';
import { InputField } from '../parts/fields.tsx';
import { useNow } from '../use-loaded.ts';
import { useShell, useView } from '../use-shell.ts';

const JUMPS = [
  { name: '10 minutes', seconds: 600 },
  { name: '1 hour', seconds: 3_600 },
  { name: '1 day', seconds: 86_400 },
  { name: '30 days', seconds: 2_592_000 },
];

/** Shifts the server's clock, which retention, counters, TOTP codes and rate limits use. */
export function ClockTool() {
  const shell = useShell();
  const now = useNow(1_000);
  const shifted = useView(({ shiftedSeconds }) => shiftedSeconds);
  const mailboxes = useView(({ mailboxes }) => mailboxes);
  const [to, setTo] = useState('');
  const set = (setting: object | null, said: string) =>
    shell.attempt(async () => {
      const { now: there, offsetSeconds } = await shell.api.setClock(setting);
      shell.server.setShifted(offsetSeconds, Date.parse(there));
    }, said);
  const jump = (seconds: number) => set({ offsetSeconds: Math.round(shifted) + seconds }, 'The clock was moved');
  const retention = Math.min(...mailboxes.filter(({ gone }) => !gone).map(({ retentionDays }) => retentionDays));
  const setTime = (event: FormEvent) => {
    event.preventDefault();
    void set({ now: new Date(to).toISOString() }, 'The clock was set');
  };
  return (
    <section className="form">
      <p className="figure">
        {saidMoment(now, shell.clock.now())}{' '}
        <span className="faint">
          {Math.abs(shifted) < 1 ? 'real time' : `${shifted > 0 ? 'ahead' : 'behind'} by ${said(Math.abs(shifted))}`}
        </span>
      </p>
      <p className="faint">
        Retention, daily counters, codes and idempotency windows follow this clock. Waits and the relay use real time.
      </p>
      <div className="form-actions">
        {JUMPS.map(({ name, seconds }) => (
          <Button key={name} onClick={() => void jump(seconds)}>
            {name} on
          </Button>
        ))}
        {Number.isFinite(retention) && (
          <Button onClick={() => void jump(retention * 86_400)}>To the end of retention ({retention} days)</Button>
        )}
        <Button
          look="main"
          disabled={Math.abs(shifted) < 1}
          onClick={() => void set(null, 'The clock is back at real time')}
        >
          Real time
        </Button>
      </div>
      <form className="form-row" onSubmit={setTime}>
        <InputField label="Or set it to" type="datetime-local" required value={to} onValue={setTo} />
        <Button submit>Set</Button>
      </form>
    </section>
  );
}

function said(seconds: number): string {
  const days = Math.floor(seconds / 86_400);
  const hours = Math.floor((seconds % 86_400) / 3_600);
  const minutes = Math.floor((seconds % 3_600) / 60);
  return [
    days > 0 ? `${days} d` : '',
    hours > 0 ? `${hours} h` : '',
    minutes > 0 ? `${minutes} min` : '',
    seconds < 60 ? `${Math.round(seconds)} s` : '',
  ]
    .filter(Boolean)
    .join(' ');
}
