import type { Language } from './language.ts';

export const zulu: Language = {
  tag: 'zu',
  name: 'Zulu',
  code: 'ikhodi*|pin',
  oneTime: 'ikhodi yokuqinisekisa|ikhodi yokuphepha|ikhodi yokungena',
  password: 'iphasiwedi*|iphasiwedi',
  verify: 'qinisekis*|ukuqinisekis*|yokuqinisekis*|qalisa i-akhawunti',
  signIn: 'ngena ngemvume|ukungena|bhalisa*',
  reset: 'setha kabusha|ukusetha kabusha|hlaziya kabusha|iphasiwedi entsha|ukhohlwe',
  invite: 'isimemo|ukumema|mema|joyina|ujoyine|yamukela',
  unsubscribe: 'zikhiphe ohlwini|ukuzikhipha',
  enter: 'faka|ngenisa|sebenzisa',
  expires: 'phelelwa|isebenza',
  number: 'i-oda*|i-invoyisi*|ucingo|inombolo yocingo|ikhodi yeposi|isamba',
  offer: 'isaphulelo*|ikhuphoni*',
};
