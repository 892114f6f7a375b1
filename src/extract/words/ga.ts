import type { Language } from './language.ts';

export const irish: Language = {
  tag: 'ga',
  name: 'Irish',
  code: 'cód*|pin',
  oneTime: 'cód fíoraithe|cód slándála|cód aon uaire|cód rochtana',
  password: 'pasfhoc*|focal faire|fhocal faire',
  verify: 'fíor*|deimhn*|dhearbh*|dearbh*|gníomhach*|chinntiú',
  signIn: 'logáil isteach|síniú isteach|sínigh isteach|cláraigh*',
  reset: 'athshoc*|pasfhocal nua|athrú pasfhocal|dearmad*|aisghabh*',
  invite: 'cuireadh|thabhairt cuireadh|páirt a ghlacadh|glac leis',
  unsubscribe: 'díliostá*',
  enter: 'cuir isteach|iontráil|úsáid*',
  expires: 'bailí|éag*',
  number: 'ordú*|sonrasc*|teileafón*|fón|cód poist|iomlán|tagairt|suim',
  offer: 'lascaine*|cúpón*',
};
