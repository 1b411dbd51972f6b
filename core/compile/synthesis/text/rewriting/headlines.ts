import type { Expr } from '../../../language/ast.ts'
import { capitaliseText } from '../../../language/primitives/text/casing.ts'
import { literal, literalPattern } from '../../search/build.ts'
import { rewriteBy, type Rewrite } from './rewrite.ts'
import { costOf } from '../../ranking/cost.ts'

/** Words that headlines leave in lower case. */
const SMALL_WORDS = 'a an and as at but by for from in into nor of on or the to vs via with'.split(' ')

/** Headlines: every word capitalised but the small ones, of which the first one is; as the outputs write them. */
export function headlineRules(outputs: readonly string[]): Rewrite[] {
  const later = new Set(outputs.flatMap((output) => output.split(' ').slice(1)))
  const small = SMALL_WORDS.filter((word) => !later.has(capitaliseText(word)))
  if (!small.some((word) => later.has(word)) || !outputs.some((output) => /^\p{Lu}/u.test(output))) return []
  const word: Expr = { op: 'var', name: 'word' }
  const cased: Expr = {
    op: 'if',
    cond: { op: 'in', value: word, list: literal(small) },
    then: word,
    else: { op: 'title', text: word },
  }
  return [
    rewriteBy(costOf('case.headline'), (text) => ({
      op: 'capitalise',
      text: {
        op: 'join',
        list: {
          op: 'map',
          list: { op: 'split', text: { op: 'lower', text }, by: literalPattern(' ') },
          as: 'word',
          body: cased,
        },
        separator: literal(' '),
      },
    })),
  ]
}
