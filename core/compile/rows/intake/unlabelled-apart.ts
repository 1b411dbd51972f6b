import { canonicalJson } from '../../../kernel/json/json.ts'
import type { Row } from '../task.ts'
import type { UnlabelledInput } from './example.ts'

/** Returns the first of each unlabelled input that belongs to no row: an input with an output is labelled. */
export function unlabelledApart(
  rows: readonly Pick<Row, 'input'>[],
  unlabelled: readonly UnlabelledInput[],
): readonly UnlabelledInput[] {
  if (unlabelled.length === 0) return []
  const seen = new Set(rows.map(({ input }) => canonicalJson(input)))
  return unlabelled.filter(({ input }) => {
    const key = canonicalJson(input)
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}
