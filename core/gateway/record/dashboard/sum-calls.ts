import type { FallbackReason } from '../../routing/route-facts.ts'
import { percentileMs, type BucketCount } from './time-buckets.ts'

/** Sums over calls; a US dollar has a million micros. */
export interface CallSums {
  readonly calls: number
  /** Without any answer, and with one that was cut off. */
  readonly failed: number
  readonly interrupted: number
  readonly costMicros: number
  readonly unpriced: number
  readonly savedMicros: number
  readonly savedUnknown: number
  readonly hits: number
  readonly hitSavedMicros: number
  readonly hitUnknown: number
  readonly confidenceSum: number
  readonly confident: number
}

/** Sums of one day, provider and route. */
export interface DaySums extends CallSums {
  readonly day: string
  /** Empty for calls that asked none. */
  readonly provider: string
  readonly isLocal: boolean
  /** Empty for calls that their first target answered. */
  readonly reason: FallbackReason | ''
}

/** Counts of a figure of a provider's calls by bucket. */
export interface MeasureCount extends BucketCount {
  readonly provider: string
  readonly measure: 'latency' | 'first_content' | 'failed_attempt'
}

/** Times of a provider, milliseconds. */
export interface Percentiles {
  readonly p50: number
  readonly p95: number
  /** Calls that they were measured on. */
  readonly calls: number
}

/** A provider's part of the calls. */
export interface ProviderSums {
  readonly provider: string
  readonly isLocal: boolean
  readonly sums: CallSums
  /** Attempts that it did not answer, also of calls that another provider answered. */
  readonly failedAttempts: number
  readonly latency: Percentiles | null
  readonly firstContent: Percentiles | null
}

/** Sums by each of what a dashboard shows. */
export interface SummedCalls {
  readonly all: CallSums
  readonly local: CallSums
  readonly byProvider: readonly ProviderSums[]
  /** Newest last; days without calls are absent. */
  readonly byDay: readonly (readonly [day: string, all: CallSums, local: CallSums])[]
  readonly byRoute: readonly {
    readonly isLocal: boolean
    readonly reason: FallbackReason | null
    readonly calls: number
  }[]
}

const NOTHING: CallSums = {
  calls: 0,
  failed: 0,
  interrupted: 0,
  costMicros: 0,
  unpriced: 0,
  savedMicros: 0,
  savedUnknown: 0,
  hits: 0,
  hitSavedMicros: 0,
  hitUnknown: 0,
  confidenceSum: 0,
  confident: 0,
}

/** The names of the sums. */
export const SUM_NAMES = Object.keys(NOTHING) as readonly (keyof CallSums)[]

/** Calls that were answered, at least in part. */
export function answered({ calls, failed }: CallSums): number {
  return calls - failed
}

/** Groups and adds the sums of days. */
export function sumCalls(days: readonly DaySums[], measures: readonly MeasureCount[]): SummedCalls {
  const byDay = Map.groupBy(days, ({ day }) => day)
  const byRoute = Map.groupBy(days, ({ isLocal, reason }) => `${isLocal ? 'local' : 'frontier'} ${reason}`)
  return {
    all: addUp(days),
    local: addUp(days.filter(({ isLocal }) => isLocal)),
    byProvider: providersOf(days, measures),
    byDay: [...byDay]
      .map(([day, some]) => [day, addUp(some), addUp(some.filter(({ isLocal }) => isLocal))] as const)
      .toSorted(([a], [b]) => a.localeCompare(b, 'en')),
    byRoute: [...byRoute.values()]
      .flatMap((some) => {
        const [first] = some
        const calls = answered(addUp(some))
        if (first === undefined || calls === 0) return []
        return [{ isLocal: first.isLocal, reason: first.reason === '' ? null : first.reason, calls }]
      })
      .toSorted((a, b) => b.calls - a.calls),
  }
}

function providersOf(days: readonly DaySums[], measures: readonly MeasureCount[]): readonly ProviderSums[] {
  const sums = Map.groupBy(days, ({ provider }) => provider)
  const counts = Map.groupBy(measures, ({ provider }) => provider)
  return [...new Set([...sums.keys(), ...counts.keys()])]
    .filter((provider) => provider !== '')
    .map((provider): ProviderSums => {
      const own = counts.get(provider) ?? []
      const of = (measure: MeasureCount['measure']) => own.filter((count) => count.measure === measure)
      return {
        provider,
        isLocal: (sums.get(provider) ?? []).some(({ isLocal }) => isLocal),
        sums: addUp(sums.get(provider) ?? []),
        failedAttempts: callsOf(of('failed_attempt')),
        latency: percentiles(of('latency')),
        firstContent: percentiles(of('first_content')),
      }
    })
    .toSorted((a, b) => b.sums.calls - a.sums.calls || a.provider.localeCompare(b.provider, 'en'))
}

function percentiles(counts: readonly MeasureCount[]): Percentiles | null {
  const merged = [...Map.groupBy(counts, ({ bucket }) => bucket)].map(([bucket, some]) => {
    return { bucket, calls: callsOf(some) }
  })
  const [p50, p95] = [percentileMs(merged, 0.5), percentileMs(merged, 0.95)]
  return p50 === null || p95 === null ? null : { p50, p95, calls: callsOf(counts) }
}

function callsOf(counts: readonly BucketCount[]): number {
  return counts.reduce((sum, { calls }) => sum + calls, 0)
}

function addUp(parts: readonly CallSums[]): CallSums {
  return parts.reduce<CallSums>((sum, part) => {
    const added = SUM_NAMES.map((name) => [name, sum[name] + part[name]] as const)
    return Object.fromEntries(added) as unknown as CallSums
  }, NOTHING)
}
