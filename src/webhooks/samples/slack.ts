import { type FreshValues, type Json, plainSample, type Sample, seconds } from '../sample.ts';

// The requests of Slack's Events API (https://docs.slack.dev/apis/events-api).

export const SLACK: readonly Sample[] = [
  sample('app_mention', 'A user mentioned the app', (fresh) =>
    callback(fresh, {
      type: 'app_mention',
      user: 'U061F7AUR',
      ts: `${seconds(fresh)}.000200`,
      text: '<@U0LAN0Z89> is the shop open?',
      team: TEAM,
      channel: 'C061EG9SL',
      event_ts: `${seconds(fresh)}.000200`,
    }),
  ),
  sample('message', 'A message was posted to a channel', (fresh) =>
    callback(fresh, {
      type: 'message',
      channel: 'C061EG9SL',
      user: 'U061F7AUR',
      text: 'The shop is open.',
      ts: `${seconds(fresh)}.000300`,
      event_ts: `${seconds(fresh)}.000300`,
      channel_type: 'channel',
    }),
  ),
  sample('url_verification', 'Slack asks for the challenge back', (fresh) => ({
    token: fresh.id('', 24),
    challenge: fresh.id('', 52),
    type: 'url_verification',
  })),
];

const TEAM = 'T061EG9R6';

function callback(fresh: FreshValues, event: Json): Json {
  return {
    token: fresh.id('', 24),
    team_id: TEAM,
    api_app_id: 'A0MDYCDME',
    event,
    type: 'event_callback',
    event_id: fresh.id('Ev', 9).toUpperCase().replace('EV', 'Ev'),
    event_time: seconds(fresh),
    authorizations: [
      { enterprise_id: null, team_id: TEAM, user_id: 'U0LAN0Z89', is_bot: true, is_enterprise_install: false },
    ],
    is_ext_shared_channel: false,
  };
}

function sample(name: string, about: string, body: (fresh: FreshValues) => Json): Sample {
  return plainSample(['slack', 'Slackbot 1.0 (+https://api.slack.com/robots)'], name, about, body);
}
