import type { Language } from './language.ts';

export const marathi: Language = {
  tag: 'mr',
  name: 'Marathi',
  code: 'कोड|पिन',
  oneTime: 'ओटीपी|सुरक्षा कोड',
  password: 'पासवर्ड',
  verify: 'पडताळ|सत्याप|पुष्टी|सक्रिय',
  signIn: 'लॉगिन|साइन इन|लॉग इन|नोंदणी',
  reset: 'रीसेट|नवीन पासवर्ड|विसर',
  invite: 'आमंत्र|सामील व्हा',
  unsubscribe: 'सदस्यता रद्द',
  enter: 'प्रविष्ट करा|वापरा|टाका',
  expires: 'वैध',
  number: 'ऑर्डर|बीजक|फोन|एकूण|पिन कोड',
  offer: 'कूपन|सवलत',
};
