import { sql } from 'kysely'
import { currentOwners } from '../../accounts/across/current-owners.ts'
import type { Database } from '../../kernel/database.ts'
import { service } from '../../kernel/queries/service.ts'
import type { Queries } from '../../kernel/queries/typed.ts'
import { ADD_TO_HOUR, addToStored } from '../invocations/add-to-hour.ts'
import { totalsOf, type HourCounts, type TenantCounts } from '../invocations/hour-counts.ts'

interface Counts {
  readonly tenant_id: string
  readonly calls: number
  readonly cache_hits: number
  readonly failures: number
  readonly latency_sum_us: number
  readonly buckets: number[]
}

interface Hour extends Counts {
  readonly version_id: string
  readonly hour: Date
  readonly concept_id: string
  readonly prompt_tokens: number
  readonly new_tokens: number
  readonly generation_us: number
  readonly last_at: Date
}

const COUNTS = ['calls', 'cache_hits', 'failures', 'latency_sum_us'] as const
const HOUR = [
  'version_id',
  'hour',
  'tenant_id',
  'concept_id',
  ...COUNTS,
  'buckets',
  'prompt_tokens',
  'new_tokens',
  'generation_us',
  'last_at',
] as const

/**
 * Adds the counts of this process to the stored sums by hour and in total, one statement for both, in the order of their
 * keys so that two processes never deadlock. Calls of a removed version count in the total. The hours of a merged
 * workspace go to its owner; its totals stay with it.
 */
export async function writeCalls(db: Database, counts: readonly HourCounts[]): Promise<void> {
  await service.write(db, 'a process writes the calls of all tenants', async (tx) => {
    const ids = counts.map(({ tenantId }) => tenantId)
    const owners = await currentOwners(tx, ids)
    const owned = counts.map((hour) => ({ ...hour, tenantId: owners.get(hour.tenantId) ?? hour.tenantId }))
    await addCalls(tx.q, owned, totalsOf(counts)).execute()
  })
}

function addCalls(q: Queries, counts: readonly HourCounts[], tenants: readonly TenantCounts[]) {
  const hours = sql<Hour>`json_to_recordset(${JSON.stringify(counts.map(hourOf))}::json)`.as<'r'>(
    sql`r(version_id text, hour timestamptz, tenant_id text, concept_id text, calls bigint, cache_hits bigint,
      failures bigint, latency_sum_us bigint, buckets integer[], prompt_tokens bigint, new_tokens bigint,
      generation_us bigint, last_at timestamptz)`,
  )
  const totals = sql<Counts>`json_to_recordset(${JSON.stringify(tenants.map(countsOf))}::json)`.as<'r'>(
    sql`r(tenant_id text, calls bigint, cache_hits bigint, failures bigint, latency_sum_us bigint, buckets bigint[])`,
  )
  return q
    .with('by_hour', (of) =>
      of
        .insertInto('invocation_stats')
        .columns(HOUR)
        .expression((from) =>
          from
            .selectFrom(hours)
            .innerJoin('versions as v', 'v.id', 'r.version_id')
            .select(HOUR.map((column) => `r.${column}` as const))
            .orderBy('r.version_id')
            .orderBy('r.hour'),
        )
        .onConflict((on) => on.columns(['version_id', 'hour']).doUpdateSet(ADD_TO_HOUR)),
    )
    .insertInto('call_totals')
    .columns(['tenant_id', ...COUNTS, 'buckets'])
    .expression((from) =>
      from
        .selectFrom(totals)
        .innerJoin('tenants as t', 't.id', 'r.tenant_id')
        .select(['r.tenant_id', ...COUNTS, 'buckets'])
        .orderBy('t.id'),
    )
    .onConflict((on) => on.column('tenant_id').doUpdateSet(addToStored('call_totals')))
}

function countsOf({ tenantId, calls, cacheHits, failures, latencySumUs, buckets }: TenantCounts): Counts {
  return { tenant_id: tenantId, calls, cache_hits: cacheHits, failures, latency_sum_us: latencySumUs, buckets }
}

function hourOf(hour: HourCounts): Hour {
  return {
    ...countsOf(hour),
    version_id: hour.versionId,
    hour: hour.hour,
    concept_id: hour.conceptId,
    prompt_tokens: hour.promptTokens,
    new_tokens: hour.newTokens,
    generation_us: hour.generationUs,
    last_at: hour.lastAt,
  }
}
