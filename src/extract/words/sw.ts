import type { Language } from './language.ts';

export const swahili: Language = {
  code: 'msimbo|nambari ya siri|kodi|pin',
  oneTime:
    'msimbo wa uthibitishaji|nambari ya kuthibitisha|nambari ya uthibitishaji|msimbo wa usalama|msimbo wa kuingia|nambari yako ya kuthibitisha|nambari yako ya uthibitishaji',
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
  unlock: 'kufungua akaunti|fungua akaunti|kufungulia',
  decline: 'kataa|kukataa|katalia',
  look: 'angalia|kagua',
  signUp: 'jisajili|kujisajili|sajili*|fungua akaunti mpya',
  link: 'kiungo|viungo',
  account: 'akaunti*|mtumiaji',
  address: 'barua pepe|baruapepe',
  or: 'ama kataa|au kataa|au kukataa',
  here: 'hapa|bofya hapa|bonyeza hapa|endelea|inayofuata',
  is: 'ni',
  once: 'ya mara moja|matumizi ya mara moja|la mara moja|wa mara moja',
};
