import { hex } from '../../../gateway/captures/get-capture.ts'
import type { Operation } from '../../../kernel/operation.ts'
import type { Reader } from '../../../kernel/queries/read.ts'

/** Uses that are read at once. */
const BATCH = 5000

/** A capture that a job learned from, with its place in its chain. */
export interface CaptureUse {
  readonly id: string
  readonly seq: number
  /** Hexadecimal. */
  readonly chainHash: string
}

/**
 * Yields the captures whose examples a job has, in the order of their ids: not those that were erased, and not those that only
 * the adapters behind its distillation learned from.
 */
export async function* readUses(
  from: Reader,
  { tenantId, jobId }: { readonly tenantId: string; readonly jobId: string },
): AsyncGenerator<CaptureUse> {
  for (let after = ''; ;) {
    const rows = await from.read((q) =>
      q
        .selectFrom('compile_captures')
        .select(['capture_id as id', 'seq', 'chain_hash as chainHash'])
        .where('tenant_id', '=', tenantId)
        .where('job_id', '=', jobId)
        .where('erased_at', 'is', null)
        .where('capture_id', '>', after)
        .orderBy('capture_id')
        .limit(BATCH),
    )
    for (const { id, seq, chainHash } of rows) yield { id, seq, chainHash: hex(chainHash) }
    const last = rows.at(-1)
    if (last === undefined || rows.length < BATCH) return
    after = last.id
  }
}

/** Returns the ids of a job's examples whose captures were forgotten. */
export async function forgottenExamples(op: Operation, jobId: string): Promise<ReadonlySet<string>> {
  const rows = await op.read((q) =>
    q
      .selectFrom('compile_captures')
      .select('capture_id as id')
      .where('tenant_id', '=', op.tenantId)
      .where('job_id', '=', jobId)
      .where('forgotten_at', 'is not', null),
  )
  return new Set(rows.map(({ id }) => id))
}
