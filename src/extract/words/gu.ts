import type { Language } from './language.ts';

export const gujarati: Language = {
  tag: 'gu',
  name: 'Gujarati',
  code: 'કોડ|પિન',
  oneTime: 'વેરિફિકેશન કોડ|ઓટીપી|સુરક્ષા કોડ',
  password: 'પાસવર્ડ',
  verify: 'ચકાસ|પુષ્ટિ|ખાતરી|સક્રિય',
  signIn: 'લોગિન|સાઇન ઇન|લૉગ ઇન|નોંધણી',
  reset: 'રીસેટ|નવો પાસવર્ડ|ભૂલી',
  invite: 'આમંત્રણ|જોડાઓ',
  unsubscribe: 'અનસબ્સ્ક્રાઇબ',
  enter: 'દાખલ કરો|વાપરો|ઉપયોગ કરો',
  expires: 'માન્ય',
  number: 'ઓર્ડર|ઇન્વોઇસ|ફોન|કુલ|પિન કોડ',
  offer: 'કૂપન|ડિસ્કાઉન્ટ',
};
