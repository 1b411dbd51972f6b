import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { tokensPerSecond } from '../../../core/compile/runtime/tokens-per-second.ts'
import { requireConceptInBounds } from '../concepts/concept-bounds.ts'
import type { Operation } from '../../kernel/operation.ts'
import { percentile } from './histogram.ts'

/** How a concept is used. */
export interface ConceptStats {
  readonly conceptId: string
  readonly name: string
  readonly versions: number
  readonly invocations: number
  /** Share of the calls, 0 to 1; 0 without calls. */
  readonly cacheHitRate: number
  readonly errorRate: number
  /** Over the calls that were no cache hits, microseconds; null without such calls. */
  readonly latencyUs: {
    readonly p50: number | null
    readonly p95: number | null
    readonly p99: number | null
    readonly avg: number | null
  }
  /** What its adapters generated; null when they generated nothing. */
  readonly tokens: {
    readonly prompt: number
    readonly new: number
    /** New tokens per second of the answers' own time. */
    readonly perSecond: number
  } | null
  readonly lastInvokedAt: Date | null
}

interface StatsRow {
  readonly name: string
  readonly versions: number
  readonly calls: number
  readonly cacheHits: number
  readonly failures: number
  readonly latencySumUs: number
  readonly promptTokens: number
  readonly newTokens: number
  readonly generationUs: number
  readonly lastAt: Date | null
  readonly buckets: readonly number[] | null
}

/** How a concept of the tenant is used, over all its versions and all time. Throws `not_found`. */
export async function conceptStats(op: Operation, conceptId: string): Promise<ConceptStats> {
  await requireConceptInBounds(op, op, conceptId)
  const [row] = await op.db.query<StatsRow>(
    `select c.name, c.version_count as versions, coalesce(s.calls, 0)::bigint as calls,
       coalesce(s.cache_hits, 0)::bigint as "cacheHits", coalesce(s.failures, 0)::bigint as failures,
       coalesce(s.latency_sum_us, 0)::double precision as "latencySumUs",
       coalesce(s.prompt_tokens, 0)::bigint as "promptTokens", coalesce(s.new_tokens, 0)::bigint as "newTokens",
       coalesce(s.generation_us, 0)::double precision as "generationUs", s.last_at as "lastAt", h.buckets
     from concepts c
     left join lateral (
       select sum(calls) as calls, sum(cache_hits) as cache_hits, sum(failures) as failures,
         sum(latency_sum_us) as latency_sum_us, sum(prompt_tokens) as prompt_tokens, sum(new_tokens) as new_tokens,
         sum(generation_us) as generation_us, max(last_at) as last_at
       from invocation_stats where concept_id = c.id
     ) s on true
     left join lateral (
       select array_agg(total order by place) as buckets from (
         select b.place, sum(b.calls)::double precision as total
         from invocation_stats i, unnest(i.buckets) with ordinality as b(calls, place)
         where i.concept_id = c.id group by b.place
       ) totals
     ) h on true
     where c.id = $1 and c.tenant_id = $2 and c.deleted_at is null`,
    [conceptId, op.tenantId],
  )
  if (row === undefined) throw KERNEL_ERRORS.not_found('no such concept')
  const buckets = row.buckets ?? []
  const measured = row.calls - row.cacheHits
  return {
    conceptId,
    name: row.name,
    versions: row.versions,
    invocations: row.calls,
    cacheHitRate: row.calls === 0 ? 0 : row.cacheHits / row.calls,
    errorRate: row.calls === 0 ? 0 : row.failures / row.calls,
    latencyUs: {
      p50: percentile(buckets, 0.5),
      p95: percentile(buckets, 0.95),
      p99: percentile(buckets, 0.99),
      avg: measured === 0 ? null : Math.round(row.latencySumUs / measured),
    },
    tokens: tokensOf(row),
    lastInvokedAt: row.lastAt,
  }
}

function tokensOf({ promptTokens, newTokens, generationUs }: StatsRow): ConceptStats['tokens'] {
  if (promptTokens === 0) return null
  return { prompt: promptTokens, new: newTokens, perSecond: tokensPerSecond(newTokens, generationUs / 1000) }
}
