import { z } from 'zod'
import { hashJson, type Json, type Sha256 } from '../../../kernel/json/json.ts'
import FROZEN from './cases.json' with { type: 'json' }

/** Classes of the frozen cases. */
export const CASE_CLASSES = ['classification', 'extraction', 'generation', 'code'] as const
/** Class of a frozen case. */
export type CaseClass = (typeof CASE_CLASSES)[number]

const Value: z.ZodType<Json> = z.json()
const CaseRow = z.object({ input: Value, output: Value })

const Cases = z.object({
  spec: z.literal('svc-bench-v1'),
  schema_version: z.literal(1),
  frozen_at: z.iso.datetime(),
  cases: z.array(
    z.object({
      id: z.string(),
      class: z.enum(CASE_CLASSES),
      task: z.string(),
      /** Rows that the engine compiles. */
      train: z.array(CaseRow),
      /** Rows that only the calibration sees. */
      test: z.array(CaseRow),
    }),
  ),
})

/** The frozen cases. Bench's `draw-cases.ts` drew them once, from generators of their own. */
export type FrozenCases = z.infer<typeof Cases>

let known: { readonly cases: FrozenCases; readonly sha256: Sha256 } | undefined

/** Returns the frozen cases with the digest of their RFC 8785 form. */
export function frozenCases(): { readonly cases: FrozenCases; readonly sha256: Sha256 } {
  known ??= { cases: Cases.parse(FROZEN), sha256: hashJson(Value.parse(FROZEN)) }
  return known
}
