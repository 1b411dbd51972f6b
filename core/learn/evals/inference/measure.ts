import { setImmediate as nextTick } from 'node:timers/promises'
import { mean } from '../../../kernel/statistics/means.ts'
import { nearestRank } from '../bakeoff/figures.ts'

/** The result of one call. */
export interface MeasuredCall {
  readonly latencyMs: number
  /** Null for a call that failed, and for what does not generate. */
  readonly firstTokenMs: number | null
  readonly tokensIn: number | null
  readonly tokensOut: number | null
  /** Null for a call that answered. */
  readonly errorCode: string | null
}

/** Figures of times in milliseconds. Percentiles by nearest rank. */
export interface TimeFigures {
  readonly mean: number
  readonly p50: number
  readonly p95: number
}

/** The figures of one concurrency. */
export interface LevelFigures {
  readonly concurrency: number
  readonly calls: number
  readonly ok: number
  readonly errors: number
  /** Calls that failed, by code. */
  readonly errorCodes: Readonly<Record<string, number>>
  /** From the first measured call to the end of the last, without pauses. */
  readonly wallMs: number
  /** Null where no call answered; of calls that answered. */
  readonly latencyMs: TimeFigures | null
  /** Time to the first token; null for what does not generate. */
  readonly firstTokenMs: TimeFigures | null
  readonly tokensIn: number | null
  readonly tokensOut: number | null
  /** Tokens of all answers by `wallMs`. */
  readonly tokensPerSecond: number | null
  readonly callsPerSecond: number
}

/** One call of the target; failures are outcomes. */
export type CallOnce = (place: number) => Promise<Omit<MeasuredCall, 'latencyMs'>>

/** Pauses of a measurement, in which other work runs. */
export interface Pauses {
  /** True once the measurement should pause: it then begins no further call. */
  readonly isDue: () => boolean
  /** Returns when the measurement may continue. Called while no call is under way. */
  readonly pause: () => Promise<void>
}

/**
 * Makes `calls` calls, `concurrency` of them at once, each by the monotonic clock, after `warmUps` that count nowhere. A place that is
 * free takes the next call in the next turn of the event loop, so that calls which compute in this thread hold up nothing else for long.
 * The time of pauses is not counted.
 */
export async function measureLevel(
  call: CallOnce,
  { concurrency, calls, warmUps }: { readonly concurrency: number; readonly calls: number; readonly warmUps: number },
  { onCall, isDue, pause }: Pauses & { readonly onCall: () => void },
): Promise<LevelFigures> {
  const measured: MeasuredCall[] = []
  const once = async (place: number): Promise<void> => {
    const askedAt = performance.now()
    const outcome = await call(place)
    measured.push({ ...outcome, latencyMs: performance.now() - askedAt })
    onCall()
  }
  const run = async (count: number, work: (place: number) => Promise<void>): Promise<number> => {
    let wallMs = 0
    for (let next = 0; next < count;) {
      const startedAt = performance.now()
      next = await inParallel({ next, count, most: concurrency, isDue }, work)
      wallMs += performance.now() - startedAt
      if (next < count) await pause()
    }
    return wallMs
  }
  await run(warmUps, async (place) => void (await call(place)))
  return figuresOfLevel(concurrency, measured, await run(calls, once))
}

interface Places {
  /** The first call that was not made. */
  readonly next: number
  readonly count: number
  /** Calls at once. */
  readonly most: number
  readonly isDue: () => boolean
}

/** Makes calls until none is left or a pause is due, one at least. Returns the number of the first that was not made. */
async function inParallel(
  { next: first, count, most, isDue }: Places,
  work: (place: number) => Promise<void>,
): Promise<number> {
  let next = first
  await Promise.all(
    Array.from({ length: Math.min(most, count - first) }, async () => {
      while (next < count && (next === first || !isDue())) {
        await work(next++)
        await nextTick()
      }
    }),
  )
  return next
}

/** Computes the figures of some calls. */
export function figuresOfLevel(concurrency: number, calls: readonly MeasuredCall[], wallMs: number): LevelFigures {
  const ok = calls.filter(({ errorCode }) => errorCode === null)
  const codes = Map.groupBy(
    calls.flatMap(({ errorCode }) => errorCode ?? []),
    (code) => code,
  )
  const tokensOut = sumOf(ok.map((call) => call.tokensOut))
  return {
    concurrency,
    calls: calls.length,
    ok: ok.length,
    errors: calls.length - ok.length,
    errorCodes: Object.fromEntries([...codes].map(([code, all]) => [code, all.length])),
    wallMs,
    latencyMs: timesOf(ok.map(({ latencyMs }) => latencyMs)),
    firstTokenMs: timesOf(ok.flatMap(({ firstTokenMs }) => firstTokenMs ?? [])),
    tokensIn: sumOf(ok.map((call) => call.tokensIn)),
    tokensOut,
    tokensPerSecond: tokensOut === null || wallMs === 0 ? null : (1000 * tokensOut) / wallMs,
    callsPerSecond: wallMs === 0 ? 0 : (1000 * ok.length) / wallMs,
  }
}

function timesOf(times: readonly number[]): TimeFigures | null {
  if (times.length === 0) return null
  const sorted = times.toSorted((one, other) => one - other)
  return { mean: mean(sorted), p50: nearestRank(sorted, 0.5), p95: nearestRank(sorted, 0.95) }
}

/** Null without calls, and where a call did not count its tokens. */
function sumOf(counts: readonly (number | null)[]): number | null {
  if (counts.length === 0) return null
  return counts.reduce<number | null>((sum, count) => (sum === null || count === null ? null : sum + count), 0)
}
