import { useState } from 'react';
import { harmlessLine, harmlessText } from '../../../src/text/harmless.ts';
import { saidSize } from '../../../src/text/said.ts';
import { NO_SUBJECT, saidSent } from '../../../src/text/wording.ts';
import type { MessageContent, MessageFacts } from '../app/api.ts';
import { messageRoute } from '../app/route.ts';
import { splitAddresses } from '../mail/addresses.ts';
import { latin1Text } from '../mail/mail-source.ts';
import { Button } from '../parts/controls.tsx';
import { InputField, SelectField, TextAreaField } from '../parts/fields.tsx';
import { FormEnd } from '../parts/form-ends.tsx';
import { useSubmit } from '../parts/use-submit.ts';
import { FormField, NotLoaded } from '../parts/view-controls.tsx';
import { useLoaded } from '../use-loaded.ts';
import { href, useShell, useView } from '../use-shell.ts';

/** A form for a new email, or for an answer to a message. */
export function ComposePage({ replyTo: messageId }: { readonly replyTo: string | null }) {
  return messageId === null ? <Compose draft={EMPTY_DRAFT} /> : <Reply messageId={messageId} />;
}

function Reply({ messageId }: { readonly messageId: string }) {
  const shell = useShell();
  const { value, failure, slow, reload } = useLoaded(`reply ${messageId}`, () =>
    Promise.all([shell.api.getMessageFacts(messageId), shell.api.getMessageContent(messageId)]),
  );
  if (value === null) return <NotLoaded failure={failure} slow={slow} onRetry={reload} />;
  const [facts, content] = value;
  if (facts.kind === 'sms') return <ReplyByPhone facts={facts} />;
  return (
    <>
      <p className="faint">
        An answer to{' '}
        <a href={href(messageRoute(messageId))}>{harmlessLine(content.subject ?? '', 160) || NO_SUBJECT}</a>. It joins
        the conversation of that message.
      </p>
      <Compose draft={answerTo(facts, content)} inReplyTo={messageId} mailboxId={facts.mailboxId} />
    </>
  );
}

/** A form that answers a text message as the phone that got it. */
function ReplyByPhone({ facts }: { readonly facts: MessageFacts }) {
  const shell = useShell();
  const [body, setBody] = useState('');
  const [phone = '', app] = [facts.envelope.rcptTo[0], facts.envelope.mailFrom];
  const form = useSubmit(async () => {
    await shell.api.sendText(facts.mailboxId, { from: phone, to: app, body });
    shell.say(saidSent(app), 'good');
    shell.go(messageRoute(facts.id));
  });
  return (
    <form className="form compose" onSubmit={form.submit}>
      <div>
        <p className="faint">
          The phone {harmlessLine(phone, 40)} answers{' '}
          <a href={href(messageRoute(facts.id))}>the text of {harmlessLine(app, 40)}</a>. The app gets the request of
          its provider, and its answer comes to this mailbox.
        </p>
        <TextAreaField label="Text" rows={4} required maxLength={1_600} value={body} onValue={setBody} />
        <FormEnd form={form} yes="Send" icon="send" />
      </div>
    </form>
  );
}

/** The mails that are not sent yet, by the messages that they answer. They stay until the page is reloaded. */
const drafts = new Map<string | null, MailFields>();

