import type { Language } from './language.ts';

export const basque: Language = {
  tag: 'eu',
  name: 'Basque',
  code: 'kode*|kodea|kodeak|*kodea|pin',
  oneTime: 'egiaztapen-kode*|berrespen-kode*|segurtasun-kode*|behin erabiltzeko*|sarbide-kode*|aktibazio-kode*',
  password: 'pasahitz*',
  verify: 'egiazta*|berrets*|berrest*|baiezta*|aktiba*|balioz*|balida*',
  signIn: 'saioa hasi|saio-hasiera*|hasi saioa|erregistr*',
  reset: 'berrezar*|pasahitz berri*|ahaztu*|aldatu pasahitza|berreskura*|pasahitza aldatu*',
  invite: 'gonbida*|batu*|onartu|gonbit*',
  unsubscribe: 'harpidetza kendu|harpidetza utzi',
  enter: 'sartu|idatzi|erabili',
  expires: 'iraungi*|baliozko*',
  number: 'eskaera*|faktura*|telefono*|posta-kode*|zenbateko*|guztira|bezero-zenbaki*',
  offer: 'deskontu*|kupoi*',
};
