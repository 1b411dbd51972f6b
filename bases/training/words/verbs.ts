import { phrases, words } from './split.ts'

/** The forms of an English verb. */
export interface Verb {
  readonly base: string
  readonly third: string
  readonly past: string
  readonly gerund: string
  readonly participle: string
}

const VOWELS = 'aeiou'

/** Regular inflection; a final consonant is doubled where the list below says so. */
function regular(base: string, double: boolean): Verb {
  const last = base.at(-1) ?? ''
  const before = base.at(-2) ?? ''
  const stem = double ? base + last : base
  const endsInY = last === 'y' && !VOWELS.includes(before)
  const past = endsInY ? `${base.slice(0, -1)}ied` : last === 'e' ? `${base}d` : `${stem}ed`
  const third = endsInY ? `${base.slice(0, -1)}ies` : /(?:s|x|z|ch|sh)$/.test(base) ? `${base}es` : `${base}s`
  const gerund = last === 'e' && before !== 'e' ? `${base.slice(0, -1)}ing` : `${stem}ing`
  return { base, third, past, gerund, participle: past }
}

const irregular = (line: string): Verb => {
  const [base = '', past = '', participle = past] = line.split(' ')
  const form = regular(base, /^(?:run|sit|swim|win|get|put|cut|dig|begin|forget|shut|set|hit)$/.test(base))
  const third = base === 'go' || base === 'do' ? `${base}es` : form.third
  return { ...form, third, past, participle }
}

/** Verbs that take a thing as their object: "she cleaned the lamp". */
export const TRANSITIVE: readonly Verb[] = [
  ...words(`
    clean open close carry paint repair move push pull kick lift wash cook bake pack unpack check change order deliver
    return collect count measure paint design print scan copy delete install remove replace inspect test use borrow
    touch watch notice describe discuss mention love like hate need want miss enjoy share save waste own
    fix clean cover fill burn destroy damage protect improve finish start follow lock unlock mark label sort store`).map(
    (base) => regular(base, false),
  ),
  ...words('drop grab scrub ship wrap').map((base) => regular(base, true)),
  ...phrases(`
    buy bought, sell sold, find found, lose lost, bring brought, take took taken, give gave given, break broke broken,
    throw threw thrown, catch caught, draw drew drawn, write wrote written, read read, make made, build built, see saw seen,
    hold held, keep kept, leave left, send sent, steal stole stolen, forget forgot forgotten, choose chose chosen,
    put put, cut cut, hit hit, get got, hide hid hidden`).map(irregular),
]

/** Verbs without an object: "he waited". */
export const INTRANSITIVE: readonly Verb[] = [
  ...words(`
    walk wait work play talk laugh smile listen rest travel arrive return jump dance cry shout whisper hurry stay live
    agree pause appear vanish land climb sail hesitate complain apologise`).map((base) => regular(base, false)),
  ...phrases(`
    run ran run, sit sat, stand stood, sleep slept, swim swam swum, sing sang sung, go went gone, come came come,
    fall fell fallen, speak spoke spoken, fly flew flown, drive drove driven, win won, rise rose risen, begin began begun`).map(
    irregular,
  ),
]
