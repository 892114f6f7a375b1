import type { Language } from './language.ts';

export const finnish: Language = {
  code: 'koodi*|*koodi*|pin|tunnusluku*|tokeni*',
  oneTime: 'kertakäyttökoodi*|turvakoodi*|sisäänkirjautumiskoodi*|todennuskoodi*|palautuskoodi*|kertakäyttösalasana*',
  password: 'salasana*',
  verify: 'vahvist*|varmenna*|varmist*|aktivoi*|todenna*|validoi*|tarkist*',
  signIn: 'kirjaudu*|kirjautu*|rekisteröi*',
  reset:
    'palauta*|vaihda salasana*|uusi salasana*|unohd*|salasanan vaihto*|salasanan asetus*|salasanan uudelleen*|vaihdan salasan*|aseta uusi|nolla*|palautta*',
  invite: 'kutsu*|liity|liittyä|hyväksy*|*kutsu',
  unsubscribe: 'peruuta tilaus|lopeta tilaus|ilmoitusasetu*|peru tilaus|perua tilaus|et halua|en halua',
  enter: 'syötä*|anna|käytä|kirjoita|käyttä*',
  expires: 'vanhenee|voimassa|umpeutuu',
  number:
    'tilaus|tilauksen|tilausnumero*|lasku*|asiakasnumero*|viite*|seurantanumero*|postinumero*|puhelin*|puh|summa|yhteensä|varaus*|tili|tilinumero*|sarjanumero*|virhekoodi*|tuotekoodi*|viivakoodi*|y-tunnus|tilauks*|seurantatied*|lähety*|toimitettu|kertamaksu*|kertaluontei*',
  offer: 'alennus*|lahjakortti*|kuponki*|kampanjakoodi*|arvosete*',
  unlock: 'avaa lukit*|lukituksen*|poista lukitus',
  decline: 'hylkä*|hylätä|kieltäyd*|kieltäyt*|hylkää',
  look: 'tarkist*|katso',
  signUp: 'rekister*|*rekister*|luo tili|luoda tili',
  link: 'link*',
  account: 'tili*|tilin*|käyttäj*',
  address: 'sähköpost*|postia|postin',
  or: 'tai',
  here: 'tästä|tähän|napsauta tästä|klikkaa tästä|napsauta tätä|klikkaa tätä|jatka|seuraava',
  is: 'on',
  once: 'kertakäyttöi*',
};
