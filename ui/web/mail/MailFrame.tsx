import { useRef } from 'react';
import { harmlessLine } from '../../../src/text/harmless.ts';
import type { MessageFrame } from '../app/api.ts';
import type { KindsByHost } from '../app/kept-hosts.ts';
import { openFrame } from '../app/open-message.ts';
import { Button, IconButton } from '../parts/controls.tsx';
import { NotLoaded } from '../parts/view-controls.tsx';
import type { LoadState } from '../use-loaded.ts';
import { useLoaded } from '../use-loaded.ts';
import { useShell } from '../use-shell.ts';
import { COLOURS, type Colours, type MailLook, viewIn, WIDTHS } from './mail-look.ts';
import { useKeysBack } from './use-keys-back.ts';

/** The controls for width and colours. */
export function LookSwitches({ look, hasColours = true }: { readonly look: MailLook; readonly hasColours?: boolean }) {
  return (
    <>
      <fieldset className="switch widths">
        <legend className="sr">Width</legend>
        {WIDTHS.map(({ name, icon }) => (
          <IconButton
            key={name}
            icon={icon}
            label={name}
            hint="w"
            aria-pressed={name === look.width}
            onClick={() => look.setWidth(name)}
          />
        ))}
      </fieldset>
      {hasColours && <ColourSwitches look={look} />}
    </>
  );
}

function ColourSwitches({ look }: { readonly look: MailLook }) {
  return (
    <>
      <fieldset className="switch">
        <legend className="sr">Colours of the mail</legend>
        <IconButton
          icon="sun"
          label="Mail in the light"
          aria-pressed={look.colours === 'light'}
          onClick={() => look.setColours('light')}
        />
        <IconButton
          icon="moon"
          label="Mail in the dark"
          aria-pressed={look.colours === 'dark'}
          onClick={() => look.setColours('dark')}
        />
      </fieldset>
      <SimulationChoice look={look} />
    </>
  );
}

/** Chooses the mail program whose dark colours are simulated. The buttons beside it end the simulation. */
function SimulationChoice({ look: { colours, setColours } }: { readonly look: MailLook }) {
  const simulated = COLOURS.filter(({ id }) => id !== 'light' && id !== 'dark');
  const isSimulated = simulated.some(({ id }) => id === colours);
  return (
    <select
      className="small"
      aria-label="Simulated dark mode"
      value={isSimulated ? colours : ''}
      onChange={({ currentTarget }) => {
        const picked = simulated.find(({ id }) => id === currentTarget.value);
        setColours(picked?.id ?? 'light');
      }}
    >
      <option value="">{isSimulated ? 'No simulation' : 'Dark in…'}</option>
      {simulated.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}

/** Chooses the colours of a mail, with the simulations of mail programs. */
export function ColourChoice({
  label,
  value,
  onPick,
}: {
  readonly label: string;
  readonly value: Colours;
  readonly onPick: (colours: Colours) => void;
}) {
  return (
    <label className="beside">
      {label}
      <select
        className="small"
        value={value}
        onChange={({ currentTarget }) => {
          const picked = COLOURS[currentTarget.selectedIndex];
          if (picked !== undefined) onPick(picked.id);
        }}
      >
        {COLOURS.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Says that the colours are simulated. */
export function SimulationNote({ colours }: { readonly colours: Colours }) {
  if (colours === 'light' || colours === 'dark') return null;
  return (
    <p className="note simulation" role="note">
      A simulation by published rules. The program itself can show other colours.
    </p>
  );
}

/** Loads the URL of the frame that shows the HTML of a message, or of a mail attached to it. */
export function useMailFrame(
  messageId: string,
  { allowed }: MailLook,
  attached: string | null = null,
): LoadState<MessageFrame> {
  const shell = useShell();
  return useLoaded(`frame ${messageId} ${attached} ${JSON.stringify(allowed)}`, () =>
    openFrame(shell.api, messageId, attached, allowed),
  );
}

/**
 * Shows the HTML of a mail in a frame. The frame runs no scripts and has no origin. It loads only from hosts that the
 * reader allowed, because the server's content security policy blocks all others.
 */
export function MailFrame({
  frame: { value: frame, failure, slow, reload },
  look,
  title = 'The mail',
}: {
  readonly frame: LoadState<MessageFrame>;
  readonly look: MailLook;
  readonly title?: string;
}) {
  const element = useRef<HTMLIFrameElement>(null);
  const hasKeys = useKeysBack(element);
  if (frame === null) return <NotLoaded failure={failure} slow={slow} onRetry={reload} rows={5} />;
  const isDark = COLOURS.some(({ id, isDark }) => isDark && id === look.colours);
  return (
    <div className={`frame-ground ${isDark ? 'dark' : 'light'}`}>
      <p className="keys-note" role="status">
        {hasKeys && (
          <>
            Keys go to the mail. Move the pointer off it, or press <kbd>shift</kbd> <kbd>tab</kbd>.
          </>
        )}
      </p>
      <iframe
        ref={element}
        key={`${frame.url} ${look.colours}`}
        title={title}
        src={viewIn(frame.url, look.colours)}
        sandbox="allow-popups allow-popups-to-escape-sandbox"
        referrerPolicy="no-referrer"
        style={{ width: look.pixels === null ? '100%' : `${look.pixels}px` }}
      />
    </div>
  );
}

/** Lists the hosts from which the mail would load content, each with a button that allows it. */
export function RemoteHostList({ frame, look }: { readonly frame: MessageFrame; readonly look: MailLook }) {
  const blocked = frame.remote.filter((host) => host.kinds.some((kind) => !host.allowed.includes(kind)));
  if (frame.remote.length === 0) return null;
  const all = (isAllowed: boolean) =>
    look.allow(
      frame.remote
        .flatMap(({ host, kinds }) => kinds.map((kind) => [kind, host] as const))
        .reduce((allowed, [kind, host]) => toggledHost(allowed, kind, host, isAllowed), look.allowed),
    );
  return (
    <div className="remote-line">
      <details className="remote">
        <summary>
          {blocked.length === 0
            ? 'Remote content is shown'
            : `Remote content from ${blocked.length} ${blocked.length === 1 ? 'host' : 'hosts'} is blocked`}
        </summary>
        <div className="remote-hosts">
          <p className="faint">
            Loading it tells the sender when and where you read the mail. A host stays allowed for later mails.
          </p>
          <ul>
            {frame.remote.map(({ host, kinds, allowed: now }) => (
              <li key={host}>
                <code>{harmlessLine(host, 120)}</code>
                {kinds.map((kind) => {
                  const isAllowed = now.includes(kind);
                  return (
                    <Button
                      key={kind}
                      aria-pressed={isAllowed}
                      onClick={() => look.allow(toggledHost(look.allowed, kind, host, !isAllowed))}
                    >
                      {isAllowed ? `Block ${kind}` : `Allow ${kind}`}
                    </Button>
                  );
                })}
              </li>
            ))}
          </ul>
        </div>
      </details>
      <Button look="quiet" onClick={() => all(blocked.length > 0)}>
        {blocked.length > 0 ? 'Show all of it' : 'Block all of it'}
      </Button>
    </div>
  );
}

function toggledHost(allowed: KindsByHost, kind: string, host: string, isAllowed: boolean): KindsByHost {
  const others = (allowed[kind] ?? []).filter((one) => one !== host);
  return { ...allowed, [kind]: isAllowed ? [...others, host].slice(-100) : others };
}
