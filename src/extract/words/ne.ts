import type { Language } from './language.ts';

export const nepali: Language = {
  tag: 'ne',
  name: 'Nepali',
  code: 'कोड|पिन',
  oneTime: 'प्रमाणिकरण कोड|रुजु कोड|ओटीपी|सुरक्षा कोड',
  password: 'पासवर्ड',
  verify: 'प्रमाणित|प्रमाणीकरण|पुष्टि|सक्रिय',
  signIn: 'लगइन|साइन इन|दर्ता',
  reset: 'रिसेट|नयाँ पासवर्ड|बिर्स',
  invite: 'निमन्त्रणा|आमन्त्रण|सामेल',
  unsubscribe: 'सदस्यता रद्द',
  enter: 'प्रविष्ट गर्नुहोस्|हाल्नुहोस्|प्रयोग गर्नुहोस्',
  expires: 'मान्य',
  number: 'अर्डर|फोन|जम्मा|बिल',
  offer: 'छुट|कुपन',
};
