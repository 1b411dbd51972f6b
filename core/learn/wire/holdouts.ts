import { z } from 'zod'
import { isGivenRows, type GivenRows } from '../../compile/wire/given-rows.ts'
import { CaptureNamespace } from '../../gateway/wire/captures/fields.ts'
import { JsonValue } from '../../kernel/wire/values.ts'
import type { Limits } from '../limits.ts'

/** The name of a holdout. */
const NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/i

/** The name of a holdout in a path: any other text is an unknown one. */
export const HoldoutName = z
  .string()
  .regex(NAME, { error: 'must be letters, digits, dashes and underscores, at most 63' })
  .meta({ description: 'Your name for the holdout; letter case does not matter', example: 'tickets-2026' })

/** Characters of the metadata of a holdout as JSON. */
const METADATA_CHARS = 4096

const Metadata = z
  .record(z.string().min(1).max(128), JsonValue)
  .refine((value) => JSON.stringify(value).length <= METADATA_CHARS, {
    error: `must have at most ${METADATA_CHARS} characters as JSON`,
  })
  .meta({ description: 'Stored and answered as it is: keep rows out of it' })

/** Body of `POST /v1/eval/tenant_holdout`. */
export function storeHoldoutBody(limits: Limits) {
  return z
    .object({
      corpus_id: HoldoutName,
      rows: z.custom<GivenRows>(isGivenRows, { error: 'must be a list of {input, output}' }).meta({
        description: `1 to ${limits.holdout_rows} rows, each of at most ${limits.example_bytes} bytes. A row whose input repeats that of an earlier one is left out and counted; a chat that asks one question has its text as input`,
        override: {
          type: 'array',
          minItems: 1,
          maxItems: limits.holdout_rows,
          items: {
            type: 'object',
            properties: {
              input: { description: 'Any JSON value but null; `prompt` is accepted too' },
              output: { description: 'Any JSON value; `completion` and `expected` are accepted too' },
            },
          },
        },
      }),
      namespace: CaptureNamespace.optional(),
      tags: z.array(z.string().min(1).max(64)).max(32).default([]),
      metadata: Metadata.default({}),
      replace: z.boolean().default(false).meta({ description: 'True to delete a holdout of this name first' }),
    })
    .meta({
      id: 'StoreHoldout',
      example: {
        corpus_id: 'tickets-2026',
        rows: [
          { input: 'my login is locked', output: 'login' },
          { input: 'the parcel is lost', output: 'shipping' },
        ],
      },
    })
}

/** The public facts of a holdout: everything but its rows. */
export const HoldoutView = z
  .object({
    holdout_id: z.string(),
    corpus_id: z.string(),
    namespace: z.string().nullable(),
    state: z.enum(['sealed', 'revealed']),
    row_count: z.int(),
    skipped: z.int().meta({ description: 'Rows left out, since one before them has the same input' }),
    bytes: z.int().meta({ description: 'Of the rows, before they were encrypted' }),
    corpus_sha256: z.string().meta({
      description:
        'Root of the Merkle tree (RFC 6962) over the rows, each salted, so that it confirms no guess of a row',
    }),
    normalized_hash: z
      .string()
      .meta({ description: 'The same for the same inputs in any order; keyed by the service' }),
    tags: z.array(z.string()),
    metadata: z.record(z.string(), JsonValue),
    stored_at: z.iso.datetime(),
    revealed_at: z.iso.datetime().nullable(),
    attempts: z.int().meta({ description: 'Gates on the corpus ever, under all of its names and in all namespaces' }),
    promotions: z.int(),
    alpha: z.number().meta({
      description: 'Probability that any of all attempts ever promotes a candidate that is no better',
    }),
    next_level: z.number().meta({ description: 'The level at which the next attempt tests' }),
    smallest_gain: z.int().nullable().meta({
      description:
        'Rows that the candidate must gain to pass that level when it loses none; null for more than there are',
    }),
    exhausted: z.boolean(),
    residency_note: z.string(),
  })
  .meta({ id: 'Holdout' })

/** Answer of `POST /v1/eval/tenant_holdout`. */
export const StoreHoldoutAnswer = HoldoutView.extend({
  tenant_id: z.string(),
  next: z.string(),
})

/** Answer of `GET /v1/eval/tenant_holdout`. */
export const ListHoldoutsAnswer = z.object({
  tenant_id: z.string(),
  corpora: z.array(HoldoutView),
  count: z.int(),
})

/** Answer of `DELETE /v1/eval/tenant_holdout/{corpus_id}`. */
export const DeleteHoldoutAnswer = z.object({ deleted: z.literal(true), corpus_id: z.string() })

/** A page of the rows of a revealed holdout. */
export const HoldoutRowsAnswer = z.object({
  corpus_id: z.string(),
  salt: z.string().meta({
    description: 'Hexadecimal: a leaf of `corpus_sha256` is the HMAC-SHA256 of the RFC 8785 form of a row under it',
  }),
  rows: z.array(z.object({ input: JsonValue, output: JsonValue }).meta({ id: 'HoldoutRow' })),
  row_count: z.int(),
  next_offset: z.int().nullable(),
})
