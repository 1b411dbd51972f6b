import { namespacesOf } from '../../core/tenancy/scopes.ts'
import type { Operation } from '../operation.ts'

/** A source as it has been seen. */
export interface SeenSource {
  readonly sourceId: string
  readonly namespace: string
  readonly channelFamily: string
  readonly events: number
  readonly lastSeenAt: Date
}

/** A destination as it was declared. */
export interface DeclaredDestination {
  readonly destinationId: string
  readonly destinationClass: string
  readonly declarations: number
  readonly lastDeclaredAt: Date
}

/** What the control center of a tenant holds. */
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

/** Reads what the control center of a tenant holds, the latest first; of events those that the caller may see. */
export async function controlOverview(op: Operation): Promise<ControlOverview> {
  const { db, tenantId } = op
  const namespaces = namespacesOf(op.scopes ?? [])
  const [[counters], sources, destinations, adapters] = await Promise.all([
    db.query<ControlOverview['counters']>(
      `select (select count(*) from control_events
          where tenant_id = $1 and ($2::text[] is null or namespace = any($2))) as events,
         (select count(*) from adapter_manifests where tenant_id = $1) as adapters,
         (select count(*) from export_declarations where tenant_id = $1) as declarations,
         (select count(*) from compile_jobs where tenant_id = $1) as "compileJobs",
         (select count(*) from artifacts where tenant_id = $1) as artifacts`,
      [tenantId, namespaces],
    ),
    db.query<SeenSource>(
      `select source_id as "sourceId", namespace, envelope ->> 'channel_family' as "channelFamily", count(*) as events,
         max(at) as "lastSeenAt"
       from control_events where tenant_id = $1 and ($3::text[] is null or namespace = any($3))
       group by 1, 2, 3 order by 5 desc limit $2`,
      [tenantId, LISTED, namespaces],
    ),
    db.query<DeclaredDestination>(
      `select destination_id as "destinationId", destination_class as "destinationClass", count(*) as declarations,
         max(created_at) as "lastDeclaredAt"
       from export_declarations where tenant_id = $1 group by 1, 2 order by 4 desc limit $2`,
      [tenantId, LISTED],
    ),
    db.query<ControlOverview['adapters'][number]>(
      `select adapter_id as "adapterId", version, created_at as "createdAt" from adapter_manifests
       where tenant_id = $1 order by created_at desc limit $2`,
      [tenantId, LISTED],
    ),
  ])
  if (counters === undefined) throw new Error('no counts')
  return { counters, sources, destinations, adapters }
}
