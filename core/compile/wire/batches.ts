import { z } from 'zod'
import { BatchId, ConceptId, GivenBatchId, VersionId } from '../../kernel/wire/ids.ts'
import { isGivenRows, type GivenRows } from './given-rows.ts'
import { BATCH_FORMATS, BatchReceipt } from '../../ledger/receipts/batch-receipt.ts'
import { Mapping } from './jobs/mapping.ts'
import { RECEIPT_KINDS } from './artifacts/receipt-kinds.ts'
import { RunTargetFields } from './run.ts'

/** States of a batch. A stopped one can be continued. */
export const BATCH_STATES = ['running', 'stopped', 'done'] as const

/** Inputs of one JSON body; a file may have more. */
export const MOST_INPUTS = 10_000

const BatchFields = RunTargetFields.extend({
  mapping: Mapping.optional().meta({ description: 'How a table is read; only input columns matter' }),
  bare: z.boolean().default(false).meta({
    description:
      'True: items of JSON are the inputs themselves. Else an object with a member `input` or `prompt` stands for that member, unless the recipe takes inputs with such a member',
  }),
  format: z.enum(BATCH_FORMATS).optional().meta({
    description: 'Form of the answer. When absent: as `Accept` says, else CSV for a table and JSON lines for JSON',
  }),
  receipts: z.enum(RECEIPT_KINDS).default('batch').meta({
    description: '`batch`: one receipt for all rows by the root of their Merkle tree. `rows`: a receipt in each row',
  }),
  batch_id: GivenBatchId.optional().meta({ description: 'Continues this batch; send the same input again' }),
  from_row: z.int().min(1).default(1).meta({
    description: 'First row to be sent, counted from 1: the one after the last that the caller has',
  }),
})

function namesOneTarget(body: z.output<typeof BatchFields>): boolean {
  const given = [body.concept_id, body.version_id, body.artifact_cid].filter((id) => id !== undefined)
  return given.length === 1 || (given.length === 0 && body.batch_id !== undefined)
}

const ONE_TARGET = {
  path: ['concept_id'],
  error: 'give exactly one of concept_id, version_id, artifact_cid; a batch that is continued knows its own',
}

const TARGETS = ['concept_id', 'version_id', 'artifact_cid'].map((name) => ({ required: [name] }))
/** The same rule as JSON Schema. */
const ONE_TARGET_SCHEMA = { oneOf: [...TARGETS, { required: ['batch_id'], not: { anyOf: TARGETS } }] }

/** The part `spec` of an upload to `POST /v1/run/batch`. */
export const BatchSpec = BatchFields.refine(namesOneTarget, ONE_TARGET).meta({
  id: 'BatchSpec',
  override: ONE_TARGET_SCHEMA,
})
export type BatchSpec = z.output<typeof BatchSpec>

/** JSON body of `POST /v1/run/batch`. */
export const BatchBody = BatchFields.extend({
  inputs: z.custom<GivenRows>(isGivenRows, { error: 'must be a list of inputs' }).meta({
    description: `At most ${MOST_INPUTS} inputs; a file may have more`,
    override: { type: 'array', maxItems: MOST_INPUTS, items: {}, example: ['Ada Lovelace', 'Grace Hopper'] },
  }),
})
  .refine(namesOneTarget, ONE_TARGET)
  .meta({ id: 'BatchRequest', override: ONE_TARGET_SCHEMA })

/** Parts of a multipart body of `POST /v1/run/batch`, as the reference page shows them. */
export const BatchForm = z.object({
  spec: BatchSpec.meta({ description: 'JSON; comes before the file' }),
  file: z.string().meta({
    description: 'The inputs: `.csv`, `.tsv`, `.jsonl`, `.json` or `.xlsx`',
    override: { type: 'string', contentMediaType: 'application/octet-stream' },
  }),
})

/** Answer of `GET /v1/run/batch/{id}`. */
export const BatchView = z.object({
  id: BatchId,
  state: z.enum(BATCH_STATES).meta({ description: 'A stopped batch can be continued from `settled_rows` + 1' }),
  stop_code: z.string().nullable().meta({ description: 'Code of the error that stopped it' }),
  concept_id: ConceptId,
  version_id: VersionId,
  format: z.enum(BATCH_FORMATS),
  receipts: z.enum(RECEIPT_KINDS),
  rows: z.int(),
  settled_rows: z.int().meta({ description: 'Rows that are charged and need no second charge' }),
  answered: z.int(),
  abstained: z.int(),
  unlike_examples: z.int(),
  errors: z.int(),
  units: z.int().meta({ description: 'Units charged for it' }),
  created_at: z.iso.datetime(),
  receipt: BatchReceipt.nullable().meta({ description: 'Once it is done, with `receipts: "batch"`' }),
})

/** Details of `batch_row_ahead`. */
export const BatchAhead = z.looseObject({ settled_rows: z.int() })

/** Header that names the batch of an answer. */
export const BATCH_ID_HEADER = 'X-Svc-Batch-Id'
/** Header with the number of rows of the batch. */
export const BATCH_ROWS_HEADER = 'X-Svc-Batch-Rows'
/** Header with the number of rows of a table that the batch leaves out: titles above it, and repeated headers. */
export const BATCH_LEFT_OUT_HEADER = 'X-Svc-Batch-Left-Out'
