import type { ProviderRecord } from '../../domain/provider.ts';
import { mailDate } from '../../text/mail-date.ts';
import type { DoorCall, DoorRoute } from '../door.ts';
import { ACCOUNT_PATH, accountOf } from './accounts.ts';
import { notThere } from './errors.ts';
import { namedMessage } from './messages.ts';
import { mediaOf, mediaTypeOf } from './resource.ts';

// The media of a message: https://www.twilio.com/docs/messaging/api/media-resource
// Twilio keeps copies of them. mailcap loads none, and leads to the URL that the app gave.

const MEDIA = `${ACCOUNT_PATH}/Messages/:sid/Media`;

function shownMedia(call: DoorCall, record: ProviderRecord, { sid, url }: { sid: string; url: string }) {
  const [accountSid, parentSid, date] = [accountOf(call), call.params['sid'] ?? '', mailDate(record.createdAt)];
  const uri = `/2010-04-01/Accounts/${accountSid}/Messages/${parentSid}/Media/${sid}.json`;
  return {
    ...{ sid, account_sid: accountSid, parent_sid: parentSid, content_type: mediaTypeOf(url) },
    ...{ date_created: date, date_updated: date, uri },
  };
}

async function oneOf(call: DoorCall) {
  const record = await namedMessage(call);
  const media = mediaOf(record).find(({ sid }) => sid === call.params['media']);
  if (media === undefined) throw notThere(call);
  return { record, media };
}

export const media: readonly DoorRoute[] = [
  {
    method: 'GET',
    path: `${MEDIA}.json`,
    handle: async (call) => {
      const record = await namedMessage(call);
      const media_list = mediaOf(record).map((one) => shownMedia(call, record, one));
      const pages = { page: 0, page_size: 50, start: 0, end: Math.max(0, media_list.length - 1) };
      const uris = { uri: call.url, first_page_uri: call.url, next_page_uri: null, previous_page_uri: null };
      return { status: 200, body: { media_list, ...pages, ...uris } };
    },
  },
  {
    method: 'GET',
    path: `${MEDIA}/:media.json`,
    handle: async (call) => {
      const { record, media: one } = await oneOf(call);
      return { status: 200, body: shownMedia(call, record, one) };
    },
  },
  {
    method: 'GET',
    path: `${MEDIA}/:media`,
    handle: async (call) => ({ status: 307, headers: { Location: (await oneOf(call)).media.url } }),
  },
];
