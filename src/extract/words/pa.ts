import type { Language } from './language.ts';

export const punjabi: Language = {
  tag: 'pa',
  name: 'Punjabi',
  code: 'ਕੋਡ|ਪਿੰਨ',
  oneTime: 'ਓਟੀਪੀ|ਸੁਰੱਖਿਆ ਕੋਡ|ਵੈਰੀਫਿਕੇਸ਼ਨ ਕੋਡ',
  password: 'ਪਾਸਵਰਡ',
  verify: 'ਪੁਸ਼ਟੀ|ਤਸਦੀਕ|ਸਰਗਰਮ',
  signIn: 'ਲੌਗਇਨ|ਲਾਗਇਨ|ਸਾਈਨ ਇਨ|ਰਜਿਸਟਰ',
  reset: 'ਰੀਸੈਟ|ਨਵਾਂ ਪਾਸਵਰਡ|ਭੁੱਲ',
  invite: 'ਸੱਦਾ|ਸ਼ਾਮਲ ਹੋਵੋ',
  unsubscribe: 'ਗਾਹਕੀ ਰੱਦ',
  enter: 'ਦਰਜ ਕਰੋ|ਵਰਤੋ',
  expires: 'ਵੈਧ',
  number: 'ਆਰਡਰ|ਇਨਵੌਇਸ|ਫ਼ੋਨ|ਫੋਨ|ਕੁੱਲ',
  offer: 'ਕੂਪਨ|ਛੋਟ',
};
