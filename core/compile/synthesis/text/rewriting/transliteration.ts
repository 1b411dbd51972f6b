import type { Expr } from '../../../language/ast.ts'
import { literalPattern } from '../../search/build.ts'
import { replacing, rewriteBy, type Rewrite } from './rewrite.ts'
import { costOf } from '../../ranking/cost.ts'

/** Spellings of letters for readers without them: DIN 5007-2 for German, and the Scandinavian usage. */
const SPELLINGS: readonly ReadonlyMap<string, string>[] = [
  new Map([
    ['ä', 'ae'],
    ['ö', 'oe'],
    ['ü', 'ue'],
    ['ß', 'ss'],
    ['Ä', 'Ae'],
    ['Ö', 'Oe'],
    ['Ü', 'Ue'],
  ]),
  new Map([
    ['æ', 'ae'],
    ['ø', 'oe'],
    ['å', 'aa'],
    ['Æ', 'Ae'],
    ['Ø', 'Oe'],
    ['Å', 'Aa'],
  ]),
]

function isSpelledOut(
  letter: string,
  spelling: string,
  texts: readonly (string | undefined)[],
  outputs: readonly string[],
): boolean {
  const spelled = spelling.toLowerCase()
  const rows = texts.flatMap((text, row) => (text?.includes(letter) === true ? [outputs[row] ?? ''] : []))
  return rows.length > 0 && rows.every((output) => !output.includes(letter) && output.toLowerCase().includes(spelled))
}

/** Spells out the letters of a language, all of them, where the outputs spell out those that the texts have. */
export function transliterationRules(texts: readonly (string | undefined)[], outputs: readonly string[]): Rewrite[] {
  return SPELLINGS.flatMap((letters) => {
    const held = [...letters].filter(([letter]) => texts.some((text) => text?.includes(letter)))
    const isShown = held.length > 0 && held.every(([letter, to]) => isSpelledOut(letter, to, texts, outputs))
    if (!isShown) return []
    const build = (text: Expr) =>
      [...letters].reduce<Expr>((spelled, [from, to]) => replacing(spelled, literalPattern(from), to), text)
    return [rewriteBy(costOf('transliterate'), build)]
  })
}
