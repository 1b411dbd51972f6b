import { sql } from 'kysely'
import { whereAllAreSeen } from '../../kernel/namespaces/within.ts'
import type { Operation } from '../../kernel/operation.ts'

/** A source, as observed. */
export interface SeenSource {
  readonly sourceId: string
  readonly namespace: string
  readonly channelFamily: string
  readonly events: number
  readonly lastSeenAt: Date
}

/** A destination, as declared. */
export interface DeclaredDestination {
  readonly destinationId: string
  readonly destinationClass: string
  readonly declarations: number
  readonly lastDeclaredAt: Date
}

/** Contents of a tenant's control center. */
export interface ControlOverview {
  readonly counters: {
    readonly events: number
    readonly adapters: number
    readonly declarations: number
    readonly compileJobs: number
    readonly artifacts: number
  }
  readonly sources: readonly SeenSource[]
  readonly destinations: readonly DeclaredDestination[]
  readonly adapters: readonly { readonly adapterId: string; readonly version: string; readonly createdAt: Date }[]
}

/** Most entries of each list. */
const LISTED = 100

/** Reads the contents of a tenant's control center, latest first, as far as the caller may see them. */
export async function controlOverview(op: Operation): Promise<ControlOverview> {
  const { tenantId } = op
  // Rows without a namespace are shown to callers who see all namespaces.
  const isUnbound = whereAllAreSeen(op)
  const [[counters], sources, destinations, adapters] = await op.read((q) => {
    const count = q.fn.countAll<number>().as('count')
    const events = q.selectFrom('control_events').where('tenant_id', '=', tenantId)
    const manifests = q.selectFrom('adapter_manifests').where('tenant_id', '=', tenantId).where(isUnbound)
    const declarations = q.selectFrom('export_declarations').where('tenant_id', '=', tenantId).where(isUnbound)
    const jobs = q.selectFrom('compile_jobs').where('tenant_id', '=', tenantId)
    const artifacts = q.selectFrom('artifacts').where('tenant_id', '=', tenantId)
    return [
      q.selectNoFrom([
        events.select(count).$asScalar().$notNull().as('events'),
        manifests.select(count).$asScalar().$notNull().as('adapters'),
        declarations.select(count).$asScalar().$notNull().as('declarations'),
        jobs.select(count).$asScalar().$notNull().as('compileJobs'),
        artifacts.select(count).$asScalar().$notNull().as('artifacts'),
      ]),
      events
        .select([
          'source_id as sourceId',
          'namespace',
          sql<string>`envelope ->> 'channel_family'`.as('channelFamily'),
          q.fn.countAll<number>().as('events'),
          sql<Date>`max(at)`.as('lastSeenAt'),
        ])
        .groupBy(['source_id', 'namespace', sql`envelope ->> 'channel_family'`])
        .orderBy('lastSeenAt', 'desc')
        .limit(LISTED),
      declarations
        .select([
          'destination_id as destinationId',
          'destination_class as destinationClass',
          q.fn.countAll<number>().as('declarations'),
          sql<Date>`max(created_at)`.as('lastDeclaredAt'),
        ])
        .groupBy(['destination_id', 'destination_class'])
        .orderBy('lastDeclaredAt', 'desc')
        .limit(LISTED),
      manifests
        .select(['adapter_id as adapterId', 'version', 'created_at as createdAt'])
        .orderBy('created_at', 'desc')
        .limit(LISTED),
    ]
  })
  if (counters === undefined) throw new Error('no counts')
  return { counters, sources, destinations, adapters }
}
