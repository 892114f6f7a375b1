import type { Language } from './language.ts';

export const swahili: Language = {
  tag: 'sw',
  name: 'Swahili',
  code: 'msimbo|nambari ya siri|kodi|pin',
  oneTime:
    'msimbo wa uthibitishaji|nambari ya kuthibitisha|nambari ya uthibitishaji|msimbo wa usalama|msimbo wa kuingia',
  password: 'nenosiri|nywila',
  verify: 'thibitisha|kuthibitisha|uthibitishaji',
  signIn: 'ingia|kuingia|jisajili',
  reset: 'weka upya|kuweka upya|nenosiri jipya|umesahau',
  invite: 'mwaliko|alika|jiunge',
  unsubscribe: 'jiondoe',
  enter: 'weka|tumia|ingiza',
  expires: 'muda wake|itaisha',
  number: 'agizo|ankara|simu|jumla|msimbo wa posta',
  offer: 'punguzo|kuponi',
};
