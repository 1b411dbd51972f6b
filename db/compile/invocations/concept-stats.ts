import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { tokensPerSecond } from '../../../core/compile/runtime/tokens-per-second.ts'
import { requireConceptInBounds } from '../concepts/concept-bounds.ts'
import type { Operation } from '../../kernel/operation.ts'
import { percentile } from './histogram.ts'
import { sql } from 'kysely'

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

const SUMMED = [
  'calls',
  'cache_hits',
  'failures',
  'latency_sum_us',
  'prompt_tokens',
  'new_tokens',
  'generation_us',
] as const

/** How a concept of the tenant is used, over all its versions and all time. Throws `not_found`. */
export async function conceptStats(op: Operation, conceptId: string): Promise<ConceptStats> {
  await requireConceptInBounds(op, op, conceptId)
  const [row] = await op.read((q) =>
    q
      .selectFrom('concepts as c')
      .leftJoinLateral(
        (of) =>
          of
            .selectFrom('invocation_stats as i')
            .select((e) => SUMMED.map((column) => e.fn.sum<number | null>(column).as(column)))
            .select((e) => e.fn.max('i.last_at').as('last_at'))
            .whereRef('i.concept_id', '=', 'c.id')
            .as('s'),
        (on) => on.onTrue(),
      )
      .select(['c.name', 'c.version_count as versions', 's.last_at as lastAt'])
      .select([
        sql<number>`coalesce(s.calls, 0)::bigint`.as('calls'),
        sql<number>`coalesce(s.cache_hits, 0)::bigint`.as('cacheHits'),
        sql<number>`coalesce(s.failures, 0)::bigint`.as('failures'),
        sql<number>`coalesce(s.latency_sum_us, 0)::double precision`.as('latencySumUs'),
        sql<number>`coalesce(s.prompt_tokens, 0)::bigint`.as('promptTokens'),
        sql<number>`coalesce(s.new_tokens, 0)::bigint`.as('newTokens'),
        sql<number>`coalesce(s.generation_us, 0)::double precision`.as('generationUs'),
        sql<readonly number[] | null>`(
          select array_agg(total order by place) from (
            select b.place, sum(b.calls)::double precision as total
            from invocation_stats h, unnest(h.buckets) with ordinality as b(calls, place)
            where h.concept_id = c.id group by b.place
          ) totals)`.as('buckets'),
      ])
      .where('c.id', '=', conceptId)
      .where('c.tenant_id', '=', op.tenantId)
      .where('c.deleted_at', 'is', null),
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

function tokensOf({
  promptTokens,
  newTokens,
  generationUs,
}: Readonly<Record<'promptTokens' | 'newTokens' | 'generationUs', number>>): ConceptStats['tokens'] {
  if (promptTokens === 0) return null
  return { prompt: promptTokens, new: newTokens, perSecond: tokensPerSecond(newTokens, generationUs / 1000) }
}
