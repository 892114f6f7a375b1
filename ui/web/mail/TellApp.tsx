import { useState } from 'react';
import { harmlessLine } from '../../../src/text/harmless.ts';
import { PROVIDER_LINES } from '../../../src/text/provider-lines.ts';
import { saidCount } from '../../../src/text/said.ts';
import type { MessageFacts } from '../app/api.ts';
import { SelectField } from '../parts/fields.tsx';
import { FormEnd } from '../parts/form-ends.tsx';
import { useSubmit } from '../parts/use-submit.ts';
import { useShell, useView } from '../use-shell.ts';

type Provider = NonNullable<MessageFacts['provider']>;
type Interaction = Provider['interactions'][number];

const DOES: Readonly<Record<Interaction, string>> = {
  opened: 'opens the mail',
  clicked: 'follows a link',
  unsubscribed: 'unsubscribes',
  complained: 'calls it spam',
};

/** Returns the name of a provider as its own pages write it. */
export function providerName(id: Provider['name']): string {
  return PROVIDER_LINES.find((line) => line.id === id)?.name ?? id;
}

/** Tells the app's webhooks at a mail provider what the reader of the open message did. */
export function TellApp({ onClose }: { readonly onClose: () => void }) {
  const facts = useView(({ open }) => open?.facts ?? null);
  if (facts?.provider == null) return null;
  return <Form facts={facts} provider={facts.provider} onClose={onClose} />;
}

function Form({
  facts,
  provider,
  onClose,
}: {
  readonly facts: MessageFacts;
  readonly provider: Provider;
  readonly onClose: () => void;
}) {
  const shell = useShell();
  const links = facts.links.map(({ url }) => url).filter((url) => /^https?:/i.test(url));
  const can = provider.interactions.filter((one) => one !== 'clicked' || links.length > 0);
  const [type, setType] = useState<Interaction>(can[0] ?? 'opened');
  const [link, setLink] = useState(links[0] ?? '');
  const recipients = facts.envelope.rcptTo;
  const [recipient, setRecipient] = useState(recipients[0] ?? '');
  const name = providerName(provider.name);
  const form = useSubmit(async () => {
    const whom = recipients.length > 1 ? { recipient } : {};
    const told = await shell.api.recordInteraction(facts.id, { type, ...whom, ...(type === 'clicked' && { link }) });
    onClose();
    if (told.requests === 0) shell.say(`Nobody was told: the app has no webhook at ${name} for this.`, 'bad');
    else
      shell.say(
        `${saidCount(told.requests, 'request')} to the app ${told.requests === 1 ? 'is' : 'are'} on the way.`,
        'good',
      );
  });
  return (
    <form className="release" onSubmit={form.submit}>
      <p className="faint">The app’s webhooks at {name} get the event, as if a reader had done it.</p>
      <SelectField
        label="The reader"
        value={type}
        options={can.map((id) => ({ id, name: DOES[id] }))}
        onPick={setType}
      />
      {type === 'clicked' && (
        <SelectField
          label="Link"
          value={link}
          options={links.map((url) => ({ id: url, name: harmlessLine(url, 120) }))}
          onPick={setLink}
        />
      )}
      {recipients.length > 1 && (
        <SelectField
          label="Who"
          value={recipient}
          options={recipients.map((address) => ({ id: address, name: harmlessLine(address, 120) }))}
          onPick={setRecipient}
        />
      )}
      <FormEnd form={form} yes="Tell the app" icon="send" onCancel={onClose} isDialog />
    </form>
  );
}
