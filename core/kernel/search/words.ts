/** Words of questions that say nothing about their subject. */
const COMMON = new Set(
  `a about after all also am an and any anything are as at be been before being but by can could did do does each else
  ever for from get gets give given go goes got had has have hello help here hi how i if in into is it its just kind know let
  like many may me might mine more most much must my need needs no nor not now of off on one only or other our out over
  own please question same say says shall she should so some such tell than thank thanks that the their them then there
  these they thing things this those to too under up us use used using very want was way we were what when where which
  happen happens mean means turn possible best
  while who whom why will with work works would yes you your`
    .split(/\s+/)
    .filter((word) => word !== ''),
)

/** Words that mean the same in questions and in the documentation. */
const ALIKE: readonly (readonly string[])[] = [
  ['delete', 'remove', 'erase'],
  ['price', 'cost'],
  ['login', 'signin'],
  ['create', 'make', 'mint'],
  ['show', 'list', 'see', 'view'],
  ['file', 'archive'],
  ['retry', 'repeat'],
  ['price', 'pricing'],
  ['self', 'host', 'operator'],
  ['privacy', 'pii', 'sensitive'],
]

/** A letter of a script without spaces, with its marks. */
const UNSPACED =
  '[\\p{L}&&[\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}]]\\p{M}*'
/** A run of such letters, or a word of another script. */
const RUNS = new RegExp(`(?<unspaced>(?:${UNSPACED})+)|(?:(?!${UNSPACED})[\\p{L}\\p{N}]\\p{M}*)+`, 'gv')
const LETTERS = new RegExp(UNSPACED, 'gv')

/**
 * Returns the words of a text in lower case without their endings, common ones left out. Names such as `k_score_floor`
 * fall into their parts. Accents count the same however they are written, and scripts without spaces are read by pairs of
 * letters.
 */
export function wordsOf(text: string): readonly string[] {
  const words: string[] = []
  for (const { 0: run, groups } of text.normalize('NFC').toLowerCase().matchAll(RUNS)) {
    if (groups?.['unspaced'] !== undefined) words.push(...pairsOf(run))
    else if (!COMMON.has(run)) words.push(stemOf(run))
  }
  return words
}

/**
 * Returns the end of the part of a text that has at most `most` words, in code units: the place before the first one too many.
 * Undefined when the whole text has no more.
 */
export function endOfWords(text: string, most: number): number | undefined {
  let left = most
  for (const { 0: run, index, groups } of text.matchAll(RUNS)) {
    const count = wordsOf(run).length
    if (count > left) {
      if (groups?.['unspaced'] === undefined || left === 0) return index
      // So many letters have one pair fewer.
      const kept = lettersOf(run).slice(0, left + 1)
      return index + kept.join('').length
    }
    left -= count
  }
  return undefined
}

function pairsOf(run: string): readonly string[] {
  const letters = lettersOf(run)
  return letters.length === 1 ? letters : letters.slice(1).map((letter, at) => `${letters[at] ?? ''}${letter}`)
}

function lettersOf(run: string): readonly string[] {
  return run.match(LETTERS) ?? []
}

/** Returns the stems of words that may replace this one. */
export function alikeTo(stem: string): readonly string[] {
  return ALIKE_STEMS.get(stem) ?? []
}

/** Stems of words met before: texts repeat most of theirs. */
const stems = new Map<string, string>()
const MOST_STEMS = 50_000
/** Longer words are data, and have no ending. */
const MOST_STEM_CHARS = 40

function stemOf(word: string): string {
  if (word.length > MOST_STEM_CHARS) return word
  const known = stems.get(word)
  if (known !== undefined) return known
  if (stems.size >= MOST_STEMS) stems.clear()
  const stem = makeStem(word)
  stems.set(word, stem)
  return stem
}

/** A word without its ending: words of one family mostly get the same, which is all that comparing them takes. */
function makeStem(word: string): string {
  if (word.length <= 3 || /\d/.test(word)) return word
  const singular = word
    .replace(/ies$/, 'y')
    .replace(/(ss|x|ch|sh)es$/, '$1')
    .replace(/([^su])s$/, '$1')
  const root = singular.replace(/^(.*[aeiouy].{1,})(?:ing|ed|ion)$/, '$1').replace(/([bdgmnprt])\1$/, '$1')
  return root.length > 3 ? root.replace(/e$/, '') : root
}

const ALIKE_STEMS: ReadonlyMap<string, readonly string[]> = new Map(
  ALIKE.flatMap((group) => {
    const stems = group.map((word) => stemOf(word))
    return stems.map((stem) => [stem, stems.filter((other) => other !== stem)] as const)
  }),
)
