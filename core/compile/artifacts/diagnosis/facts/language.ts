/** Scripts that are distinguished, with the characters of each. */
const SCRIPTS = {
  Latin: /\p{Script=Latin}/gu,
  Cyrillic: /\p{Script=Cyrillic}/gu,
  Greek: /\p{Script=Greek}/gu,
  Arabic: /\p{Script=Arabic}/gu,
  Hebrew: /\p{Script=Hebrew}/gu,
  Devanagari: /\p{Script=Devanagari}/gu,
  Thai: /\p{Script=Thai}/gu,
  Hangul: /\p{Script=Hangul}/gu,
  Japanese: /[\p{Script=Hiragana}\p{Script=Katakana}]/gu,
  Chinese: /\p{Script=Han}/gu,
} as const

/** Frequent short words of languages in Latin script, each word with the languages that have it. */
const WORDS = wordsOf({
  English: 'the and is are was to of in for with that this have not you my we on it from please where when can',
  German: 'der die das und ist sind nicht ich wir sie ein eine mit für auf den dem zu von bitte wo wann kann mein auch',
  French: 'le la les et est sont ne pas je nous vous un une avec pour sur des du de où quand peut mon dans',
  Spanish: 'el la los las y es son no yo nosotros un una con para sobre de del dónde cuándo puede mi por que',
  Italian: 'il lo la gli e è sono non io noi un una con per su di del dove quando può mio che nella',
  Portuguese: 'o os as e é são não eu nós um uma com para sobre de do da onde quando pode meu que em',
  Dutch: 'de het en is zijn niet ik wij u een met voor op van waar wanneer kan mijn dat deze',
})
/** Words that decide on a language: fewer say nothing. */
const LEAST_WORDS = 2
/** Characters of a text that are looked at. */
const MOST_CHARS = 4096

function wordsOf(lists: Readonly<Record<string, string>>): ReadonlyMap<string, readonly string[]> {
  const languages = new Map<string, string[]>()
  for (const [language, words] of Object.entries(lists)) {
    for (const word of words.split(' ')) languages.set(word, [...(languages.get(word) ?? []), language])
  }
  return languages
}

/** Returns the script of most letters of a text; null without letters of a distinguished script. */
export function scriptOf(text: string): string | null {
  const sample = text.slice(0, MOST_CHARS)
  let best: string | null = null
  let most = 0
  for (const [script, characters] of Object.entries(SCRIPTS)) {
    const count = sample.match(characters)?.length ?? 0
    if (count > most) [best, most] = [script, count]
  }
  return best
}

/** Returns the language of a text in Latin script by its frequent words; null where they do not decide. */
export function languageOf(words: readonly string[]): string | null {
  const counts = new Map<string, number>()
  for (const word of words) for (const one of WORDS.get(word) ?? []) counts.set(one, (counts.get(one) ?? 0) + 1)
  const [first, second] = [...counts].toSorted(([, a], [, b]) => b - a)
  if (first === undefined || first[1] < LEAST_WORDS || first[1] === second?.[1]) return null
  return first[0]
}
