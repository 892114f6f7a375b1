// Related languages stand together, because their words compress together: the client holds all of them.
// biome-ignore-start assist/source/organizeImports: the languages have an order of their own
import type { Language } from './language.ts';
import { portuguese } from './pt.ts';
import { spanish } from './es.ts';
import { galician } from './gl.ts';
import { catalan } from './ca.ts';
import { romanian } from './ro.ts';
import { french } from './fr.ts';
import { italian } from './it.ts';
import { english } from './en.ts';
import { dutch } from './nl.ts';
import { afrikaans } from './af.ts';
import { frisian } from './fy.ts';
import { luxembourgish } from './lb.ts';
import { german } from './de.ts';
import { danish } from './da.ts';
import { norwegian } from './nb.ts';
import { swedish } from './sv.ts';
import { icelandic } from './is.ts';
import { croatian } from './hr.ts';
import { slovenian } from './sl.ts';
import { slovak } from './sk.ts';
import { czech } from './cs.ts';
import { polish } from './pl.ts';
import { latvian } from './lv.ts';
import { lithuanian } from './lt.ts';
import { albanian } from './sq.ts';
import { hungarian } from './hu.ts';
import { estonian } from './et.ts';
import { finnish } from './fi.ts';
import { turkish } from './tr.ts';
import { azerbaijani } from './az.ts';
import { uzbek } from './uz.ts';
import { vietnamese } from './vi.ts';
import { irish } from './ga.ts';
import { welsh } from './cy.ts';
import { esperanto } from './eo.ts';
import { basque } from './eu.ts';
import { zulu } from './zu.ts';
import { swahili } from './sw.ts';
import { filipino } from './fil.ts';
import { malay } from './ms.ts';
import { indonesian } from './id.ts';
import { serbian } from './sr.ts';
import { macedonian } from './mk.ts';
import { bulgarian } from './bg.ts';
import { russian } from './ru.ts';
import { ukrainian } from './uk.ts';
import { belarusian } from './be.ts';
import { kazakh } from './kk.ts';
import { mongolian } from './mn.ts';
import { greek } from './el.ts';
import { persian } from './fa.ts';
import { urdu } from './ur.ts';
import { arabic } from './ar.ts';
import { hebrew } from './he.ts';
import { georgian } from './ka.ts';
import { armenian } from './hy.ts';
import { hindi } from './hi.ts';
import { nepali } from './ne.ts';
import { marathi } from './mr.ts';
import { punjabi } from './pa.ts';
import { gujarati } from './gu.ts';
import { bengali } from './bn.ts';
import { assamese } from './as.ts';
import { odia } from './or.ts';
import { sinhala } from './si.ts';
import { malayalam } from './ml.ts';
import { telugu } from './te.ts';
import { tamil } from './ta.ts';
import { kannada } from './kn.ts';
import { thai } from './th.ts';
import { lao } from './lo.ts';
import { khmer } from './km.ts';
import { burmese } from './my.ts';
import { japanese } from './ja.ts';
import { chinese } from './zh.ts';
import { korean } from './ko.ts';
// biome-ignore-end assist/source/organizeImports: the languages have an order of their own

/** The languages, each in its own file, by families. docs: CONTRIBUTING.md#add-a-language */
export const FAMILIES: readonly (readonly Language[])[] = [
  // Romance languages.
  [portuguese, spanish, galician, catalan, romanian, french, italian],
  // Germanic languages.
  [english, dutch, afrikaans, frisian, luxembourgish, german, danish, norwegian, swedish, icelandic],
  // Slavic and Baltic languages in Latin letters.
  [croatian, slovenian, slovak, czech, polish, latvian, lithuanian],
  // Languages in Latin letters of other families.
  [
    albanian,
    hungarian,
    estonian,
    finnish,
    turkish,
    azerbaijani,
    uzbek,
    vietnamese,
    irish,
    welsh,
    esperanto,
    basque,
    zulu,
    swahili,
    filipino,
    malay,
    indonesian,
  ],
  // Languages in Cyrillic letters.
  [serbian, macedonian, bulgarian, russian, ukrainian, belarusian, kazakh, mongolian],
  // Languages in Greek, Arabic, Hebrew, Georgian and Armenian letters.
  [greek, persian, urdu, arabic, hebrew, georgian, armenian],
  // Languages of India and its neighbours.
  [hindi, nepali, marathi, punjabi, gujarati, bengali, assamese, odia, sinhala, malayalam, telugu, tamil, kannada],
  // Languages of East Asia.
  [thai, lao, khmer, burmese, japanese, chinese, korean],
];

export const LANGUAGES: readonly Language[] = FAMILIES.flat();
