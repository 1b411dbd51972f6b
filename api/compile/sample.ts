import { inlineBounds } from '../../core/compiler/intake/bounds.ts'
import { examplesFromInline } from '../../core/compiler/intake/sources.ts'
import type { Json } from '../../core/json.ts'
import type { Limits } from '../../core/tenancy/limits.ts'

const KEPT_ROWS = 200

/** Checks inline examples as a compile would and keeps the first of them. Throws what a compile's intake throws. */
export async function sampleInline(examples: readonly unknown[], limits: Limits) {
  const rows: { readonly input: Json; readonly output: Json }[] = []
  let count = 0
  for await (const example of examplesFromInline(examples, inlineBounds(limits))) {
    count++
    if (example.kind === 'positive' && rows.length < KEPT_ROWS) rows.push(example.row)
  }
  return { count, rows }
}
