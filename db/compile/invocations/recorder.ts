import type { Database } from '../../kernel/database.ts'
import { createCallSums, type MeteredEvent } from '../../billing/usage/call-sums.ts'
import type { ChargedTo } from '../../billing/usage/charged-to.ts'
import { recordUsageOfAll } from '../../billing/across/record-calls.ts'
import { addedBuckets, ADD_TO_HOUR } from './add-to-hour.ts'
import { BUCKETS, bucketOf, countsByBound } from './histogram.ts'

/** One call of a version. */
export interface Invocation {
  readonly tenantId: string
  readonly conceptId: string
  readonly versionId: string
  readonly latencyUs: number
  readonly isCacheHit: boolean
  readonly isFailed: boolean
  /** What a generated answer took. */
  readonly usage?: GeneratedTokens | null
  /** What it took from the quota, and whom that is put down to; absent for calls that cost nothing. */
  readonly charge?: { readonly units: number; readonly to: ChargedTo }
}

/** Tokens of a generated answer, and the time from the first work on it. */
export interface GeneratedTokens {
  readonly promptTokens: number
  readonly newTokens: number
  readonly generationMs: number
}

/** Counts calls and events in memory and writes the sums down about once a second. */
export interface InvocationRecorder {
  record(invocation: Invocation): void
  /** Counts an event that was taken in. */
  recordEvent(event: MeteredEvent): void
  flush(): Promise<void>
  close(): Promise<void>
}

interface HourCounts {
  readonly tenantId: string
  readonly conceptId: string
  readonly versionId: string
  readonly hour: Date
  calls: number
  cacheHits: number
  failures: number
  latencySumUs: number
  readonly buckets: number[]
  promptTokens: number
  newTokens: number
  generationUs: number
  lastAt: Date
}

const FLUSH_MS = 1000
const HOUR_MS = 3_600_000

/**
 * Opens the recorder of this process. A call costs a few additions; a crash loses at most the last second of them.
 * What cannot be written while the database is away is kept and written later.
 */
export function createInvocationRecorder(deps: {
  readonly db: Database
  readonly now?: () => Date
}): InvocationRecorder {
  const { db, now = () => new Date() } = deps
  let counts = new Map<string, HourCounts>()
  const sums = createCallSums()
  let flushing: Promise<void> = Promise.resolve()

  const writeHours = async (): Promise<void> => {
    if (counts.size === 0) return
    const batch = counts
    counts = new Map()
    try {
      await writeCounts(db, [...batch.values()])
    } catch (error) {
      for (const [name, older] of batch) {
        const newer = counts.get(name)
        if (newer === undefined) counts.set(name, older)
        else merge(newer, older)
      }
      throw error
    }
  }
  const writeDays = async (): Promise<void> => {
    const batch = sums.drain()
    try {
      await recordUsageOfAll(db, batch.rows)
    } catch (error) {
      batch.putBack()
      throw error
    }
  }
  const write = async (): Promise<void> => {
    await writeHours()
    await writeDays()
  }
  const flush = async (): Promise<void> => {
    flushing = flushing.catch(() => {}).then(write)
    await flushing
  }
  const timer = setInterval(() => {
    flush().catch(() => {})
  }, FLUSH_MS)
  timer.unref()

  return {
    record({ tenantId, conceptId, versionId, latencyUs, isCacheHit, isFailed, usage, charge }) {
      const at = now()
      const hourMs = at.getTime() - (at.getTime() % HOUR_MS)
      const name = `${versionId} ${hourMs}`
      let hour = counts.get(name)
      if (hour === undefined) {
        hour = {
          tenantId,
          conceptId,
          versionId,
          hour: new Date(hourMs),
          calls: 0,
          cacheHits: 0,
          failures: 0,
          latencySumUs: 0,
          buckets: Array.from({ length: BUCKETS }, () => 0),
          promptTokens: 0,
          newTokens: 0,
          generationUs: 0,
          lastAt: at,
        }
        counts.set(name, hour)
      }
      hour.calls++
      hour.lastAt = at
      if (isFailed) hour.failures++
      if (isCacheHit) hour.cacheHits++
      else {
        const bucket = bucketOf(latencyUs)
        hour.buckets[bucket] = (hour.buckets[bucket] ?? 0) + 1
        hour.latencySumUs += Math.round(latencyUs)
      }
      if (usage) {
        hour.promptTokens += usage.promptTokens
        hour.newTokens += usage.newTokens
        hour.generationUs += Math.round(usage.generationMs * 1000)
      }
      if (charge) {
        const { promptTokens = 0, newTokens = 0 } = usage ?? {}
        sums.add({ tenantId, chargedTo: charge.to, units: charge.units, latencyUs, promptTokens, newTokens }, at)
      }
    },
    recordEvent: (event) => sums.addEvent(event, now()),
    flush,
    async close() {
      clearInterval(timer)
      await flush()
    },
  }
}

