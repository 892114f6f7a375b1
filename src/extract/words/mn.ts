import type { Language } from './language.ts';

export const mongolian: Language = {
  tag: 'mn',
  name: 'Mongolian',
  code: 'код|кодоо|кодыг|пин',
  oneTime: 'нэг удаагийн*|аюулгүй байдлын код*',
  password: 'нууц үг*',
  verify: 'баталгааж*|идэвхжүүл*|шалга*',
  signIn: 'нэвтр*|бүртг*',
  reset: 'сэргээ*|шинэчлэ*|шинэ нууц үг*|мартсан|солих|дахин тохируул*',
  invite: 'урилг*|урьсан|нэгд*',
  unsubscribe: 'бүртгэлээс хас*',
  enter: 'оруул*|ашигла*|бичнэ*',
  expires: 'хүчинтэй|дуусна',
  number: 'захиалг*|нэхэмжлэх*|утас*|дүн|нийт|шуудангийн код',
  offer: 'хямдрал*|купон*',
};
