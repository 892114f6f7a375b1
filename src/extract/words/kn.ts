import type { Language } from './language.ts';

export const kannada: Language = {
  tag: 'kn',
  name: 'Kannada',
  code: 'ಕೋಡ್|ಪಿನ್',
  oneTime: 'ಒಟಿಪಿ|ಭದ್ರತಾ ಕೋಡ್',
  password: 'ಪಾಸ್‌ವರ್ಡ್|ಗುಪ್ತಪದ',
  verify: 'ಪರಿಶೀಲ|ದೃಢೀಕರ|ಖಚಿತಪಡಿಸ|ಸಕ್ರಿಯ',
  signIn: 'ಲಾಗಿನ್|ಸೈನ್ ಇನ್|ನೋಂದಣಿ',
  reset: 'ಮರುಹೊಂದಿಸ|ರೀಸೆಟ್|ಹೊಸ ಪಾಸ್‌ವರ್ಡ್|ಮರೆತ',
  invite: 'ಆಹ್ವಾನ|ಸೇರಿ|ಆಮಂತ್ರಣ',
  unsubscribe: 'ಅನ್‌ಸಬ್‌ಸ್ಕ್ರೈಬ್',
  enter: 'ನಮೂದಿಸಿ|ಬಳಸಿ',
  expires: 'ಮಾನ್ಯ',
  number: 'ಆರ್ಡರ್|ಸರಕುಪಟ್ಟಿ|ಫೋನ್|ಒಟ್ಟು',
  offer: 'ಕೂಪನ್|ರಿಯಾಯಿತಿ',
};
