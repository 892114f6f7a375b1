import type { Language } from './language.ts';

export const telugu: Language = {
  tag: 'te',
  name: 'Telugu',
  code: 'కోడ్|కోడు|పిన్',
  oneTime: 'ఓటీపీ|వన్ టైమ్|భద్రతా కోడ్',
  password: 'పాస్‌వర్డ్|పాస్వర్డ్',
  verify: 'ధృవీకర|నిర్ధార|సక్రియ|యాక్టివేట్',
  signIn: 'లాగిన్|సైన్ ఇన్|నమోదు',
  reset: 'రీసెట్|కొత్త పాస్‌వర్డ్|మరచి',
  invite: 'ఆహ్వాన|చేరండి',
  unsubscribe: 'అన్‌సబ్‌స్క్రైబ్',
  enter: 'నమోదు చేయండి|ఉపయోగించండి',
  expires: 'చెల్లుబాటు|గడువు',
  number: 'ఆర్డర్|ఇన్వాయిస్|ఫోన్|మొత్తం|పిన్ కోడ్',
  offer: 'కూపన్|తగ్గింపు',
};
