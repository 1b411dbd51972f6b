import { hex } from '../get-capture.ts'
import type { CaptureReader } from '../read-columns.ts'

/** The end of a chain. */
export interface ChainEnd {
  /** Number of its newest row. */
  readonly count: number
  /** Hash of its newest row, hexadecimal. */
  readonly head: string
}

/** Returns the ends of a namespace's chains: those of merged workspaces, and last the open one. */
export async function chainEnds(op: CaptureReader, namespace: string): Promise<readonly ChainEnd[]> {
  const rows = await op.read((q) =>
    q
      .selectFrom('capture_chains')
      .select(['count', 'head'])
      .where('tenant_id', '=', op.tenantId)
      .where('namespace', '=', namespace)
      .where('count', '>', 0)
      .orderBy('is_open')
      .orderBy('id'),
  )
  return rows.map(({ count, head }) => ({ count, head: hex(head) }))
}
