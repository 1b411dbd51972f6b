import { z } from 'zod'
import { AnyJson } from '../../../ledger/wire/fields.ts'
import { MAX_KEPT_ROWS } from '../../rows/split/kept-rows.ts'
import { Count } from './fields.ts'

const id = z.string().max(256)

/** `rows.json`: rows and forbidden outputs that the compiler saw and evals.json does not hold. */
export const RowsDocument = z.strictObject({
  spec: z.literal('svc-rows-1'),
  learned: z.array(z.strictObject({ place: Count, id, input: AnyJson, output: AnyJson })).max(MAX_KEPT_ROWS),
  negatives: z.array(z.strictObject({ id, input: AnyJson, not_output: AnyJson })).max(MAX_KEPT_ROWS),
  unlabelled: z.array(AnyJson).max(MAX_KEPT_ROWS),
})
export type RowsDocument = z.infer<typeof RowsDocument>
