/** A message of a conversation: its time, and the message that it answers. */
interface Answer {
  readonly id: string;
  readonly parentId: string | null;
}

/** A message at its place in a conversation. `depth` is the number of messages that it answers in turn. */
export interface PlacedMessage<Message> {
  readonly message: Message;
  readonly depth: number;
}

/**
 * Puts the messages of a conversation in the order of replies: after each message its answers, the oldest first, each
 * with its own answers. `messages` is in the order of time. A message whose parent is not among them stands for itself.
 */
export function inReplyOrder<Message extends Answer>(messages: readonly Message[]): readonly PlacedMessage<Message>[] {
  const there = new Set(messages.map(({ id }) => id));
  const answers = new Map<string | null, Message[]>();
  for (const message of messages) {
    const { parentId } = message;
    const parent = parentId !== null && there.has(parentId) && parentId !== message.id ? parentId : null;
    answers.set(parent, [...(answers.get(parent) ?? []), message]);
  }
  const placed: PlacedMessage<Message>[] = [];
  const open = (answers.get(null) ?? []).map((message) => ({ message, depth: 0 })).reverse();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    placed.push(next);
    const depth = next.depth + 1;
    for (const message of (answers.get(next.message.id) ?? []).toReversed()) open.push({ message, depth });
  }
  return placed;
}
