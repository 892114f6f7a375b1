import type { Language } from './language.ts';

export const frisian: Language = {
  tag: 'fy',
  name: 'Frisian',
  code: 'koade*|pin',
  oneTime: 'befeiligingskoade*|ferifikaasjekoade*|oanmeldkoade*|ienmalige koade*',
  password: 'wachtwurd*',
  verify: 'befêstig*|ferifiear*|aktivear*',
  signIn: 'oanmeld*|ynlogg*|registrear*',
  reset: 'werstel*|opnij ynstel*|nij wachtwurd|wachtwurd fergetten|wachtwurd wizigje',
  invite: 'útnoeg*|noeget|meidwaan|mei te dwaan|akseptear*',
  unsubscribe: 'ôfmelde|útskriuwe',
  enter: 'ynfier*|brûk|brûke',
  expires: 'jildich|ferrint',
  number: 'bestelling*|faktuer*|tillefoan*|postkoade*|akkountnûmer|bedrach|totaal|referinsje*',
  offer: 'koarting*|kupon*',
};
