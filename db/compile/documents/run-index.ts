import type { ErrorCode } from '../../../core/compile/errors.ts'
import type { Modality } from '../../../core/compile/documents/modality.ts'
import type { Sha256 } from '../../../core/kernel/json/json.ts'
import type { Operation } from '../../kernel/operation.ts'
import { notify } from '../../kernel/queries/typed.ts'
import type { Transaction } from '../../kernel/transaction.ts'

/** A file that waits to be indexed. */
export interface WaitingFile {
  readonly place: number
  readonly path: string
  readonly origin: 'upload' | 'workspace'
  readonly blobSha256: Sha256 | null
  readonly sizeBytes: number | null
}

/** The outcome of a file that is not stored as a document. */
export interface FileOutcome {
  readonly state: 'skipped' | 'failed'
  readonly reason: string
  readonly modality: Modality | null
}

/** A call that indexes files, for the one who works on it. */
export interface RunningIndex {
  readonly namespace: string
  readonly force: boolean
  /** The provider's model that the call asked vectors of; null for that of this machine. */
  readonly embeddingModel: string | null
}

/** Records that work has begun. Returns null when the call is over: then no work is left. */
export async function beginIndex(op: Operation, indexId: string): Promise<RunningIndex | null> {
  return await op.write(async (tx) => {
    const [begun] = await tx.q
      .updateTable('document_indexes')
      .set((of) => ({ state: 'running', started_at: of.fn.coalesce('started_at', of.val(op.now())) }))
      .where('id', '=', indexId)
      .where('tenant_id', '=', op.tenantId)
      .where('finished_at', 'is', null)
      .returning(['namespace', 'force', 'embedding_model as embeddingModel'])
      .execute()
    return begun === undefined ? null : { ...begun, embeddingModel: begun.embeddingModel ?? null }
  })
}

/** Records the model that made the vectors, or why there are none. */
export async function noteVectors(
  op: Operation,
  input: { readonly indexId: string; readonly model: string | null; readonly note: string | null },
): Promise<void> {
  await op.write(async (tx) => {
    await tx.q
      .updateTable('document_indexes')
      .set({ embedding_model: input.model, vectors_note: input.note })
      .where('id', '=', input.indexId)
      .where('tenant_id', '=', op.tenantId)
      .execute()
  })
}

/** Returns the next file that waits; null when none does. */
export async function nextFile(op: Operation, indexId: string): Promise<WaitingFile | null> {
  const [file] = await op.read((q) =>
    q
      .selectFrom('document_index_files')
      .select(['place', 'path', 'origin', 'blob_sha256 as blobSha256', 'size_bytes as sizeBytes'])
      .where('index_id', '=', indexId)
      .where('tenant_id', '=', op.tenantId)
      .where('state', '=', 'waiting')
      .orderBy('place')
      .limit(1),
  )
  if (file === undefined) return null
  const { blobSha256 } = file
  return { ...file, blobSha256: isSha256(blobSha256) ? blobSha256 : null }
}

/** Records what became of a file that is not stored, and lets its bytes go. */
export async function concludeFile(
  op: Operation,
  file: { readonly indexId: string; readonly place: number },
  outcome: FileOutcome,
): Promise<void> {
  await op.write(async (tx) => await settleFile(tx, op, file, outcome))
}

/** The same within a transaction, for indexed files too. */
export async function settleFile(
  tx: Transaction,
  { tenantId }: Operation,
  { indexId, place }: { readonly indexId: string; readonly place: number },
  outcome: {
    readonly state: 'indexed' | 'skipped' | 'failed'
    readonly reason: string | null
    readonly modality: Modality | null
  },
): Promise<void> {
  await tx.q
    .updateTable('document_index_files')
    .set({ ...outcome, blob_sha256: null })
    .where('index_id', '=', indexId)
    .where('place', '=', place)
    .where('tenant_id', '=', tenantId)
    .execute()
}

/** Ends a call that indexes files; those that still wait lose their bytes. A no-op for one that is over. */
export async function finishIndex(
  op: Operation,
  input: {
    readonly indexId: string
    readonly failure: { readonly code: ErrorCode; readonly message: string } | null
  },
): Promise<void> {
  const { indexId, failure } = input
  await op.write(async (tx) => {
    const ended = await tx.q
      .updateTable('document_indexes')
      .set({
        state: failure === null ? 'succeeded' : 'failed',
        error_code: failure?.code ?? null,
        error_message: failure?.message ?? null,
        finished_at: op.now(),
      })
      .where('id', '=', indexId)
      .where('tenant_id', '=', op.tenantId)
      .where('finished_at', 'is', null)
      .returning('id')
      .execute()
    if (ended.length === 0) return
    if (failure !== null) {
      await tx.q
        .updateTable('document_index_files')
        .set({ state: 'failed', reason: 'was not reached', blob_sha256: null })
        .where('index_id', '=', indexId)
        .where('tenant_id', '=', op.tenantId)
        .where('state', '=', 'waiting')
        .execute()
    }
    await tx.q.selectNoFrom(notify('svc_jobs', indexId).as('notified')).execute()
  })
}

function isSha256(text: string | null): text is Sha256 {
  return text !== null && text.startsWith('sha256:')
}
