import type { Language } from './language.ts';

export const irish: Language = {
  tag: 'ga',
  name: 'Irish',
  code: 'cód|chód|cóid',
  oneTime: 'cód fíoraithe|cód deimhnithe|cód slándála|cód aonuaire',
  password: 'pasfhocal|phasfhocal',
  verify: 'fíoraigh|deimhnigh|fíorú',
  signIn: 'logáil isteach|sínigh isteach',
  reset: 'athshocraigh|athshocrú|pasfhocal nua',
  invite: 'cuireadh|glac páirt',
  unsubscribe: 'díliostáil',
  enter: 'cuir isteach|úsáid',
  expires: 'rachaidh in éag|bailí',
  number: 'ordú|sonrasc|fón|iomlán|cód poist',
  offer: 'lascaine|cúpón',
};
