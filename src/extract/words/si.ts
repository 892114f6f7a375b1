import type { Language } from './language.ts';

export const sinhala: Language = {
  tag: 'si',
  name: 'Sinhala',
  code: 'කේතය|කේත|පින්',
  oneTime: 'ආරක්ෂක කේතය|එක් වරක්',
  password: 'මුරපදය|මුරපද',
  verify: 'සත්‍යාපන|තහවුරු',
  signIn: 'පුරනය|පිවිසෙන්න|ලියාපදිංචි',
  reset: 'නැවත සකස්|යළි පිහිටුව|නව මුරපදය|අමතක',
  invite: 'ආරාධනා|එක් වන්න',
  unsubscribe: 'දායකත්වය ඉවත්',
  enter: 'ඇතුළත් කරන්න|භාවිතා කරන්න',
  expires: 'වලංගු',
  number: 'ඇණවුම|ඉන්වොයිසිය|දුරකථන|එකතුව',
  offer: 'වට්ටම්|කූපන්',
};
