import type { Language } from './language.ts';

export const malayalam: Language = {
  tag: 'ml',
  name: 'Malayalam',
  code: 'കോഡ്|പിൻ',
  oneTime: 'വെരിഫിക്കേഷൻ കോഡ്|ഒടിപി|ഒറ്റത്തവണ|സുരക്ഷാ കോഡ്',
  password: 'പാസ്‌വേഡ്|രഹസ്യവാക്ക്',
  verify: 'സ്ഥിരീകര|പരിശോധി',
  signIn: 'ലോഗിൻ|സൈൻ ഇൻ|രജിസ്റ്റർ',
  reset: 'പുനഃസജ്ജ|റീസെറ്റ്|പുതിയ പാസ്‌വേഡ്|മറന്ന',
  invite: 'ക്ഷണ|ചേരുക',
  unsubscribe: 'അൺസബ്സ്ക്രൈബ്',
  enter: 'നൽകുക|ഉപയോഗിക്കുക',
  expires: 'സാധുത|കാലഹരണ',
  number: 'ഓർഡർ|ഇൻവോയ്സ്|ഫോൺ|ആകെ',
  offer: 'കൂപ്പൺ|കിഴിവ്',
};
