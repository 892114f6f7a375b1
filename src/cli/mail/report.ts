import { ConfigError } from '../../config/user-error.ts';
import { type Arguments, EXIT } from '../command.ts';
import { connect } from '../connect.ts';
import { printJson, say } from '../output.ts';
import { messageNamed } from './message-named.ts';

/** Tells the webhooks of a provider what the reader of a message did. */
export async function reportInteraction(args: Arguments): Promise<number> {
  const link = args.text('clicked');
  const named = (['opened', 'unsubscribed', 'complained'] as const).filter((type) => args.isOn(type));
  const types = [...named, ...(link === null ? [] : (['clicked'] as const))];
  const [type] = types;
  if (type === undefined || types.length > 1)
    throw new ConfigError('name one of --opened, --clicked <link>, --unsubscribed and --complained.');
  const client = await connect(args);
  const { id } = await messageNamed(client, args.operand(), args.text('mailbox'));
  const told = await client.local.recordInteraction(id, { type, ...(link !== null && { link }) });
  if (args.isOn('json')) printJson(told);
  else {
    const what = type === 'clicked' ? 'link' : 'mail';
    const whom =
      told.requests === 0 ? 'no webhook of the app wants the event' : 'the webhooks of the app get the event';
    say(`${told.recipient} ${type} the ${what}: ${whom}.`);
  }
  return EXIT.done;
}
