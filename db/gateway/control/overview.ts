import { sql } from 'kysely'
import type { CompiledRecords } from '../../../core/gateway/ports.ts'
import { whereAllAreSeen } from '../../kernel/namespaces/within.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { Reader } from '../../kernel/queries/read.ts'

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

/**
 * Reads the contents of a tenant's control center, latest first, as far as the caller may see them; `compiled` counts
 * its compiles and artifacts.
 */
export async function controlOverview(op: Operation, compiled: CompiledRecords<Reader>): Promise<ControlOverview> {
  const { tenantId } = op
  // Rows without a namespace are shown to callers who see all namespaces.
  const isUnbound = whereAllAreSeen(op)
  const reading = op.read((q) => {
    const count = q.fn.countAll<number>().as('count')
    const events = q.selectFrom('control_events').where('tenant_id', '=', tenantId)
    const manifests = q.selectFrom('adapter_manifests').where('tenant_id', '=', tenantId).where(isUnbound)
    const declarations = q.selectFrom('export_declarations').where('tenant_id', '=', tenantId).where(isUnbound)
    return [
      q.selectNoFrom([
        events.select(count).$asScalar().$notNull().as('events'),
        manifests.select(count).$asScalar().$notNull().as('adapters'),
        declarations.select(count).$asScalar().$notNull().as('declarations'),
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
  const [[[counters], sources, destinations, adapters], counts] = await Promise.all([
    reading,
    compiled.count(op, tenantId),
  ])
  if (counters === undefined) throw new Error('no counts')
  return { counters: { ...counters, ...counts }, sources, destinations, adapters }
}
