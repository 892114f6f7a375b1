import { useState } from 'react';
import { Icon } from '../parts/Icon.tsx';
import { CopyButton, Pre, Tabs } from '../parts/view-controls.tsx';
import { firstMail } from '../tools/settings-snippets.ts';
import { useView } from '../use-shell.ts';

/** Shows how to send the first mail to an empty inbox. The mail then appears by itself. */
export function FirstMail() {
  const info = useView(({ info }) => info);
  const [way, setWay] = useState('sendmail');
  if (info === null) return null;
  const ways = firstMail(info);
  const shown = ways.find(({ id }) => id === way) ?? ways[0];
  return (
    <div className="empty first">
      <Icon name="inbox" size={24} />
      <h2>Send the first mail</h2>
      <p>
        All mail to{' '}
        <code>
          {info.smtpHost}:{info.smtpPort}
        </code>{' '}
        is caught and shown here, the moment it comes. Nothing leaves this machine.
      </p>
      <Tabs
        label="Ways to send"
        tabs={ways.map(({ id, name }) => ({ name: id, text: name }))}
        current={way}
        onPick={setWay}
      />
      {shown !== undefined && (
        <div className="first-way" role="tabpanel" aria-labelledby={`tab-${way}`}>
          <Pre>{shown.text}</Pre>
          <CopyButton text={shown.text} what={shown.name} look="main" />
        </div>
      )}
      <p className="faint">
        <a href="#/tools">Settings for Django, Rails, Laravel, Spring, Playwright, Vitest and Docker</a>
      </p>
    </div>
  );
}
