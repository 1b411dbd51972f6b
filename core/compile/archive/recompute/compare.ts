import { canonicalJson, type Json, type JsonObject } from '../../../kernel/json/json.ts'
import { describeSample } from '../../stages/sample/describe-sample.ts'
import { listedUnlabelled, type Verdict } from '../../stages/judge/verdict.ts'
import { numberOf } from '../../stages/scoring/k-score.ts'
import type { ContentMembers } from '../members/content.ts'
import type { DigestedEvalRow, EvalsDocument } from '../members/documents.ts'
import { CONTENT_MEMBERS, type ContentMember } from '../members/members.ts'
import { isLeafMember } from '../../runtime/composite/places.ts'
import { toJsonObject } from '../members/members-json.ts'
import type { BuildDocument, SampleDocument } from '../schemas/build.ts'
import { demand } from '../verify/demand.ts'
import { scoreAgain } from '../verify/score.ts'
import { asAccepted } from '../schemas/acceptance.ts'
import type { RepeatedCompile } from './compile-again.ts'

/** Rows that a message names. */
const NAMED_ROWS = 5

function isSame(stated: object | Json, computed: object | Json): boolean {
  return canonicalJson(plain(stated)) === canonicalJson(plain(computed))
}

function plain(value: object | Json): Json {
  const copy: Json = JSON.parse(JSON.stringify(value))
  return copy
}

/** Compares the recipe and its weights with those of the repeated compile, byte by byte. */
export function compareRecipe(stated: ContentMembers, { content, verdict }: RepeatedCompile): string {
  demand(content !== null, `the rows give no recipe: ${verdict.gate.reason ?? ''}`)
  demand(isSame(stated.recipe, content.recipe), 'recipes.json: the rows give another recipe')
  const leaves = [...stated.members.keys(), ...content.members.keys()].filter(isLeafMember)
  const names: readonly ContentMember[] = ['recipes.json', 'weights.bin', ...new Set(leaves)]
  for (const name of names) demand(stated.hashes[name] === content.hashes[name], `${name}: the rows give other bytes`)
  return `the rows give the recipe ${stated.recipe.id}`
}

/** Compares folds, answers, confidences and totals of the evaluation, and names the rows that differ. */
export function compareAnswers(stated: EvalsDocument, computed: EvalsDocument): string {
  demand(stated.spec === computed.spec, `evals.json is of ${stated.spec}, and the rows give ${computed.spec}`)
  const given = rowsOf(computed)
  const other = rowsOf(stated).filter((row, place) => !isSame(row, given[place] ?? null))
  const names = other.slice(0, NAMED_ROWS).map(({ id }) => id)
  demand(
    other.length === 0,
    `evals.json: ${other.length} rows have another fold, answer or confidence: ${names.join(', ')}`,
  )
  demand(
    isSame(totalsOf(stated), totalsOf(computed)),
    `evals.json: the totals are ${canonicalJson(totalsOf(computed))}`,
  )
  return `${stated.n} rows answered again, ${stated.correct} right`
}

function rowsOf(evals: EvalsDocument): readonly (EvalsDocument['rows'][number] | DigestedEvalRow)[] {
  return (evals.spec === 'svc-evals-2' ? evals.digests : undefined) ?? evals.rows
}

function totalsOf({ n, correct, abstained, eval_set_hash, results_hash, shown }: EvalsDocument): JsonObject {
  return { n, correct, abstained, eval_set_hash, results_hash, shown }
}

/** Compares the checks and how many wrong outputs they let pass. */
export function compareVerifier(stated: ContentMembers['verifier'], computed: object): string {
  const given = toJsonObject(computed)
  const differing = Object.entries(stated).flatMap(([name, value]) =>
    isSame(value, given[name] ?? null) ? [] : [name],
  )
  demand(differing.length === 0, `verifier.json: the rows give another ${differing.join(', ')}`)
  const { accepted, mutants } = stated.soundness
  return `${stated.checks.length} checks made again; ${accepted} of ${mutants} wrong outputs pass them`
}