/** A form that sends a message from a mailbox. The costs and refusals follow the rules of the cloud API. */
function Compose({
  draft,
  inReplyTo = null,
  mailboxId = null,
}: {
  readonly draft: MailDraft;
  readonly inReplyTo?: string | null;
  readonly mailboxId?: string | null;
}) {
  const shell = useShell();
  const mailboxes = useView(({ mailboxes }) => mailboxes).filter(({ gone }) => !gone);
  const info = useView(({ info }) => info);
  const first = { ...draft, mailboxId, cc: '', html: '', files: [] };
  const [fields, setFields] = useState<MailFields>(drafts.get(inReplyTo) ?? first);
  const set = (change: Partial<MailFields>) => {
    const changed = { ...(drafts.get(inReplyTo) ?? fields), ...change };
    drafts.set(inReplyTo, changed);
    setFields(changed);
  };
  const { to, cc, subject, text, html, files } = fields;
  const chosen = fields.mailboxId ?? info?.mailboxId;
  const mailbox = mailboxes.find(({ id }) => id === chosen) ?? mailboxes[0];
  const sender = fields.from || `hello@${mailbox?.subdomain}.${info?.mailDomain}`;
  const form = useSubmit(async () => {
    const attachments = await Promise.all(files.map(toAttachment));
    const mail = {
      ...{ from: sender, to, subject },
      ...(cc === '' ? {} : { cc }),
      ...(text === '' ? {} : { textBody: text }),
      ...(html === '' ? {} : { htmlBody: html }),
      ...(attachments.length === 0 ? {} : { attachments }),
      ...(inReplyTo === null ? {} : { inReplyTo }),
    };
    const { outboundSendId } = await shell.api.sendFrom(mailbox?.id ?? '', mail);
    drafts.delete(inReplyTo);
    shell.say(saidSent([to, cc].filter((part) => part.trim() !== '').join(', ')), 'good');
    shell.go({ at: 'outbound', part: 'sends', id: outboundSendId });
  });
  const discard = () => {
    drafts.delete(inReplyTo);
    setFields(first);
  };
  if (mailbox === undefined || info === null) return null;
  return (
    <form className="form compose" onSubmit={form.submit}>
      <div>
        <div className="form-row">
          <SelectField
            label="From the mailbox"
            value={mailbox.id}
            options={mailboxes.map(({ id, name }) => ({ id, name: harmlessLine(name, 60) }))}
            onPick={(id) => set({ mailboxId: id })}
          />
          <InputField label="Sender" value={sender} onValue={(from) => set({ from })} />
        </div>
        <InputField
          label="To"
          hint={`Recipients below ${info.mailDomain} receive it here. The allowlist of the mailbox permits: ${mailbox.allowlist.join(', ') || 'nobody'}.`}
          value={to}
          required
          placeholder={`anything@inbox.${info.mailDomain}`}
          onValue={(to) => set({ to })}
        />
        <InputField label="Cc" value={cc} onValue={(cc) => set({ cc })} />
        <InputField label="Subject" value={subject} onValue={(subject) => set({ subject })} />
        <Files files={files} onFiles={(files) => set({ files })} />
      </div>
      <div>
        <TextAreaField
          label="Text"
          rows={inReplyTo === null ? 8 : 12}
          required={html === ''}
          value={text}
          onValue={(text) => set({ text })}
        />
        <TextAreaField label="HTML" rows={4} spellCheck={false} value={html} onValue={(html) => set({ html })} />
      </div>
      <div>
        {!mailbox.outboundEnabled && (
          <p className="note waiting">
            This mailbox or the plan of its workspace can’t send mail. Change this under Tools, Workspaces.
          </p>
        )}
        <FormEnd form={form} yes="Send" icon="send">
          {drafts.has(inReplyTo) && <Button onClick={discard}>Discard</Button>}
        </FormEnd>
      </div>
    </form>
  );
}

/** Chooses the files of an email. */
function Files({
  files,
  onFiles,
}: {
  readonly files: readonly File[];
  readonly onFiles: (files: readonly File[]) => void;
}) {
  return (
    <>
      <FormField label="Attachments" hint="At most 7 MB in all.">
        {/* The field is empty again after each choice, and would say so beside the chosen files. */}
        <input
          type="file"
          multiple
          className={files.length > 0 ? 'with-files' : undefined}
          onChange={({ currentTarget }) => {
            onFiles([...files, ...(currentTarget.files ?? [])]);
            // The same file can be chosen again after it was removed.
            currentTarget.value = '';
          }}
        />
      </FormField>
      {files.length > 0 && (
        <ul className="chosen-files" aria-label="Attachments">
          {files.map((file, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two files can have the same name
            <li key={index}>
              {harmlessLine(file.name, 120)} <span className="faint">{saidSize(file.size)}</span>{' '}
              <Button
                look="quiet"
                aria-label={`Remove ${harmlessLine(file.name, 120)}`}
                onClick={() => onFiles(files.filter((other) => other !== file))}
              >
                Remove
              </Button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

async function toAttachment(file: File) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const contentType = /^[\w.+-]+\/[\w.+-]+$/.test(file.type) ? file.type : null;
  return { filename: file.name, contentType, content: btoa(latin1Text(bytes)) };
}

/** The first values of the form of an email. */
interface MailDraft {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** The values of the form of an email. Without a mailbox, the inbox sends it. */
interface MailFields extends MailDraft {
  readonly mailboxId: string | null;
  readonly cc: string;
  readonly html: string;
  readonly files: readonly File[];
}

const EMPTY_DRAFT: MailDraft = { from: '', to: '', subject: '', text: '' };

/** The lines of a mail that an answer quotes. */
const QUOTED_LINES = 200;

/** Begins an answer to a message: from the address that got it, to its Reply-To or its sender, with its text quoted. */
function answerTo(
  { envelope }: Pick<MessageFacts, 'envelope'>,
  { from, replyTo: asked, subject, textBody }: Pick<MessageContent, 'from' | 'replyTo' | 'subject' | 'textBody'>,
): MailDraft {
  const was = subject ?? '';
  return {
    from: envelope.rcptTo[0] ?? '',
    to: splitAddresses(asked || from || '')[0] ?? '',
    subject: /^re:/i.test(was) ? was : `Re: ${was}`.trim(),
    text: textBody === null || textBody === '' ? '' : `\n\n${from ?? ''} wrote:\n${quoted(textBody)}\n`,
  };
}

function quoted(text: string): string {
  const lines = harmlessText(text).trimEnd().split('\n');
  return [...lines.slice(0, QUOTED_LINES), ...(lines.length > QUOTED_LINES ? ['…'] : [])]
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n');
}
