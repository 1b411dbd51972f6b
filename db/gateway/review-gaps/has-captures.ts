import type { CaptureReader } from '../captures/read-columns.ts'

/** Returns whether anything was captured in a namespace. */
export async function hasCaptures(op: CaptureReader, namespace: string): Promise<boolean> {
  const rows = await op.read((q) =>
    q
      .selectFrom('captures')
      .select('id')
      .where('tenant_id', '=', op.tenantId)
      .where('namespace', '=', namespace)
      .limit(1),
  )
  return rows.length > 0
}
