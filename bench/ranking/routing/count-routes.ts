import type { RoutingWeights } from '../../../core/compile/runtime/routing/classifier.ts'
import { openRouter } from '../../../core/compile/runtime/routing/route-call.ts'
import { wilsonInterval } from '../../../core/kernel/statistics/wilson-interval.ts'
import { quantile } from '../../harness/report.ts'
import type { BenchTask } from '../../tasks/task.ts'
import { CALL_KINDS, drawWorld, type CallKind } from './calls.ts'

/** Concepts that a call asks at most. */
const MOST_ASKED = 5

/** Scores are compared with their share of right ones in these bins. */
const BINS = [
  [0.5, 0.7],
  [0.7, 0.9],
  [0.9, 1.01],
] as const

/** Outcomes of calls of one kind. */
export interface RouteCounts {
  calls: number
  /** The concept that it is for was the first candidate. */
  first: number
  /** It was among the candidates. */
  reached: number
  /** There was no candidate. */
  refused: number
}

/** The results of calls by kind, and how long each took, milliseconds. */
export interface RouteResults {
  readonly counts: readonly {
    readonly kind: CallKind
    /** Of inputs in forms that no other task has. */
    readonly apart: RouteCounts
    /** Of inputs in forms that other tasks have too. */
    readonly shared: RouteCounts
  }[]
  readonly durationsMs: readonly number[]
  /** Scores of all candidates, and whether the call was for them. */
  readonly scores: readonly { readonly score: number; readonly isRight: boolean }[]
}

/** Routes the calls of worlds of `count` concepts, one for each seed. */
export async function countRoutes(
  tasks: readonly BenchTask[],
  {
    count,
    seeds,
    weights,
  }: { readonly count: number; readonly seeds: readonly number[]; readonly weights?: RoutingWeights },
): Promise<RouteResults> {
  const none = (): RouteCounts => ({ calls: 0, first: 0, reached: 0, refused: 0 })
  const counts = CALL_KINDS.map((kind) => ({ kind, apart: none(), shared: none() }))
  const durationsMs: number[] = []
  const scores: { readonly score: number; readonly isRight: boolean }[] = []
  for (const seed of seeds) {
    const { concepts, calls } = drawWorld(tasks, count, seed)
    const router = await openRouter(concepts, weights)
    for (const call of calls) {
      const startedAt = performance.now()
      const candidates = router.byInput(call)
      durationsMs.push(performance.now() - startedAt)
      const own = concepts[call.own]
      scores.push(...candidates.map(({ concept, score }) => ({ score, isRight: concept === own })))
      const ofKind = counts.find(({ kind }) => kind === call.kind)
      if (ofKind === undefined) continue
      const kind = call.isShared ? ofKind.shared : ofKind.apart
      kind.calls++
      if (candidates.length === 0) kind.refused++
      if (own !== undefined && candidates[0]?.concept === own) kind.first++
      if (own !== undefined && candidates.slice(0, MOST_ASKED).some(({ concept }) => concept === own)) kind.reached++
    }
  }
  return { counts, durationsMs, scores }
}

/** Prints results, one line for each kind of call. */
export function printRoutes({ counts, durationsMs, scores }: RouteResults): void {
  for (const { kind, apart, shared } of counts) {
    console.log(kind)
    for (const [form, { calls, first, reached, refused }] of [
      ['in a form of its own', apart],
      ['in a form of others too', shared],
    ] as const) {
      const isOwn = kind.startsWith('own')
      const hits = isOwn ? reached : refused
      const { low, high } = wilsonInterval(hits, calls)
      const what = isOwn ? `reached (${percent(first, calls)} first)` : 'refused'
      const interval = `95 %: ${(low * 100).toFixed(1)} to ${(high * 100).toFixed(1)}`
      console.log(
        `  ${form.padEnd(24)} ${String(calls).padStart(5)} calls, ${percent(hits, calls)} ${what}, ${interval}`,
      )
    }
  }
  for (const [from, to] of BINS) {
    const inBin = scores.filter(({ score }) => score >= from && score < to)
    const mean = inBin.reduce((sum, { score }) => sum + score, 0) / Math.max(1, inBin.length)
    const right = inBin.filter(({ isRight }) => isRight).length
    console.log(
      `scores ${from} to ${to}: mean ${mean.toFixed(2)}, right ${percent(right, inBin.length)} of ${inBin.length}`,
    )
  }
  console.log(
    `routing p50 ${quantile(durationsMs, 0.5).toFixed(2)} ms, p99 ${quantile(durationsMs, 0.99).toFixed(2)} ms`,
  )
}

function percent(part: number, whole: number): string {
  return `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`
}
