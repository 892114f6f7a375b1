import type { Language } from './language.ts';

export const estonian: Language = {
  code: 'kood|koodi*|*kood|*koodi|pin|parool',
  oneTime: 'kinnituskood*|ühekordne kood|ühekordse koodi|turvakood*|autentimiskood*|ühekordne parool*|taastekood*',
  password: 'parool*|salasõna*',
  verify: 'kinnita*|aktiveeri*|autendi*|kinnitu*|kinnitam*|valideeri*',
  signIn: 'logi sisse|sisselogimi*|sisse logi*|registreeri*',
  reset: 'lähtesta*|taasta*|uus parool|parooli muut*|unusta*|parooli uuend*|parooli saam*|uue parooli|salasõna muut*',
  invite: 'kutsu*|liitu*|nõustu*|kutse|kutset|*kutse*',
  unsubscribe: 'tühista tellimus|loobu|lõpeta tellimus|tühistada tellimus',
  enter: 'sisesta*|kasuta*|sisestage',
  expires: 'aegub|kehtib|kehtiv',
  number:
    'tellimus*|arve*|kliendinumber|jälgimisnumber|postiindeks|sihtnumber|telefon*|summa|kokku|viitenumber|konto|kontonumber|seerianumber',
  offer: 'sooduskood*|allahindlus*|kinkekaart*|vautšer*',
  unlock: 'ava lukust*|lukust lahti|lukustuse*|avada lukk',
  decline: 'keeldu*|lükka tagasi|tagasi lükk*',
  look: 'kontrolli*|vaata',
  signUp: 'registreeri*|*registreeri*|loo konto|konto loomi*',
  link: 'link*|lingi*|lingil*',
  account: 'konto*|kasutaja*',
  address: 'e-post*|meili*|e-kiri*',
  or: 'või',
  here: 'siia|siin|klõpsa siia|klõpsake siia|kliki siia|jätka|edasi',
  is: 'on',
  once: 'ühekord*',
};
