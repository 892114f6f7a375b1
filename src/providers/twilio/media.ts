import { mailDate } from '../../text/mail-date.ts';
import type { DoorCall, DoorRoute } from '../door.ts';
import { getRoute } from '../routes.ts';
import { ACCOUNT_PATH, accountOf, twilioPage } from './accounts.ts';
import { notThere } from './errors.ts';
import { namedMessage } from './messages.ts';
import { mediaOf, mediaTypeOf } from './resource.ts';

// The media of a message: https://www.twilio.com/docs/messaging/api/media-resource
// Twilio keeps copies of them. mailcap loads none, and leads to the URL that the app gave.

const MEDIA = `${ACCOUNT_PATH}/Messages/:sid/Media`;

/** Returns the media of the message that a request names, and how each is shown. */
async function allOf(call: DoorCall) {
  const record = await namedMessage(call, await call.ctx.store.readNow());
  const [account_sid, parent_sid, date] = [accountOf(call), call.params['sid'] ?? '', mailDate(record.createdAt)];
  return mediaOf(record).map(({ sid, url }) => ({
    url,
    shown: {
      ...{ sid, account_sid, parent_sid, content_type: mediaTypeOf(url), date_created: date, date_updated: date },
      uri: `/2010-04-01/Accounts/${account_sid}/Messages/${parent_sid}/Media/${sid}.json`,
    },
  }));
}

async function oneOf(call: DoorCall) {
  const media = (await allOf(call)).find(({ shown }) => shown.sid === call.params['media']);
  if (media === undefined) throw notThere(call);
  return media;
}

export const media: readonly DoorRoute[] = [
  getRoute(`${MEDIA}.json`, async (call) => twilioPage(call, 'media_list', await allOf(call), ({ shown }) => shown)),
  getRoute(`${MEDIA}/:media.json`, async (call) => (await oneOf(call)).shown),
  {
    method: 'GET',
    path: `${MEDIA}/:media`,
    handle: async (call) => ({ status: 307, headers: { Location: (await oneOf(call)).url } }),
  },
];
