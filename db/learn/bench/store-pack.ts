import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import { newId } from '../../../core/kernel/ids.ts'
import type { Benchmark } from '../../../core/learn/evals/bench/benchmarks.ts'
import type { ReadPack } from '../../../core/learn/evals/bench/packs/read-pack.ts'
import type { Limits } from '../../../core/learn/limits.ts'
import { requireLiveTenant } from '../../accounts/tenants/require-live-tenant.ts'
import { discardUpload, publishUpload } from '../../kernel/blobs/uploads.ts'
import { requireNamespace } from '../../kernel/namespaces/bounds.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { Reader } from '../../kernel/queries/read.ts'
import { stageBytes } from '../../kernel/storage/stage-bytes.ts'
import { inAllNamespaces, lockInTransaction, type Transaction } from '../../kernel/transaction.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { findPack, hashOf, type ShownPack } from './find-pack.ts'

/** A pack to store. */
export interface StorePackInput {
  readonly namespace: string
  readonly benchmark: Benchmark
  readonly name: string
  readonly pack: ReadPack
  readonly limits: Limits
}

/**
 * Stores a pack; the same file again is the pack that is there. Throws `limit_reached`, `storage_allowance_used`, and
 * `insufficient_scope` for a namespace outside of the caller's.
 */
export async function storePack(op: Operation, input: StorePackInput): Promise<ShownPack> {
  const { namespace, benchmark, name, pack, limits } = input
  requireNamespace(op, namespace)
  const known = await findSame(op, op, input)
  if (known !== null) return await findPack(op, known)
  const id = newId('bpk')
  const bytes = { sha256: pack.sha256, sizeBytes: pack.lines.length, read: () => pack.lines }
  const staged = await stageBytes(op, bytes, limits)
  let isStored = false
  try {
    const stored = await op.write(async (tx) => {
      await requireLiveTenant(tx, op.tenantId)
      await lockInTransaction(tx, `bench packs ${op.tenantId}`)
      await inAllNamespaces(tx, 'the limit is of the whole tenant', async () => await requireRoom(tx, op, limits))
      if ((await findSame(tx, op, input)) !== null) return false
      await publishUpload(tx, staged)
      await tx.q
        .insertInto('bench_packs')
        .values({
          id,
          tenant_id: op.tenantId,
          namespace,
          benchmark,
          name,
          file_hash: hashOf(pack.fileSha256),
          question_count: pack.questions,
          size_bytes: pack.lines.length,
          blob_sha256: staged.sha256,
          created_at: op.now(),
        })
        .execute()
      await recordAudit(tx, op, {
        action: 'bench_pack.stored',
        target: id,
        payload: { bench_pack_id: id, benchmark, namespace, questions: pack.questions, file: pack.fileSha256 },
      })
      return true
    })
    isStored = stored
  } finally {
    if (!isStored) await discardUpload(op.db, staged.storageId).catch(() => undefined)
  }
  return await findPack(op, isStored ? id : ((await findSame(op, op, input)) ?? id))
}

async function findSame(
  from: Reader,
  op: Operation,
  { namespace, benchmark, pack }: StorePackInput,
): Promise<string | null> {
  const [same] = await from.read((q) =>
    q
      .selectFrom('bench_packs')
      .select('id')
      .where('tenant_id', '=', op.tenantId)
      .where('namespace', '=', namespace)
      .where('benchmark', '=', benchmark)
      .where('file_hash', '=', hashOf(pack.fileSha256)),
  )
  return same?.id ?? null
}

async function requireRoom(tx: Transaction, { tenantId }: Operation, limits: Limits): Promise<void> {
  const [row] = await tx.read((q) =>
    q.selectFrom('bench_packs').select(q.fn.countAll<number>().as('count')).where('tenant_id', '=', tenantId),
  )
  const most = limits.bench_packs_per_tenant
  if ((row?.count ?? 0) >= most)
    throw ACCOUNTS_ERRORS.limit_reached(`you have ${most} packs already; delete one first`, { details: { max: most } })
}