function merge(into: HourCounts, older: HourCounts): void {
  into.calls += older.calls
  into.cacheHits += older.cacheHits
  into.failures += older.failures
  into.latencySumUs += older.latencySumUs
  into.promptTokens += older.promptTokens
  into.newTokens += older.newTokens
  into.generationUs += older.generationUs
  for (const [bucket, count] of older.buckets.entries()) into.buckets[bucket] = (into.buckets[bucket] ?? 0) + count
}

interface TenantCounts {
  readonly tenantId: string
  calls: number
  cacheHits: number
  failures: number
  latencySumUs: number
  readonly buckets: number[]
}

/** The same calls by tenant. */
function totalsOf(hours: readonly HourCounts[]): readonly TenantCounts[] {
  const totals = new Map<string, TenantCounts>()
  for (const { tenantId, calls, cacheHits, failures, latencySumUs, buckets } of hours) {
    const counts = countsByBound(buckets)
    const total = totals.get(tenantId)
    if (total === undefined) {
      totals.set(tenantId, { tenantId, calls, cacheHits, failures, latencySumUs, buckets: counts })
      continue
    }
    total.calls += calls
    total.cacheHits += cacheHits
    total.failures += failures
    total.latencySumUs += latencySumUs
    for (const [place, count] of counts.entries()) total.buckets[place] = (total.buckets[place] ?? 0) + count
  }
  return [...totals.values()]
}

/**
 * Adds the counts to what is stored by hour and in all, one statement for both, in the order of their keys so that no two
 * lock crosswise. Calls of what is gone by now count in all.
 */
async function writeCounts(db: Database, hours: readonly HourCounts[]): Promise<void> {
  const rows = hours.map((hour) => ({ ...hour, buckets: undefined, histogram: hour.buckets }))
  await db.query(
    `with by_hour as (
       insert into invocation_stats as s (version_id, hour, tenant_id, concept_id, calls, cache_hits, failures,
         latency_sum_us, buckets, prompt_tokens, new_tokens, generation_us, last_at)
       select r."versionId", r.hour, r."tenantId", r."conceptId", r.calls, r."cacheHits", r.failures, r."latencySumUs",
         r.histogram, r."promptTokens", r."newTokens", r."generationUs", r."lastAt"
       from json_to_recordset($1::json) as r("versionId" text, hour timestamptz, "tenantId" text, "conceptId" text,
         calls bigint, "cacheHits" bigint, failures bigint, "latencySumUs" bigint, histogram integer[],
         "promptTokens" bigint, "newTokens" bigint, "generationUs" bigint, "lastAt" timestamptz)
       join versions v on v.id = r."versionId"
       order by r."versionId", r.hour
       ${ADD_TO_HOUR}
     )
     insert into call_totals as t (tenant_id, calls, cache_hits, failures, latency_sum_us, buckets)
     select id, r.calls, r."cacheHits", r.failures, r."latencySumUs", r.buckets
     from json_to_recordset($2::json) as r("tenantId" text, calls bigint, "cacheHits" bigint, failures bigint,
       "latencySumUs" bigint, buckets bigint[])
     join tenants on id = r."tenantId" order by id
     on conflict (tenant_id) do update set
       calls = t.calls + excluded.calls,
       cache_hits = t.cache_hits + excluded.cache_hits,
       failures = t.failures + excluded.failures,
       latency_sum_us = t.latency_sum_us + excluded.latency_sum_us,
       buckets = ${addedBuckets('t')}`,
    [JSON.stringify(rows), JSON.stringify(totalsOf(hours))],
  )
}
