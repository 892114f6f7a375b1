import { useState } from 'react';
import { harmlessLine } from '../../../src/text/harmless.ts';
import type { Fault, FaultRule } from '../app/api.ts';
import { Columns } from '../parts/Columns.tsx';
import { Button, Empty } from '../parts/controls.tsx';
import { InputField, SelectField } from '../parts/fields.tsx';
import { FormEnd } from '../parts/form-ends.tsx';
import { useSubmit } from '../parts/use-submit.ts';
import { NotLoaded } from '../parts/view-controls.tsx';
import { useLoaded, useNow } from '../use-loaded.ts';
import { useShell, useView } from '../use-shell.ts';

const STAGES = [
  { id: 'rcpt', name: 'SMTP: RCPT TO' },
  { id: 'mail', name: 'SMTP: MAIL FROM' },
  { id: 'data', name: 'SMTP: DATA' },
  { id: 'end', name: 'SMTP: end of the message' },
  { id: 'connect', name: 'SMTP: the connection' },
  { id: 'helo', name: 'SMTP: HELO' },
  { id: 'auth', name: 'SMTP: sign-in' },
  { id: 'http', name: 'HTTP requests' },
] as const;
const WAYS = [
  { id: 'try later', name: 'defer it (451, 503)' },
  { id: 'refuse', name: 'refuse it (550, 500)' },
  { id: 'delay', name: 'answer late' },
  { id: 'drop', name: 'drop the connection' },
] as const;

/** Edits the rules for deliberate failures, and shows how often each applied. */
export function FaultsTool() {
  const shell = useShell();
  useNow(2_000);
  const mailboxes = useView(({ mailboxes }) => mailboxes);
  const { value, failure, slow, reload, set } = useLoaded(
    'faults',
    () => shell.api.listFaults(),
    ({ type }) => type.startsWith('fault.') || type.startsWith('smtp.'),
  );
  const [stage, setStage] = useState<(typeof STAGES)[number]['id']>('rcpt');
  const [way, setWay] = useState<(typeof WAYS)[number]['id']>('try later');
  const [to, setTo] = useState('');
  const [times, setTimes] = useState('1');
  const [delayMs, setDelayMs] = useState('3000');
  // Each change concerns one rule, because tests may add and remove theirs at the same time.
  const change = (act: () => Promise<unknown>, said: string) =>
    shell.attempt(async () => {
      await act();
      set(await shell.api.listFaults());
    }, said);
  const form = useSubmit(async () => {
    const isHttp = stage === 'http';
    const reply =
      way === 'try later'
        ? isHttp
          ? { status: 503 }
          : '451 4.3.0 try again later'
        : isHttp
          ? { status: 500 }
          : '550 5.1.1 refused on purpose';
    const rule: FaultRule = {
      stage,
      ...(to === '' ? {} : { match: { [isHttp ? 'path' : stage === 'mail' ? 'from' : 'to']: to } }),
      action: way === 'drop' ? { drop: true } : way === 'delay' ? { delayMs: Number(delayMs) } : { reply },
      ...(times === '' ? {} : { times: Number(times) }),
    };
    await shell.api.addFault(rule);
    shell.say('The rule is active', 'good');
    set(await shell.api.listFaults());
  });
  if (value === null) return <NotLoaded failure={failure} slow={slow} onRetry={reload} rows={2} />;
  return (
    <>
      <form className="form" onSubmit={form.submit}>
        <div className="form-row roomy">
          <SelectField label="At" value={stage} options={STAGES} onPick={setStage} />
          <SelectField label="The server will" value={way} options={WAYS} onPick={setWay} />
          {way === 'delay' && (
            <InputField
              label="For, ms"
              type="number"
              min="1"
              max="600000"
              required
              value={delayMs}
              onValue={setDelayMs}
            />
          )}
          {(stage === 'rcpt' || stage === 'mail' || stage === 'http' || stage === 'data' || stage === 'end') && (
            <InputField
              label={stage === 'http' ? 'For the path' : stage === 'mail' ? 'From' : 'To'}
              hint="* matches any text. Empty: all"
              list="fault-addresses"
              value={to}
              placeholder={stage === 'http' ? '/v1/*' : '*@slow.*'}
              onValue={setTo}
            />
          )}
          <InputField
            label="How often"
            hint="Empty: without end"
            type="number"
            min="1"
            value={times}
            onValue={setTimes}
          />
          <datalist id="fault-addresses">
            {mailboxes.slice(0, 100).map(({ id, address }) => (
              <option key={id} value={address} />
            ))}
          </datalist>
        </div>
        <FormEnd form={form} yes="Add the rule" icon="plus" />
      </form>
      {value.length === 0 ? (
        <Empty icon="flag" title="No fault rules">
          <p>A rule refuses, delays or drops the next mail, so that you see how your app reacts.</p>
        </Empty>
      ) : (
        <>
          <table className="plain stacked">
            <Columns names={['Where', 'For', 'What', 'Applied', 'Left']} acts />
            <tbody>
              {value.map((fault) => (
                <tr key={fault.id}>
                  <th scope="row">{STAGES.find(({ id }) => id === fault.stage)?.name}</th>
                  <td>
                    <code>
                      {Object.values(fault.match)
                        .map((one) => harmlessLine(one, 60))
                        .join(' ') || 'all'}
                    </code>
                  </td>
                  <td>{saidAction(fault)}</td>
                  <td data-label="Applied">{fault.applied}</td>
                  <td data-label="Left">{fault.remaining ?? '∞'}</td>
                  <td>
                    <Button
                      look="quiet"
                      onClick={() => void change(() => shell.api.removeFault(fault.id), 'The rule was removed')}
                    >
                      Remove
                    </Button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          <div className="form-actions">
            <Button onClick={reload}>Refresh</Button>
            <Button onClick={() => void change(() => shell.api.setFaults([]), 'All rules were removed')}>
              Remove all rules
            </Button>
          </div>
        </>
      )}
    </>
  );
}

function saidAction({ action: { reply, delayMs, drop }, probability }: Fault): string {
  const said = drop
    ? 'drop the connection'
    : typeof reply === 'string'
      ? reply
      : reply === undefined
        ? ''
        : `HTTP ${reply.status}`;
  const late = delayMs === undefined || delayMs === 0 ? '' : `after ${delayMs} ms`;
  const seldom = probability === null ? '' : `in ${+(probability * 100).toPrecision(3)} % of all cases`;
  return [said, late, seldom].filter(Boolean).join(', ');
}
