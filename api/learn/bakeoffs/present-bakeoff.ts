import type { z } from 'zod'
import { isAsked } from '../../../core/learn/evals/bakeoff/contestant.ts'
import type { Recommendation } from '../../../core/learn/evals/bakeoff/recommend.ts'
import type { BakeoffView } from '../../../core/learn/wire/evals/bakeoffs.ts'
import type { ShownBakeoff, ShownContestant } from '../../../db/learn/bakeoffs/find-bakeoff.ts'

/** Shows a bake-off. */
export function presentBakeoff(bakeoff: ShownBakeoff): z.input<typeof BakeoffView> {
  const { id, contestants, definition, summary } = bakeoff
  const nameAt = (place: number): string => definition.contestants[place]?.name ?? ''
  const recommendation = summary?.recommendation ?? null
  return {
    bakeoff_id: id,
    namespace: bakeoff.namespace,
    state: bakeoff.state,
    dataset_id: bakeoff.datasetId,
    dataset_version: bakeoff.datasetVersion,
    merkle_root: bakeoff.merkleRoot,
    rows_used: bakeoff.rowCount,
    train_rows: bakeoff.trainCount,
    comparator: definition.options.comparator,
    margin: definition.options.margin,
    contestants: contestants.map((each) => presentContestant(each, definition, recommendation)),
    pairs:
      summary?.pairs.map(({ first, second, pValue, adjusted, ...pair }) => ({
        first: nameAt(first),
        second: nameAt(second),
        ...pair,
        p_value: pValue,
        adjusted_p_value: adjusted,
      })) ?? null,
    preferences: summary?.judge
      ? {
          judge: summary.judge.model,
          judged: summary.judge.judged,
          unread: summary.judge.unread,
          cost_usd: summary.judge.usd,
          error_code: summary.judge.errorCode,
          strengths: summary.judge.strengths.map(({ contestant, strength, stderr, low, high }) => ({
            name: nameAt(contestant),
            strength,
            stderr,
            interval: { low, high },
          })),
        }
      : null,
    recommended: recommendation === null ? null : nameAt(recommendation.place),
    best: recommendation === null ? null : nameAt(recommendation.best),
    recommendation: sentenceOf(bakeoff, nameAt),
    error_code: bakeoff.errorCode ?? null,
    error: bakeoff.errorMessage ?? null,
    created_at: bakeoff.createdAt.toISOString(),
    started_at: bakeoff.startedAt?.toISOString() ?? null,
    finished_at: bakeoff.finishedAt?.toISOString() ?? null,
    poll: `/v1/bakeoffs/${id}`,
  }
}

function presentContestant(
  { contestant: place, name, kind, answeredCount, facts, figures, errorCode, errorMessage }: ShownContestant,
  { contestants }: ShownBakeoff['definition'],
  recommendation: Recommendation | null,
): z.input<typeof BakeoffView>['contestants'][number] {
  const of = contestants[place]
  const isModel = of !== undefined && isAsked(of)
  const perRow = (sum: number | null | undefined): number | null =>
    sum === null || sum === undefined || !figures ? null : sum / figures.n
  const isFailed = errorCode !== null && errorCode !== undefined
  return {
    name,
    kind,
    state: isFailed ? 'failed' : figures ? 'answered' : 'waiting',
    answered: answeredCount,
    n: figures?.n ?? null,
    right: figures?.right ?? null,
    pass_rate: figures?.accuracy ?? null,
    interval: figures?.interval ?? null,
    smallest_effect: figures?.smallestEffect ?? null,
    quality: figures?.quality ?? null,
    avg_latency_ms: figures?.meanLatencyMs ?? null,
    p50_latency_ms: figures?.p50LatencyMs ?? null,
    p95_latency_ms: figures?.p95LatencyMs ?? null,
    avg_cost_usd: perRow(figures?.usd),
    cost_usd: figures?.usd ?? null,
    avg_cpu_ms: perRow(figures?.cpuMs),
    cpu_of: facts?.cpuOf ?? null,
    input_tokens: figures?.inputTokens ?? null,
    output_tokens: figures?.outputTokens ?? null,
    price_source: facts?.priceSource ?? null,
    provider: facts?.provider ?? null,
    model: facts?.model ?? null,
    train_rows: facts?.trainRows ?? null,
    fit_ms: facts?.fitMs ?? null,
    fit_cpu_ms: facts?.fitCpuMs ?? null,
    calls: isModel ? answeredCount : 0,
    no_answer: figures?.silences ?? null,
    parse_failure_rate: figures ? figures.silences.not_json / figures.n : null,
    privacy_class: facts?.privacy ?? null,
    deterministic: facts?.isDeterministic ?? null,
    recommended: recommendation?.place === place,
    error_code: errorCode ?? null,
    error: errorMessage ?? null,
    elapsed_ms: figures ? figures.meanLatencyMs * figures.n : null,
  }
}

function sentenceOf(
  { summary, definition, contestants, rowCount }: ShownBakeoff,
  nameAt: (place: number) => string,
): string | null {
  if (summary === null || summary === undefined) return null
  const { recommendation } = summary
  if (recommendation === null) return whyNone(contestants)
  const { place, best, leastDifference } = recommendation
  const accuracy = percent(contestants[best]?.figures?.accuracy ?? 0)
  if (place === best) {
    return `${nameAt(best)} is right on ${accuracy} of ${rowCount} rows, and no cheaper contestant is shown to be within ${percent(definition.options.margin)} of it`
  }
  return `${nameAt(place)} is the cheapest that is shown to be within ${percent(definition.options.margin)} of the best, ${nameAt(best)} with ${accuracy} of ${rowCount} rows: it is worse by at most ${percent(Math.max(0, -leastDifference))}`
}

function whyNone(contestants: readonly ShownContestant[]): string {
  if (contestants.some(({ figures }) => figures)) return 'no contestant has a right answer'
  return contestants.every(({ errorCode }) => errorCode)
    ? 'no contestant could answer; the error of each says why'
    : 'no held-out row was left to answer: all were forgotten'
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}