/** Compares every other content member that the repeated compile makes. */
export function compareMembers(stated: ContentMembers, { content: computed }: RepeatedCompile): string {
  demand(computed !== null, 'the rows give no recipe')
  // The runtime of this machine may be another one.
  const names = CONTENT_MEMBERS.filter((name) => name !== 'capability.json')
  const other = names.filter((name) => stated.hashes[name] !== computed.hashes[name])
  demand(other.length === 0, `${other.join(', ')}: the rows give other bytes`)
  return `${names.filter((name) => stated.hashes[name] !== undefined).length} members are the same, byte by byte`
}

/** Compares the split, its folds and its report on leakage. */
export function compareSplit(
  { seed_provenance: stated, accepted }: Pick<BuildDocument, 'seed_provenance' | 'accepted'>,
  computed: Verdict['split']['provenance'],
): string {
  const { figures, ...facts } = toJsonObject(asAccepted(computed, accepted))
  const given: JsonObject = 'figures' in stated && figures !== undefined ? { ...facts, figures } : facts
  const names = [...new Set([...Object.keys(stated), ...Object.keys(given)])]
  const differing = names.filter(
    (name) => !isSame(Object.entries(stated).find(([key]) => key === name)?.[1] ?? null, given[name] ?? null),
  )
  demand(differing.length === 0, `seed_provenance: the rows give another ${differing.join(', ')}`)
  return `split ${stated.split_mode} of ${stated.source_seed_count} rows`
}

/** Compares what is recorded of each candidate, and the steps that finding them took. */
export function compareSamples(build: BuildDocument, { verdict, sampling }: RepeatedCompile): string {
  const samples: readonly SampleDocument[] = build.samples
  const stated = samples.filter(({ kind }) => kind !== 'lora')
  const computed = build.spec === 'svc-build-1' ? verdict.samples : verdict.samples.map(describeSample)
  demand(
    stated.length === verdict.samples.length,
    `samples: the rows give ${verdict.samples.length}, not ${stated.length}`,
  )
  const other = stated.filter((sample, place) => !isSame(sample, computed[place] ?? null)).map(({ id }) => id)
  demand(other.length === 0, `samples: the rows give others than ${other.join(', ')}`)
  const stage = build.stages.find((one) => one.stage === 'k-sample')
  for (const name of ['search_steps', 'training_steps'] as const) {
    demand(stage?.[name] === sampling[name], `stages: k-sample took ${sampling[name]} ${name}, not ${stage?.[name]}`)
  }
  return `${stated.length} candidates found again`
}

/** Compares the share of unlabelled inputs on which programs disagree, and the inputs that took part in the search. */
export function compareUndecided(build: BuildDocument, { verdict }: RepeatedCompile): string {
  const { undecided = null, unlabelled_inputs: inputs = [] } = build
  demand(isSame(undecided, verdict.undecided ?? null), 'undecided: the rows give another share')
  demand(isSame(inputs, listedUnlabelled(verdict) ?? []), 'unlabelled_inputs: the search takes others')
  return undecided === null || undecided.basis === 'not_measured'
    ? 'no share was measured'
    : `undecided ${undecided.value}`
}

/** Compares the K-score with the one that the repeated answers and the attested latency and cost give. */
export function compareScore(build: BuildDocument, { verdict }: RepeatedCompile): string {
  const own = verdict.kinds.find(({ kind }) => kind === build.recipe_kind)
  demand(own !== undefined, 'the rows give no score')
  const envelope = scoreAgain(build, own.evaluation, own.kScore.size_bytes)
  demand(isSame(build.k_score_envelope, envelope), `k_score_envelope: the rows give ${canonicalJson(plain(envelope))}`)
  return `K ${numberOf(envelope.composite)} with the attested latency`
}
