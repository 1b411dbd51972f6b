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

/**
 * Returns the words of a text in lower case without their endings, common ones left out. Names such as `k_score_floor`
 * fall into their parts.
 */
export function wordsOf(text: string): readonly string[] {
  const found = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  return found.filter((word) => !COMMON.has(word)).map((word) => stemOf(word))
}

/** Returns the stems of words that may replace this one. */
export function alikeTo(stem: string): readonly string[] {
  return ALIKE_STEMS.get(stem) ?? []
}

/** Stems of words met before: texts repeat most of theirs. */
const stems = new Map<string, string>()
const MOST_STEMS = 50_000
/** Longer words are data, and are not kept. */
const MOST_KEPT_CHARS = 40

function stemOf(word: string): string {
  const known = stems.get(word)
  if (known !== undefined) return known
  if (stems.size >= MOST_STEMS) stems.clear()
  const stem = makeStem(word)
  if (word.length <= MOST_KEPT_CHARS) stems.set(word, stem)
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
