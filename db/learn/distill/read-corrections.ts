import { sql } from 'kysely'
import type { Operation } from '../../kernel/operation.ts'

/** Corrections of a namespace that one run reads at most, the newest. */
export const MOST_CORRECTIONS = 10_000

/** Lists the captures of a namespace whose answer a reviewer corrected, newest first. */
export async function listCorrected(op: Operation, namespace: string): Promise<readonly string[]> {
  return [...(await readRejected(op, namespace)).keys()]
}

/** Reads what was answered where a reviewer corrected it, by the id of the capture. Forgotten captures are none of them. */
export async function readRejected(op: Operation, namespace: string): Promise<ReadonlyMap<string, string>> {
  const rows = await op.read((q) =>
    q
      .selectFrom('captures as c')
      .innerJoin('capture_contents as x', 'x.id', 'c.id')
      .select(['c.id', sql<string>`x.response`.as('answered')])
      .where('c.tenant_id', '=', op.tenantId)
      .where('c.namespace', '=', namespace)
      .where('c.status', '=', 'approved')
      .where('c.forgotten_at', 'is', null)
      .where('x.fixed_output', 'is not', null)
      .where('x.response', 'is not', null)
      .where(sql<boolean>`x.response <> x.fixed_output`)
      .orderBy('c.id', 'desc')
      .limit(MOST_CORRECTIONS),
  )
  return new Map(rows.map(({ id, answered }) => [id, answered]))
}
