import type { Language } from './language.ts';

export const khmer: Language = {
  tag: 'km',
  name: 'Khmer',
  code: 'កូដ|លេខកូដ',
  oneTime: 'លេខកូដផ្ទៀងផ្ទាត់|កូដផ្ទៀងផ្ទាត់|លេខកូដបញ្ជាក់|កូដសុវត្ថិភាព',
  password: 'ពាក្យសម្ងាត់|លេខសម្ងាត់',
  verify: 'ផ្ទៀងផ្ទាត់|បញ្ជាក់',
  signIn: 'ចូល|ចុះឈ្មោះ',
  reset: 'កំណត់ឡើងវិញ|ពាក្យសម្ងាត់ថ្មី|ភ្លេច',
  invite: 'អញ្ជើញ|ចូលរួម',
  unsubscribe: 'ឈប់ជាវ',
  enter: 'បញ្ចូល|ប្រើ',
  expires: 'ផុតកំណត់',
  number: 'ការបញ្ជាទិញ|វិក្កយបត្រ|ទូរស័ព្ទ|សរុប|លេខកូដប្រៃសណីយ៍',
  offer: 'បញ្ចុះតម្លៃ|គូប៉ុង',
};
