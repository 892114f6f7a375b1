import type { Language } from './language.ts';

export const lao: Language = {
  tag: 'lo',
  name: 'Lao',
  code: 'ລະຫັດ',
  oneTime: 'ລະຫັດຢືນຢັນ|ລະຫັດຄວາມປອດໄພ|ລະຫັດ otp',
  password: 'ລະຫັດຜ່ານ',
  verify: 'ຢືນຢັນ|ກວດສອບ',
  signIn: 'ເຂົ້າສູ່ລະບົບ|ລົງທະບຽນ',
  reset: 'ຣີເຊັດ|ຕັ້ງລະຫັດຜ່ານໃໝ່|ລືມ',
  invite: 'ເຊີນ|ເຂົ້າຮ່ວມ',
  unsubscribe: 'ຍົກເລີກການສະໝັກ',
  enter: 'ປ້ອນ|ໃສ່|ໃຊ້',
  expires: 'ໝົດອາຍຸ',
  number: 'ໃບສັ່ງຊື້|ໂທລະສັບ|ຍອດລວມ|ລະຫັດໄປສະນີ',
  offer: 'ສ່ວນຫຼຸດ|ຄູປອງ',
};
