import type { Language } from './language.ts';

export const welsh: Language = {
  tag: 'cy',
  name: 'Welsh',
  code: 'cod|côd|codau|pin',
  oneTime: 'cod diogelwch|cod un-tro',
  password: 'cyfrinair*',
  verify: 'dilys*|cadarnhau|gwirio',
  signIn: 'mewngofnodi|cofrestru',
  reset: 'ailosod*|cyfrinair newydd|anghofio',
  invite: 'gwahodd*|ymuno|ymunwch|wahodd*',
  unsubscribe: 'dad-danysgrifio',
  enter: 'rhowch|defnyddiwch|teipiwch',
  expires: 'dod i ben',
  number: 'archeb*|anfoneb*|ffôn|cod post|cyfanswm',
  offer: 'gostyngiad*|cwpon*',
};
