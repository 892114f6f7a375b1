import type { Language } from './language.ts';

export const burmese: Language = {
  tag: 'my',
  name: 'Burmese',
  code: 'ကုဒ်|ကုတ်',
  oneTime: 'အတည်ပြုကုဒ်|လုံခြုံရေးကုဒ်|တစ်ကြိမ်သုံး',
  password: 'စကားဝှက်',
  verify: 'အတည်ပြု|စစ်ဆေး|အသက်သွင်း',
  signIn: 'ဝင်ရောက်|လော့ဂ်အင်|မှတ်ပုံတင်',
  reset: 'ပြန်လည်သတ်မှတ်|စကားဝှက်အသစ်|မေ့',
  invite: 'ဖိတ်|ပါဝင်',
  unsubscribe: 'စာရင်းမှထွက်',
  enter: 'ထည့်ပါ|ရိုက်ထည့်|အသုံးပြု',
  expires: 'သက်တမ်း',
  number: 'အော်ဒါ|ပြေစာ|ဖုန်း|စုစုပေါင်း|စာတိုက်ကုဒ်',
  offer: 'လျှော့စျေး|ကူပွန်',
};
