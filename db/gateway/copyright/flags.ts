import { sql } from 'kysely'
import type { CaptureScan } from '../../../core/gateway/captures/copyright/flag.ts'
import { LISTS_VERSION, MOST_HITS } from '../../../core/gateway/captures/copyright/scan.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { CaptureReader } from '../captures/read-columns.ts'
import { json } from '../../kernel/queries/typed.ts'
import type { Transaction } from '../../kernel/transaction.ts'

/** A scanned capture. */
export interface ScannedCapture {
  readonly captureId: string
  readonly tenantId: string
  readonly namespace: string
  readonly scan: CaptureScan
}

/** Writes the flag of a capture that the heuristic suggests to quarantine, and removes that of any other. */
export async function putFlag(
  tx: Pick<Transaction, 'q'>,
  { captureId, tenantId, namespace, scan }: ScannedCapture,
  now: Date,
): Promise<void> {
  if (!scan.isFlagged) {
    await tx.q
      .deleteFrom('copyright_flags')
      .where('capture_id', '=', captureId)
      .where('tenant_id', '=', tenantId)
      .execute()
    return
  }
  const row = {
    scanned_at: now,
    risk: scan.risk,
    input_risk: scan.input.risk,
    output_risk: scan.output.risk,
    hits: json(scan.hits.slice(0, MOST_HITS)),
    hit_count: scan.hits.length,
    version: LISTS_VERSION,
  }
  await tx.q
    .insertInto('copyright_flags')
    .values({ capture_id: captureId, tenant_id: tenantId, namespace, ...row })
    .onConflict((on) => on.column('capture_id').doUpdateSet(row))
    .execute()
}

/** Stores what a scan of one capture found, unless the capture was forgotten meanwhile. */
export async function storeScan(op: Operation, scanned: Omit<ScannedCapture, 'tenantId'>): Promise<void> {
  await op.write(async (tx) => {
    // The lock keeps the capture from being forgotten until the flag is there.
    const live = await tx.q
      .selectFrom('capture_contents')
      .select('id')
      .where('id', '=', scanned.captureId)
      .where('tenant_id', '=', op.tenantId)
      .forShare()
      .execute()
    if (live.length > 0) await putFlag(tx, { ...scanned, tenantId: op.tenantId }, op.now())
  })
}

/** A capture that waits for a review of its copyright. */
export type FlaggedCapture = Awaited<ReturnType<typeof listFlagged>>['captures'][number]

/**
 * Lists flagged captures of a namespace that wait for a review or are in quarantine, newest first; with their number, and
 * that of the tenant's captures that were not scanned yet.
 */
export async function listFlagged(
  op: CaptureReader,
  { namespace, limit }: { readonly namespace: string; readonly limit: number },
) {
  const waiting = sql<boolean>`f.tenant_id = ${op.tenantId} and f.namespace = ${namespace} and c.forgotten_at is null
    and c.status in ('pending', 'quarantined')`
  const [captures, counts, heads] = await op.read((q) => [
    q
      .selectFrom('copyright_flags as f')
      .innerJoin('captures as c', 'c.id', 'f.capture_id')
      .select([
        'f.capture_id as captureId',
        'f.namespace',
        'f.scanned_at as scannedAt',
        'f.risk',
        'f.hits',
        'f.hit_count as hitCount',
        'f.version',
        'c.status',
      ])
      .where(waiting)
      .orderBy('f.capture_id', 'desc')
      .limit(limit),
    q
      .selectFrom('copyright_flags as f')
      .innerJoin('captures as c', 'c.id', 'f.capture_id')
      .select((of) => of.fn.countAll<number>().as('total'))
      .where(waiting),
    q
      .selectFrom('capture_heads')
      .select(sql<number>`greatest(position - scanned, 0)::double precision`.as('unscanned'))
      .where('tenant_id', '=', op.tenantId),
  ])
  return { captures, total: counts[0]?.total ?? 0, unscanned: heads[0]?.unscanned ?? 0 }
}
