import { SaxesParser } from 'saxes';
import { BadAnswer } from '../door.ts';

// TwiML, by which an app answers a text: https://www.twilio.com/docs/messaging/twiml
// The parser knows no entities but those of XML itself, and what a document type declares means nothing to it.

/** A text that the app answers with. */
export interface TwimlMessage {
  readonly body: string;
  readonly media: readonly string[];
  /** Null: the phone that the answered text came from. */
  readonly to: string | null;
  /** Null: the number that the answered text went to. */
  readonly from: string | null;
  /** The URL of the status callbacks. */
  readonly callback: string | null;
}

/** The messages of an answer, at most. */
const MOST_MESSAGES = 50;
const DEEPEST = 10;

/** Reads the messages of a TwiML document. Throws a {@link BadAnswer} with Twilio's code if it is none. */
export function readTwiml(xml: string): TwimlMessage[] {
  const parser = new SaxesParser({ xmlns: false });
  const path: string[] = [];
  const messages: { -readonly [Key in keyof TwimlMessage]: TwimlMessage[Key] }[] = [];
  const wrong = (why: string) => new BadAnswer(`the answer is no TwiML (Twilio’s error 12100): ${why}`);
  const fail = (error: Error) => {
    throw wrong(error.message);
  };
  const add = (text: string) => {
    const message = messages.at(-1);
    if (message === undefined || path[1] !== 'Message') return;
    if (path.length === 2 || (path.length === 3 && path[2] === 'Body')) message.body += text;
    else if (path.length === 3 && path[2] === 'Media')
      message.media = [...message.media.slice(0, -1), (message.media.at(-1) ?? '') + text];
  };
  parser.on('error', fail);
  parser.on('opentag', ({ name, attributes }) => {
    path.push(name);
    if (path.length === 1 && name !== 'Response') throw wrong(`its root is ${name}, and not Response`);
    if (path.length > DEEPEST) throw wrong('it is nested too deeply');
    if (path.length === 2 && name === 'Message') {
      if (messages.length === MOST_MESSAGES) throw wrong(`it has over ${MOST_MESSAGES} messages`);
      const { to, from, statusCallback, action } = attributes;
      const callback = statusCallback ?? action ?? null;
      messages.push({ body: '', media: [], to: to ?? null, from: from ?? null, callback });
    }
    const message = messages.at(-1);
    if (path.length === 3 && path[1] === 'Message' && name === 'Media' && message !== undefined)
      message.media = [...message.media, ''];
  });
  parser.on('closetag', () => void path.pop());
  parser.on('text', add);
  parser.on('cdata', add);
  parser.write(xml).close();
  return messages.map((message) => ({
    ...message,
    body: message.body.trim(),
    media: message.media.map((url) => url.trim()),
  }));
}
