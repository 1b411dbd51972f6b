import { boundsOf, inBounds, jobInBounds } from '../../kernel/namespaces/bounds.ts'
import type { Operation } from '../../kernel/operation.ts'

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
/** What lies in no namespace is shown to callers who see all of them. */
const OF_ALL = '$2::text[] is null'

/** Reads what the control center of a tenant holds, the latest first, as far as the caller may see it. */
export async function controlOverview(op: Operation): Promise<ControlOverview> {
  const { db, tenantId } = op
  const namespaces = boundsOf(op)
  const [[counters], sources, destinations, adapters] = await Promise.all([
    db.query<ControlOverview['counters']>(
      `select (select count(*) from control_events
          where tenant_id = $1 and ${inBounds('namespace', 2)}) as events,
         (select count(*) from adapter_manifests where tenant_id = $1 and ${OF_ALL}) as adapters,
         (select count(*) from export_declarations where tenant_id = $1 and ${OF_ALL}) as declarations,
         (select count(*) from compile_jobs where tenant_id = $1 and ${jobInBounds('compile_jobs.id', 2)}) as "compileJobs",
         (select count(*) from artifacts where tenant_id = $1 and ${jobInBounds('artifacts.id', 2)}) as artifacts`,
      [tenantId, namespaces],
    ),
    db.query<SeenSource>(
      `select source_id as "sourceId", namespace, envelope ->> 'channel_family' as "channelFamily", count(*) as events,
         max(at) as "lastSeenAt"
       from control_events where tenant_id = $1 and ${inBounds('namespace', 2)}
       group by 1, 2, 3 order by 5 desc limit ${LISTED}`,
      [tenantId, namespaces],
    ),
    db.query<DeclaredDestination>(
      `select destination_id as "destinationId", destination_class as "destinationClass", count(*) as declarations,
         max(created_at) as "lastDeclaredAt"
       from export_declarations where tenant_id = $1 and ${OF_ALL} group by 1, 2 order by 4 desc limit ${LISTED}`,
      [tenantId, namespaces],
    ),
    db.query<ControlOverview['adapters'][number]>(
      `select adapter_id as "adapterId", version, created_at as "createdAt" from adapter_manifests
       where tenant_id = $1 and ${OF_ALL} order by created_at desc limit ${LISTED}`,
      [tenantId, namespaces],
    ),
  ])
  if (counters === undefined) throw new Error('no counts')
  return { counters, sources, destinations, adapters }
}
