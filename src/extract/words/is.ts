import type { Language } from './language.ts';

export const icelandic: Language = {
  code: 'kóði*|kóð*|kóti|*kóði|*kóða|pin',
  oneTime: 'staðfestingarkóð*|öryggiskóð*|einnota kóð*|innskráningarkóð*|auðkenningarkóð*',
  password: 'lykilorð*|aðgangsorð*',
  verify: 'staðfest*|virkja*|virkj*|sannreyn*',
  signIn: 'skrá inn|innskrá*|skráðu þig inn|skráning*',
  reset: 'endurstill*|endursetja|nýtt lykilorð|gleymt|breyta lykilorði',
  invite: 'boð|bjóða|boðið|taka þátt',
  unsubscribe: 'afskrá*',
  enter: 'sláðu inn|sláðu|notaðu|settu',
  expires: 'rennur út|gildir',
  number:
    'pöntun*|reikningur|viðskiptanúmer|símanúmer|sími|póstnúmer|upphæð|samtals|tilvísun*|sendingarnúmer|eingreiðsl*',
  offer: 'afslátt*|gjafakort*|inneign*',
  unlock: 'aflæs*|opna læs*',
  decline: 'hafna*|synja*',
  look: 'skoða*|athuga*',
  signUp: 'skrá þig|nýskrá*|skráning*|stofna aðgang|stofna reikning',
  link: 'tengil*|hlekk*|tengl*',
  account: 'aðgang*|notand*',
  address: 'tölvupóst*|netfang*|póst*',
  or: 'eða',
  here: 'hér|smelltu hér|smelltu á|áfram|næsta',
  once: 'einnota*',
};
