import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import type { Limits } from '../../../core/compile/limits.ts'
import { Index } from '../../../core/compile/workflows.ts'
import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import { newId } from '../../../core/kernel/ids.ts'
import { requireLiveTenant } from '../../accounts/tenants/require-live-tenant.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { publishUpload, type StagedBlob } from '../../kernel/blobs/uploads.ts'
import { requireNamespace } from '../../kernel/namespaces/bounds.ts'
import type { Operation } from '../../kernel/operation.ts'
import { requestStart } from '../../kernel/outbox/request-start.ts'
import { inAllNamespaces, lockInTransaction, type Transaction } from '../../kernel/transaction.ts'

/** A file to index: of the workspace, or uploaded and staged. */
export interface FileToIndex {
  readonly path: string
  readonly staged: StagedBlob | null
}

/** A call that indexes files, as validated. */
export interface CreateIndexInput {
  readonly namespace: string
  readonly force: boolean
  /** The provider's model that vectors are asked of; null for that of this machine. */
  readonly embeddingModel: string | null
  readonly files: readonly FileToIndex[]
  readonly limits: Limits
}

/**
 * Accepts files: the call, its files, the request for its workflow and the audit row in one transaction. Returns its id.
 * Throws `too_many_running_jobs`, `limit_reached` for too many documents, `insufficient_scope` for a namespace outside of
 * the caller's, and `invalid_credential` when the tenant is deleted.
 */
export async function createIndex(op: Operation, input: CreateIndexInput): Promise<string> {
  const { namespace, force, embeddingModel, files, limits } = input
  requireNamespace(op, namespace)
  const id = newId('idx')
  await op.write(async (tx) => {
    await requireLiveTenant(tx, op.tenantId)
    await lockInTransaction(tx, `indexes ${op.tenantId}`)
    await inAllNamespaces(tx, 'the limits are of the whole tenant', async () => await requireRoom(tx, op, limits))
    for (const { staged } of files) if (staged !== null) await publishUpload(tx, staged)
    const now = op.now()
    await tx.q
      .insertInto('document_indexes')
      .values({
        id,
        tenant_id: op.tenantId,
        namespace,
        state: 'queued',
        force,
        embedding_model: embeddingModel,
        vectors_note: embeddingModel === null ? null : notYet(embeddingModel),
        created_at: now,
      })
      .execute()
    await tx.q
      .insertInto('document_index_files')
      .values(
        files.map(({ path, staged }, place) => ({
          index_id: id,
          place,
          tenant_id: op.tenantId,
          namespace,
          path,
          origin: staged === null ? ('workspace' as const) : ('upload' as const),
          state: 'waiting' as const,
          size_bytes: staged?.sizeBytes ?? null,
          blob_sha256: staged?.sha256 ?? null,
        })),
      )
      .execute()
    await requestStart(tx, Index, { indexId: id, tenantId: op.tenantId, files: files.length })
    await recordAudit(tx, op, {
      action: 'documents.indexed',
      target: id,
      payload: { index_id: id, namespace, files: files.length },
    })
  })
  return id
}

/** The note of vectors that a provider is still to be asked for: that happens within calls only. */
function notYet(model: string): string {
  return `${model} has not given all vectors yet: words alone are compared; send the call again to go on`
}

async function requireRoom(tx: Transaction, { tenantId }: Operation, limits: Limits): Promise<void> {
  const [running, kept] = await tx.read((q) => [
    q
      .selectFrom('document_indexes')
      .select(q.fn.countAll<number>().as('count'))
      .where('tenant_id', '=', tenantId)
      .where('finished_at', 'is', null),
    q.selectFrom('documents').select(q.fn.countAll<number>().as('count')).where('tenant_id', '=', tenantId),
  ])
  const max = limits.unfinished_indexes_per_tenant
  if ((running[0]?.count ?? 0) >= max) {
    throw COMPILE_ERRORS.too_many_running_jobs(`${max} calls that index files are under way already`, {
      details: { running: running[0]?.count ?? 0, max },
      retryAfterS: 5,
    })
  }
  const most = limits.documents_per_tenant
  if ((kept[0]?.count ?? 0) >= most) {
    throw ACCOUNTS_ERRORS.limit_reached(`you have ${most} documents already; delete some first`, {
      details: { max: most },
    })
  }
}
