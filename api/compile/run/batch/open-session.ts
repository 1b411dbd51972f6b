import type { BatchSpec } from '../../../../core/compile/wire/batches.ts'
import { COMPILE_ERRORS } from '../../../../core/compile/errors.ts'
import type { Limits } from '../../../../core/compile/limits.ts'
import type { IntakeBounds } from '../../../../core/compile/rows/intake/bounds.ts'
import { KERNEL_ERRORS } from '../../../../core/kernel/errors.ts'
import { hashJson, type Sha256 } from '../../../../core/kernel/json/json.ts'
import type { BatchFormat } from '../../../../core/ledger/receipts/batch-receipt.ts'
import { quotaStatus } from '../../../../db/billing/quota/status.ts'
import { quotaExhausted } from '../../../../db/billing/quota/units.ts'
import { findBatch, type BatchName, type FoundBatch } from '../../../../db/compile/batches/find-batch.ts'
import { continueBatch, createBatch } from '../../../../db/compile/batches/open-batch.ts'
import { getBlob } from '../../../../db/kernel/blobs/read-blob.ts'
import { boundsOf } from '../../../../db/kernel/namespaces/bounds.ts'
import type { Operation } from '../../../../db/kernel/operation.ts'
import type { Principal } from '../../../../db/kernel/tenant/principal.ts'
import { quotaOf } from '../../../../core/kernel/tenant/quota-of.ts'
import { claimantOf, idempotencyKeyFrom } from '../../../kernel/guard/idempotency.ts'
import type { ReadableFile } from '../../submit/received-file.ts'
import type { CallFacts } from '../../services.ts'
import { MAX_ARCHIVE_BYTES } from '../../../../db/compile/artifacts/read-archive.ts'
import type { LoadedRecipe } from '../recipe-cache.ts'
import { targetOf } from '../target-of.ts'
import type { BatchRun } from './batch-runs.ts'

/** The call of a batch. */
export type BatchCall = Pick<CallFacts, 'services' | 'request' | 'caller' | 'endOfCall'> & {
  readonly op: Operation
  readonly principal: Principal
}

/** A file that was received, with the digest of its bytes as they were sent. */
export interface SentFile {
  readonly readable: ReadableFile
  readonly hash: Sha256
  /** True for the `inputs` of a JSON body. */
  readonly isInline: boolean
}

/** A batch whose rows can be streamed. */
export interface BatchSession {
  readonly batch: FoundBatch
  readonly recipe: LoadedRecipe
  readonly run: BatchRun
  /** First row to be sent, from 1. */
  readonly fromRow: number
}

/** The bounds of files of a batch: a row is as large as an input of one run. */
export function batchBounds(limits: Limits): IntakeBounds {
  return {
    exampleBytes: limits.run_input_bytes,
    maxRows: limits.run_batch_rows,
    jsonDepth: limits.json_depth,
    maxUnlabelled: 0,
  }
}

/**
 * Opens the file and begins its batch, or continues the one that the call names by its id or Idempotency-Key. Throws
 * `not_found`, also for a batch that is no longer kept, `batch_differs` when the file or its reading is another one,
 * `batch_row_ahead` for a first row that is not settled, `quota_exhausted` when no unit is left, and what makes the file or
 * the recipe unusable. Then nothing is charged.
 */
export async function openSession(call: BatchCall, spec: BatchSpec, sent: SentFile): Promise<BatchSession> {
  const { services, op, principal, caller } = call
  const found = await findNamed(call, spec)
  const target = found === null ? targetOf(spec) : { versionId: found.versionId }
  const recipe = await services.recipes.load(op.tenantId, target, boundsOf(principal))
  if (recipe.recipe.kind === 'lora') await recipe.recipe.runner.ready()
  const { file, read } = sent.readable
  const { format, mapping, sheet } = file
  const run = await services.batches.open(
    {
      file: { format, mapping, sheet, isInline: sent.isInline, isBare: spec.bare },
      shape: { ...recipe.inputs, column: recipe.runnable.inputColumn },
      bounds: batchBounds(services.limits),
      inputBytes: services.limits.run_input_bytes,
      archive:
        recipe.recipe.kind === 'lora'
          ? null
          : await getBlob(services.db, recipe.runnable.archiveSha256, MAX_ARCHIVE_BYTES),
    },
    read,
    caller,
  )
  try {
    const answerFormat = spec.format ?? acceptedFormat(call) ?? defaultFormat(run)
    const request = {
      mapping: JSON.stringify(mapping),
      format: answerFormat,
      receipts: spec.receipts,
      ...(spec.bare && { bare: true }),
    }
    const { rows, ...reading } = run.facts
    const requestHash = hashJson({ ...request, reading })
    // Batches that began in an earlier version have the digest of the request alone.
    const requestHashes = [requestHash, hashJson(request)]
    if (found !== null) {
      requireSame(found, { spec, inputHash: sent.hash, requestHashes, rows, cid: recipe.runnable.cid })
    }
    requireSettled(spec.from_row, found)
    await requireUnits(call, spec.from_row, found)
    const { conceptId, versionId } = recipe.runnable
    const batch =
      found === null
        ? await createBatch(op, {
            conceptId,
            versionId,
            key: keyOf(call),
            inputHash: sent.hash,
            requestHash,
            format: answerFormat,
            receipts: spec.receipts,
            rows,
          })
        : await continueBatch(op, found.id)
    return { batch, recipe, run, fromRow: spec.from_row }
  } catch (error) {
    run.end()
    throw error
  }
}

