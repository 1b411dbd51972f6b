import { sql } from 'kysely'
import type { Operation } from '../../kernel/operation.ts'

/** A namespace with what was observed in it. */
export interface ObservedNamespace {
  readonly namespace: string
  /** Calls of known templates over the last 30 days. */
  readonly pairs: number
}

/** Lists the namespaces that hold captures, by name. */
export async function observedNamespaces(op: Operation): Promise<readonly ObservedNamespace[]> {
  return await op.read((q) =>
    q
      .selectFrom('capture_chains as k')
      .leftJoin('traffic_templates as t', (on) =>
        on.onRef('t.tenant_id', '=', 'k.tenant_id').onRef('t.namespace', '=', 'k.namespace'),
      )
      .select(['k.namespace', sql<number>`coalesce(sum(t.calls), 0)::bigint`.as('pairs')])
      .where('k.tenant_id', '=', op.tenantId)
      .where('k.is_open', '=', true)
      .groupBy('k.namespace')
      .orderBy('k.namespace'),
  )
}

/** Returns the newest concepts that ready compiles made of captures, by the capture. */
export async function promotedTo(op: Operation, captureIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (captureIds.length === 0) return new Map()
  const rows = await op.read((q) =>
    q
      .selectFrom('compile_captures as u')
      .innerJoin('compile_jobs as j', 'j.id', 'u.job_id')
      .select(['u.capture_id as captureId', sql<string>`j.concept_id`.as('conceptId')])
      .where('u.tenant_id', '=', op.tenantId)
      .where('j.status', '=', 'ready')
      .where('j.concept_id', 'is not', null)
      .where(sql<boolean>`u.capture_id = any(${[...captureIds]}::text[])`)
      .orderBy('j.created_at'),
  )
  return new Map(rows.map(({ captureId, conceptId }) => [captureId, conceptId]))
}
