import { z } from 'zod'
import { AnyJson, Hash } from '../../../ledger/wire/fields.ts'
import { MAX_KEPT_ROWS } from '../../rows/split/kept-rows.ts'
import { Count } from './fields.ts'

const id = z.string().max(256)

const HeldDocument = z.strictObject({
  spec: z.literal('svc-rows-1'),
  learned: z.array(z.strictObject({ place: Count, id, input: AnyJson, output: AnyJson })).max(MAX_KEPT_ROWS),
  negatives: z.array(z.strictObject({ id, input: AnyJson, not_output: AnyJson })).max(MAX_KEPT_ROWS),
  unlabelled: z.array(AnyJson).max(MAX_KEPT_ROWS),
})

const Digested = z.strictObject({ n: Count, hash: Hash })

/**
 * `rows.json`: rows, forbidden outputs and inputs that the compiler saw and evals.json does not hold; in the second form
 * as digests, where they pass a bound.
 */
export const RowsDocument = z.discriminatedUnion('spec', [
  HeldDocument,
  z.strictObject({
    spec: z.literal('svc-rows-2'),
    why_digests: z.enum(['too_many_rows', 'too_large']),
    learned: Digested,
    negatives: Digested,
    unlabelled: Digested,
  }),
])
export type RowsDocument = z.infer<typeof RowsDocument>
