import { z } from 'zod'
import { JsonValue } from '../../kernel/wire/values.ts'

/** Body of `POST /v1/receipts/verify`. */
export const VerifyReceiptBody = z.object({
  receipt: JsonValue,
  input: JsonValue.optional(),
  output: JsonValue.optional(),
})

/** Answer of `POST /v1/receipts/verify`. */
export const VerifyReceiptAnswer = z.object({
  verified: z.literal(true),
  kind: z.enum(['run', 'verified-inference', 'composition', 'batch', 'gate', 'build', 'drive-by']),
  reasons: z.array(z.string()).meta({ description: 'Notes; those of a genuine receipt do not invalidate it' }),
  mode: z.literal('drive-by').optional(),
  checks: z.record(z.string(), z.boolean()),
})
