import type { Expr } from '../../../language/ast.ts'
import { byWords } from '../../../language/expressions/words.ts'
import { costOf } from '../../ranking/cost.ts'
import { isShortened, rewriteBy, type Rewrite } from './rewrite.ts'

const SPACE = ' '
const MIN_WORDS = 2
const MAX_WORDS = 24
/** Uses beyond the first of each word: words that occur once each are the rows themselves. */
const MIN_REPEATED = 2

/**
 * Rewrites whole words by a table, and leaves the other words as they are: `Street` for `St`, `North` for `N`, where a
 * search for the letters would change `Stone` too. The rows give each word one way to write it, and repeat some.
 */
export function dictionaryRules(texts: readonly (string | undefined)[], outputs: readonly string[]): Rewrite[] {
  const images = new Map<string, string>()
  let uses = 0
  for (const [row, text] of texts.entries()) {
    if (text === undefined) continue
    const words = text.split(SPACE)
    const written = (outputs[row] ?? '').split(SPACE)
    if (words.length < MIN_WORDS || words.length !== written.length) return []
    for (const [at, word] of words.entries()) {
      const image = written[at] ?? ''
      const known = images.get(word)
      if (known !== undefined && known !== image) return []
      images.set(word, image)
      if (word !== image) uses++
    }
  }
  const changed = [...images].filter(([word, image]) => word !== image)
  const isCase = changed.every(([word, image]) => word.toLowerCase() === image.toLowerCase())
  if (changed.length < MIN_WORDS || changed.length > MAX_WORDS || isCase) return []
  // Most words cut to their starts are a rule, which other words follow too.
  if (changed.filter(([word, image]) => isShortened(word, image)).length * 2 >= changed.length) return []
  if (uses < changed.length + MIN_REPEATED) return []
  const cases = changed.map(([key, value]) => ({ key, value }))
  const build = (text: Expr): Expr => byWords(text, SPACE, cases)
  return [rewriteBy(costOf('dictionary').with('dictionary.word', cases.length), build)]
}
