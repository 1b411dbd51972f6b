import type { Database } from '../../kernel/database.ts'
import { createCallSums, type MeteredCall, type MeteredEvent } from '../../billing/usage/call-sums.ts'
import type { ChargedTo } from '../../billing/usage/charged-to.ts'
import { recordUsageOfAll } from '../../billing/across/record-calls.ts'
import { writeCalls } from '../across/write-calls.ts'
import { BUCKETS, bucketOf } from './histogram.ts'
import { mergeHours, type HourCounts } from './hour-counts.ts'

/** One call of a version. */
export interface Invocation {
  readonly tenantId: string
  readonly conceptId: string
  readonly versionId: string
  readonly latencyUs: number
  readonly isCacheHit: boolean
  readonly isFailed: boolean
  /** Cost of a generated answer. */
  readonly usage?: GeneratedTokens | null
  /** Its charge to the quota, and the charged party; absent for free calls. */
  readonly charge?: { readonly units: number; readonly to: ChargedTo }
}

/** Rows of a batch that one version answered. */
export interface RunRows {
  readonly tenantId: string
  readonly conceptId: string
  readonly versionId: string
  readonly calls: number
  readonly failures: number
  /** Sum over all rows. */
  readonly latencyUs: number
  readonly usage: GeneratedTokens | null
}

/** Tokens of a generated answer, and the time from the first work on it. */
export interface GeneratedTokens {
  readonly promptTokens: number
  readonly newTokens: number
  readonly generationMs: number
}

/** Counts calls and events in memory and writes the sums about once a second. */
export interface InvocationRecorder {
  record(invocation: Invocation): void
  /** Counts rows of a batch, whose charge is recorded with them. */
  recordRows(rows: RunRows): void
  /** Counts a call that a provider answered. */
  recordCall(call: MeteredCall): void
  /** Counts a captured event. */
  recordEvent(event: MeteredEvent): void
  flush(): Promise<void>
  close(): Promise<void>
}

/** Recipes run in this process. */
const HERE = { ranHere: true, isEstimated: false, costUsdMicros: 0 } as const
const FLUSH_MS = 1000
const HOUR_MS = 3_600_000

/**
 * Opens the recorder of this process. A call costs a few additions; a crash loses at most the last second of them. Sums
 * that cannot be written while the database is away are kept and written later.
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
      await writeCalls(db, [...batch.values()])
    } catch (error) {
      for (const [name, older] of batch) {
        const newer = counts.get(name)
        if (newer === undefined) counts.set(name, older)
        else mergeHours(newer, older)
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

  const hourOf = (
    { tenantId, conceptId, versionId }: Pick<Invocation, 'tenantId' | 'conceptId' | 'versionId'>,
    at: Date,
  ): HourCounts => {
    const hourMs = at.getTime() - (at.getTime() % HOUR_MS)
    const name = `${versionId} ${hourMs}`
    const hour = counts.get(name) ?? newHour({ tenantId, conceptId, versionId, hour: new Date(hourMs), lastAt: at })
    counts.set(name, hour)
    hour.lastAt = at
    return hour
  }

  return {
    record({ latencyUs, isCacheHit, isFailed, usage, charge, ...version }) {
      const at = now()
      const hour = hourOf(version, at)
      hour.calls++
      if (isFailed) hour.failures++
      if (isCacheHit) hour.cacheHits++
      else addLatency(hour, latencyUs, 1)
      if (usage) addTokens(hour, usage)
      if (charge) {
        const { tenantId } = version
        const { promptTokens = 0, newTokens = 0 } = usage ?? {}
        sums.add(
          { tenantId, chargedTo: charge.to, units: charge.units, latencyUs, promptTokens, newTokens, ...HERE },
          at,
        )
      }
    },
    recordRows({ calls, failures, latencyUs, usage, ...version }) {
      if (calls === 0) return
      const hour = hourOf(version, now())
      hour.calls += calls
      hour.failures += failures
      addLatency(hour, latencyUs / calls, calls)
      if (usage) addTokens(hour, usage)
    },
    recordCall: (call) => sums.add(call, now()),
    recordEvent: (event) => sums.addEvent(event, now()),
    flush,
    async close() {
      clearInterval(timer)
      await flush()
    },
  }
}

function newHour(of: Pick<HourCounts, 'tenantId' | 'conceptId' | 'versionId' | 'hour' | 'lastAt'>): HourCounts {
  return {
    ...of,
    calls: 0,
    cacheHits: 0,
    failures: 0,
    latencySumUs: 0,
    buckets: Array.from({ length: BUCKETS }, () => 0),
    promptTokens: 0,
    newTokens: 0,
    generationUs: 0,
  }
}

function addLatency(hour: HourCounts, latencyUs: number, calls: number): void {
  const bucket = bucketOf(latencyUs)
  hour.buckets[bucket] = (hour.buckets[bucket] ?? 0) + calls
  hour.latencySumUs += Math.round(latencyUs * calls)
}

function addTokens(hour: HourCounts, usage: GeneratedTokens): void {
  hour.promptTokens += usage.promptTokens
  hour.newTokens += usage.newTokens
  hour.generationUs += Math.round(usage.generationMs * 1000)
}
