import { sql } from 'kysely'
import { readyAllowlist, type Allowlist } from '../../../core/gateway/captures/copyright/allowlist.ts'
import { scanCapture } from '../../../core/gateway/captures/copyright/flag.ts'
import { SCANNED_CHARS } from '../../../core/gateway/captures/copyright/scan.ts'
import type { Database } from '../../kernel/database.ts'
import { service } from '../../kernel/queries/service.ts'
import { readAllowances } from '../copyright/allowlist.ts'
import { putFlag } from '../copyright/flags.ts'

/** Tenants that are looked up at once. */
const BATCH = 200
/** Captures that one transaction scans: their locks hold up those who forget them. */
const SCANNED = 50
const WHY = 'captures are scanned for all tenants'

/**
 * Runs the copyright heuristic over new captures, until all are scanned or the signal is aborted. Tenants take turns. Of
 * captures whose content is in a blob it reads the beginning that the row has. Returns how many captures it passed.
 */
export async function scanNewCaptures(db: Database, now: Date, signal: AbortSignal): Promise<number> {
  let scanned = 0
  for (let some = 1; some > 0 && !signal.aborted;) {
    some = 0
    const heads = await service.read(db, WHY, (q) =>
      q
        .selectFrom('capture_heads')
        .select(['tenant_id as tenantId', 'scanned', 'position'])
        .whereRef('scanned', '<', 'position')
        .orderBy('tenant_id')
        .limit(BATCH),
    )
    for (const { tenantId, scanned: from, position } of heads) {
      if (signal.aborted) break
      const to = Math.min(position, from + SCANNED)
      const allowlist = readyAllowlist(await readAllowances(service.reader(db, WHY), tenantId))
      await scanSome(db, { tenantId, from, to, allowlist, now })
      some += to - from
    }
    scanned += some
  }
  return scanned
}

async function scanSome(
  db: Database,
  input: {
    readonly tenantId: string
    readonly from: number
    readonly to: number
    readonly allowlist: Allowlist
    readonly now: Date
  },
): Promise<void> {
  const { tenantId, from, to, allowlist, now } = input
  await service.write(db, WHY, async (tx) => {
    const rows = await tx.q
      .selectFrom('captures as c')
      .innerJoin('capture_contents as x', 'x.id', 'c.id')
      .select(['c.id', 'c.namespace'])
      .select([
        sql<string>`left(x.prompt, ${sql.lit(SCANNED_CHARS)})`.as('prompt'),
        sql<string>`left(x.response, ${sql.lit(SCANNED_CHARS)})`.as('response'),
      ])
      .where('c.tenant_id', '=', tenantId)
      .where('c.position', '>', from)
      .where('c.position', '<=', to)
      // Keeps a capture from being forgotten until its flag is there.
      .forShare('x')
      .execute()
    for (const { id: captureId, namespace, ...texts } of rows) {
      const scan = scanCapture(texts, allowlist)
      if (scan.isFlagged) await putFlag(tx, { captureId, tenantId, namespace, scan }, now)
    }
  })
  // Behind the flags and not with them: forgetting locks the head first.
  await service.send(db, WHY, (q) =>
    q
      .updateTable('capture_heads')
      .set({ scanned: sql<number>`greatest(scanned, ${to}::bigint)` })
      .where('tenant_id', '=', tenantId),
  )
}
