import { sql } from 'kysely'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { Sha256 } from '../../../core/kernel/json/json.ts'
import type { Benchmark } from '../../../core/learn/evals/bench/benchmarks.ts'
import type { Operation } from '../../kernel/operation.ts'
import { newestFirst, type Page, type PageRequest } from '../../kernel/tables/page.ts'

/** A pack as answers show it. */
export type ShownPack = Awaited<ReturnType<typeof findPack>>

const SHOWN = [
  'id',
  'namespace',
  'benchmark',
  'name',
  'question_count as questions',
  'size_bytes as sizeBytes',
  'created_at as createdAt',
] as const
const FILE = sql<Sha256>`'sha256:' || encode(file_hash, 'hex')`.as('fileSha256')
const BLOB = sql<Sha256>`blob_sha256`.as('blob')

/** Returns a pack. Throws `not_found`, also for another tenant's. */
export async function findPack(op: Operation, id: string) {
  const [found] = await op.read((q) =>
    q
      .selectFrom('bench_packs')
      .select(SHOWN)
      .select([FILE, BLOB])
      .where('id', '=', id)
      .where('tenant_id', '=', op.tenantId),
  )
  if (found === undefined) throw KERNEL_ERRORS.not_found('no such pack')
  return found
}

/** Returns the newest pack of a benchmark within a namespace; null without one. */
export async function newestPack(op: Operation, benchmark: Benchmark, namespace: string): Promise<ShownPack | null> {
  const [found] = await op.read((q) =>
    q
      .selectFrom('bench_packs')
      .select(SHOWN)
      .select([FILE, BLOB])
      .where('tenant_id', '=', op.tenantId)
      .where('benchmark', '=', benchmark)
      .where('namespace', '=', namespace)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(1),
  )
  return found ?? null
}

/** Returns the packs of a namespace; their number is bounded by `bench_packs_per_tenant`. */
export async function packsOfNamespace(op: Operation, namespace: string): Promise<readonly ShownPack[]> {
  return await op.read((q) =>
    q
      .selectFrom('bench_packs')
      .select(SHOWN)
      .select([FILE, BLOB])
      .where('tenant_id', '=', op.tenantId)
      .where('namespace', '=', namespace)
      .orderBy('id'),
  )
}

/** Lists packs, newest first. Throws `invalid_cursor`. */
export async function listPacks(op: Operation, input: PageRequest): Promise<Page<ShownPack>> {
  const newest = newestFirst(input)
  const rows = await op.read((q) =>
    newest.take(q.selectFrom('bench_packs').select(SHOWN).select([FILE, BLOB]).where('tenant_id', '=', op.tenantId)),
  )
  return newest.page(rows)
}

/** Returns the bytes of a digest. */
export function hashOf(digest: Sha256): Buffer {
  return Buffer.from(digest.slice('sha256:'.length), 'hex')
}
