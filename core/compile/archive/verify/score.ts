import { canonicalJson, isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.ts'
import { computeEarlierKScore } from '../../stages/scoring/k-score-1.ts'
import { computeKScore, describeKScore, numberOf } from '../../stages/scoring/k-score.ts'
import type { Evaluation, KScoreDocument } from '../../stages/scoring/score-types.ts'
import { intervalAt } from '../../stages/scoring/fold-interval.ts'
import type { ContentMembers } from '../members/content.ts'
import { toJsonObject } from '../members/members-json.ts'
import { recipeSource, sizeOf } from '../recipe-facts.ts'
import type { BuildDocument } from '../schemas/build.ts'
import type { UnpackedArchive } from '../unpack.ts'
import { acceptanceContradiction } from '../schemas/acceptance.ts'
import { demand } from './demand.ts'
import { failureRange } from './evaluation.ts'

/** The envelope rounds the coverage to this many parts. */
const COVERAGE_PARTS = 10_000
/** More rows than any compile evaluates: the numbers of failed rows that are tried below grow with them. */
const MOST_ROWS = 10_000_000

/**
 * The K-score, its axes and its interval follow from the evaluation, the size of the recipe, the floor, and the two
 * measurements that the envelope states (latency and cost), which no member can confirm.
 */
export function checkScore({ build }: Pick<UnpackedArchive, 'build'>, content: ContentMembers): string {
  const stated = build.k_score_envelope
  const sizeBytes = sizeOf(recipeSource(content))
  const { n, correct, abstained } = content.evals
  demand(n <= MOST_ROWS, `evals.json counts ${n} rows, more than any evaluation has`)
  const intervalRows = rowsOfInterval(stated, n)
  const envelopeFor = (failed: number): JsonObject => {
    const measurements = {
      accuracy: correct / n,
      coverage: (n - abstained - failed) / n,
      n,
      interval: intervalAt(correct, n, intervalRows),
      intervalRows,
    }
    return toJsonObject(scoreAgain(build, measurements, sizeBytes))
  }
  const failures = possibleFailures(content, numberOf(stated.coverage) ?? 0)
  const statedText = canonicalJson(stated)
  const isGiven = failures.some((failed) => canonicalJson(envelopeFor(failed)) === statedText)
  demand(isGiven, differences(stated, envelopeFor(failures[0] ?? failureRange(content.evals).least)))
  demand(build.k_score === numberOf(stated.composite), 'the K-score is not the one of its envelope')
  const [low, high] = [numberOf(stated.interval.low), numberOf(stated.interval.high)]
  return `K ${build.k_score}: accuracy ${numberOf(stated.accuracy)} (${low} to ${high}), ${sizeBytes} bytes`
}

/** Returns the rows that the scored ones are stated to be worth: which rows the recipes of folds answer otherwise is in no member. */
function rowsOfInterval(stated: BuildDocument['k_score_envelope'], n: number): number {
  if (stated.spec === 'svc-k-score-1' || stated.interval.low.basis !== 'measured') return n
  const { n: rows } = stated.interval.low
  demand(rows <= n, 'k_score_envelope.interval: more rows than were scored')
  return rows
}

/**
 * Returns the K-score of measurements by the formula that a build names, with the latency, and in the earlier formula
 * the cost, that it states.
 */
export function scoreAgain(
  { k_score_envelope: stated, k_score_floor: floor }: BuildDocument,
  measurements: Pick<Evaluation, 'accuracy' | 'coverage' | 'n' | 'interval' | 'intervalRows'>,
  sizeBytes: number,
): KScoreDocument {
  if (stated.spec === 'svc-k-score-1') {
    const { p50_latency_us: p50LatencyUs, cost_usd_per_call: costUsdPerCall } = stated
    return computeEarlierKScore(measurements, { sizeBytes, p50LatencyUs, costUsdPerCall, floor })
  }
  const { p50_latency_us: latency } = stated
  const timed = latency.basis === 'measured' ? { p50_us: latency.value, calls: latency.n } : { p50_us: 0, calls: 0 }
  demand(timed.p50_us >= 0, 'k_score_envelope: a latency below 0')
  return describeKScore(computeKScore({ ...measurements, latency: timed }, { sizeBytes, floor }))
}

/** The K-score reaches the floor; one below it was accepted, by a credential and between build and signature. */
export function checkGate({ build, signature }: Pick<UnpackedArchive, 'build' | 'signature'>): string {
  const { accepted, k_score: kScore, k_score_floor: floor } = build
  const contradiction = acceptanceContradiction(build)
  demand(contradiction === null, String(contradiction))
  if (accepted === undefined) return `K ${kScore}, floor ${floor}`
  const acceptedAt = Date.parse(accepted.at)
  demand(Date.parse(build.created_at) <= acceptedAt, 'accepted.at is before the build')
  demand(acceptedAt <= Date.parse(signature.issued_at), 'accepted.at is after the signature')
  return `K ${kScore} is below the floor ${floor} and was accepted by ${accepted.by}, ${accepted.at}`
}

/** Numbers of failed rows that the members allow and that round to the stated coverage. */
function possibleFailures({ evals }: ContentMembers, coverage: number): readonly number[] {
  const { n, abstained } = evals
  const { least, most } = failureRange(evals)
  const stated = n - abstained - coverage * n
  const reach = n / COVERAGE_PARTS + 1
  const from = Math.max(least, Math.floor(stated - reach))
  const to = Math.min(most, Math.ceil(stated + reach))
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i)
}

/** Names the fields in which two envelopes differ. */
function differences(stated: Json, given: Json, path = ''): string {
  if (!isJsonObject(stated) || !isJsonObject(given)) {
    return canonicalJson(stated) === canonicalJson(given)
      ? ''
      : `k_score_envelope${path} is ${canonicalJson(stated)}, the members give ${canonicalJson(given)}`
  }
  return Object.keys(given)
    .map((name) => differences(stated[name] ?? null, given[name] ?? null, `${path}.${name}`))
    .filter((text) => text !== '')
    .join('; ')
}
