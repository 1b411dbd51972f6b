import type { CaptureReader } from '../read-columns.ts'

/** Returns how many captures a namespace has had; forgotten and removed ones count. */
export async function chainLength(op: CaptureReader, namespace: string): Promise<number> {
  const rows = await op.read((q) =>
    q
      .selectFrom('capture_chains')
      .select('count')
      .where('tenant_id', '=', op.tenantId)
      .where('namespace', '=', namespace),
  )
  return rows.reduce((sum, { count }) => sum + count, 0)
}