async function findNamed(call: BatchCall, spec: BatchSpec): Promise<FoundBatch | null> {
  const name: BatchName | null = spec.batch_id === undefined ? keyOf(call) : { id: spec.batch_id }
  const found = name === null ? null : await findBatch(call.op, name)
  if (found !== null) return found
  if (spec.batch_id !== undefined) throw KERNEL_ERRORS.not_found('no such batch')
  if (spec.from_row > 1) {
    throw KERNEL_ERRORS.not_found(
      'from_row: the batch is no longer kept, or the call does not name it by its batch_id or Idempotency-Key; start a new batch at row 1',
    )
  }
  return null
}

function keyOf({ request, principal }: BatchCall): { readonly key: string; readonly credential: string } | null {
  const key = idempotencyKeyFrom(request.headers['idempotency-key'])
  return key === undefined ? null : { key, credential: claimantOf(principal) }
}

function requireSame(
  found: FoundBatch,
  given: {
    readonly spec: BatchSpec
    readonly inputHash: Sha256
    readonly requestHashes: readonly string[]
    readonly rows: number
    readonly cid: string
  },
): void {
  const { spec, inputHash, requestHashes, rows, cid } = given
  const isOther =
    (spec.concept_id !== undefined && spec.concept_id !== found.conceptId) ||
    (spec.version_id !== undefined && spec.version_id !== found.versionId) ||
    (spec.artifact_cid !== undefined && spec.artifact_cid !== cid)
  const differs = isOther
    ? 'another concept, version or CID'
    : found.inputHash !== inputHash
      ? 'another input'
      : !requestHashes.includes(found.requestHash)
        ? 'another reading of the input, by its columns, or another mapping, format, kind of receipts or `bare`'
        : found.rows !== rows
          ? `another reading of the input: it was read as ${found.rows} rows, and is read as ${rows}`
          : null
  if (differs === null) return
  throw COMPILE_ERRORS.batch_differs(
    `the batch ${found.id} was started with ${differs}; send the same again, or start a new one without its id and key`,
    { details: { batch_id: found.id } },
  )
}

function requireSettled(fromRow: number, found: FoundBatch | null): void {
  if (found === null) return
  const settled = found.settledRows
  if (fromRow <= settled + 1) return
  throw COMPILE_ERRORS.batch_row_ahead(
    `from_row: the batch is settled up to row ${settled}; continue at ${settled + 1}`,
    {
      details: { fields: [{ field: 'from_row', message: `must be at most ${settled + 1}` }], settled_rows: settled },
    },
  )
}

/** Settled rows are sent again at no cost, also at the end of the quota. */
async function requireUnits(
  { services, op, principal }: BatchCall,
  fromRow: number,
  found: FoundBatch | null,
): Promise<void> {
  if (found !== null && (fromRow <= found.settledRows || found.settledRows >= found.rows)) return
  const { limits } = services
  const terms = { plan: principal.plan, quota: principal.quota, limits }
  const units = limits.quota_units_per_run
  const { remaining } = await quotaStatus(op, terms)
  if (remaining >= units) return
  const quota = quotaOf(terms, limits)
  throw await quotaExhausted(op, op.tenantId, { what: 'a row', units, quota }, op.now())
}

function acceptedFormat({ request }: BatchCall): BatchFormat | undefined {
  const accept = request.headers.accept ?? ''
  if (/\btext\/csv\b/i.test(accept)) return 'csv'
  return /\bapplication\/(?:x-)?(?:jsonl|ndjson)\b/i.test(accept) ? 'jsonl' : undefined
}

function defaultFormat({ facts }: BatchRun): BatchFormat {
  return facts.format === 'csv' || facts.format === 'sheet' ? 'csv' : 'jsonl'
}
