import { MODEL_ERRORS } from '../../../model/errors.ts'
import type { BaseProvider } from '../../runtime/bases.ts'
import type { StageHooks, StageProgress } from '../../stages/stage-types.ts'
import { numberOf } from '../../stages/scoring/k-score.ts'
import { tolerancesOf } from '../../rows/equality/tolerance.ts'
import { isNamingValues } from '../../stages/verifier/input-checks.ts'
import { withAbstention } from '../../stages/verifier/synthesize-verifier.ts'
import type { Verifier } from '../../stages/verifier/verifier-types.ts'
import type { RowsForm } from '../../stages/lora/lora-options.ts'
import { MAX_EVAL_ROWS } from '../evals.ts'
import { RECIPE_KINDS } from '../../rows/task.ts'
import { isFolded } from '../members/documents.ts'
import { toJsonObject } from '../members/members-json.ts'
import type { BuildDocument, SampleDocument } from '../schemas/build.ts'
import { verifyArchive, type OpenedArchive, type VerificationOptions, type VerificationResult } from '../verify.ts'
import { Trace, type TraceOutcome } from '../verify/trace.ts'
import { attestedFacts, type AttestedFact } from './attested.ts'
import {
  compareAnswers,
  compareMembers,
  compareRecipe,
  compareSamples,
  compareScore,
  compareSplit,
  compareUndecided,
  compareVerifier,
} from './compare.ts'
import { compileAgain, doubtOf, type RepeatedCompile } from './compile-again.ts'
import { compilerDigest } from './compiler-digest.ts'
import { gatherRows, type CompiledRows, type MissingRows } from './gather-rows.ts'
import { checkJudges } from './judges.ts'
import { checkAnswers, describeFolds, whyNotRun } from './run-again.ts'

/** Options of a recomputation. */
export interface RecomputeOptions {
  /** The rows of the compile, where the archive does not hold them. */
  readonly rows?: CompiledRows
  /** Provides the base of an adapter; without it its answers are not compared. */
  readonly bases?: BaseProvider | undefined
  /** Milliseconds after which it stops without a result. */
  readonly withinMs?: number
  readonly onProgress?: (progress: StageProgress) => void
}

/** Result of a recomputation. A check of status `warn` could not be made: it is not a pass. */
export interface Recomputation extends TraceOutcome {
  /** Facts that the signature alone vouches for. */
  readonly attested: readonly AttestedFact[]
}

/** Result of verifying an archive and recomputing what it states. */
export interface RecomputedResult extends VerificationResult {
  readonly attested: readonly AttestedFact[]
}

/** Verifies an archive, and when it verifies, recomputes what it states. */
export async function verifyByRecomputation(
  bytes: Uint8Array,
  options: VerificationOptions & RecomputeOptions = {},
): Promise<RecomputedResult> {
  const verified = await verifyArchive(bytes, options)
  if (verified.opened === undefined) return { ...verified, attested: [] }
  const { checks, ...outcome } = await recomputeArchive(verified.opened, options)
  return { ...verified, ...outcome, checks: [...verified.checks, ...checks] }
}

/** Maker of a recipe. That of a teacher or a trainer of adapters cannot be made again here; it can be run again. */
type Maker = 'compiler' | 'teacher' | 'trainer'

/**
 * Recomputes what an archive that verifies states: rows are divided into the same folds, programs searched and models
 * trained again without each fold, and answers, equality, checks, accuracy, interval, axes and K compared with the
 * recorded ones. An archive of another compiler is compared too; where it differs, that is a warning, since that
 * compiler may be the reason. Needs no network. Throws nothing for a bad archive.
 */
async function recomputeArchive(opened: OpenedArchive, options: RecomputeOptions = {}): Promise<Recomputation> {
  const trace = new Trace()
  const { content, archive } = opened
  const { build } = archive
  const attested = attestedFacts(build, content.equality)
  const outcome = (): Recomputation => ({ ...trace.outcome(), attested })
  const rows = attemptRows(trace, () => gatherRows(content, build.seed_provenance, options.rows))
  if (rows === undefined) return outcome()
  if ('missing' in rows) {
    await runShipped(trace, opened, options)
    return outcome()
  }
  if (build.sampling === undefined) {
    trace.warn('recomputed_folds', 'not recomputed: the build does not state how its candidates were searched for')
    await runShipped(trace, opened, options)
    return outcome()
  }
  if (makerOf(opened) === 'compiler') await repeatCompile(trace, opened, { ...options, rows })
  else {
    await trace.check('recomputed_judges', 'provenance_mismatch', () =>
      checkJudges(content, build, rows, formOf(content)),
    )
    await runShipped(trace, opened, options)
  }
  return outcome()
}

function makerOf({ archive: { build } }: OpenedArchive): Maker {
  if (build.recipe_kind === 'lora') return 'trainer'
  const samples: readonly SampleDocument[] = build.samples
  const winner = samples.find(({ kind, verdict }) => kind === build.recipe_kind && verdict.chosen === 'winner')
  return winner?.provider === 'frontier' || winner?.settings['teacher_rows'] !== undefined ? 'teacher' : 'compiler'
}

/** Repeats the compile and compares everything that it makes. */
async function repeatCompile(
  trace: Trace,
  opened: OpenedArchive,
  options: RecomputeOptions & { readonly rows: CompiledRows },
): Promise<void> {
  const { content, archive } = opened
  const { build } = archive
  const { sampling } = build
  if (sampling === undefined) return
  const again = attemptCompile(trace, () =>
    compileAgain(
      build,
      sampling,
      options.rows,
      { rowsForm: formOf(content), doubt: doubtOf(content), tolerances: tolerancesOf(content.equality) },
      hooksOf(options),
    ),
  )
  if (again === undefined) return
  const doubt = whyDoubtful(build, [build.recipe_kind])
  const check: Trace['check'] = async (name, reason, body) => await trace.check(name, reason, body, doubt)
  await check('recomputed_recipe', 'recipe_invalid', () => compareRecipe(content, again))
  await check('recomputed_answers', 'evals_mismatch', () => compareAnswers(content.evals, again.verdict.evals))
  await check('recomputed_verifier', 'provenance_mismatch', () =>
    compareVerifier(content.verifier, toJsonObject(repeatedVerifier(again, opened))),
  )
  await check('recomputed_split', 'train_holdout_leakage', () => compareSplit(build, again.verdict.split.provenance))
  // A teacher's samples stand among those of the search, and no other run gives them.
  if (build.teacher?.status !== 'asked') {
    await check('recomputed_members', 'manifest_hash_mismatch', () => compareMembers(content, again))
    const ofAllKinds = whyDoubtful(build, RECIPE_KINDS)
    await trace.check('recomputed_samples', 'provenance_mismatch', () => compareSamples(build, again), ofAllKinds)
  }
  await check('recomputed_undecided', 'provenance_mismatch', () => compareUndecided(build, again))
  await check('recomputed_score', 'k_score_mismatch', () => compareScore(build, again))
}

/**
 * Returns the form of rows that the caller asked for. Earlier builds do not state why they hold digests; then the checks
 * of inputs tell, which name no values where digests were asked for.
 */
function formOf({ evals, verifier }: OpenedArchive['content']): RowsForm {
  if (evals.spec === 'svc-evals-1' || evals.digests === undefined) return 'held'
  if (evals.why_digests !== undefined) return evals.why_digests === 'asked' ? 'digests' : 'held'
  if (evals.n <= MAX_EVAL_ROWS || verifier.spec === 'svc-verifier-1') return 'digests'
  const { checks, dropped } = verifier.inputs
  const isNaming = checks.some(isNamingValues) || dropped.some((id) => /^(one_of|range):/u.test(id))
  return isNaming ? 'held' : 'digests'
}

/** Hooks that report progress, and cancel the work when its time is over. */
function hooksOf({ withinMs = Infinity, onProgress }: RecomputeOptions): StageHooks {
  const endsAt = performance.now() + withinMs
  return { isCancelled: () => performance.now() > endsAt, ...(onProgress === undefined ? {} : { onProgress }) }
}

/** Records whether the rows are at hand: a pass, a warning where they are not, a failure where they are others. */
function attemptRows(trace: Trace, gather: () => CompiledRows | MissingRows): CompiledRows | MissingRows | undefined {
  try {
    const rows = gather()
    if ('missing' in rows) trace.warn('recomputed_rows', rows.missing)
    else trace.pass('recomputed_rows', `${rows.rows.length} rows as stated`)
    return rows
  } catch (error) {
    trace.fail('recomputed_rows', 'provenance_mismatch', error)
    return undefined
  }
}

/** Repeats a compile. Returns a warning for one that did not end in its time, a failure for one that throws. */
function attemptCompile(trace: Trace, run: () => RepeatedCompile): RepeatedCompile | undefined {
  try {
    return run()
  } catch (error) {
    if (MODEL_ERRORS.compile_cancelled.matches(error)) {
      trace.warn('recomputed_folds', 'not recomputed: the time that was given is over')
      return undefined
    }
    trace.fail('recomputed_folds', 'provenance_mismatch', error)
    return undefined
  }
}

/** Returns why a genuine build may differ here; null when it may not. `kinds` are those whose candidates are compared. */
function whyDoubtful({ toolchain, sampling }: BuildDocument, kinds: readonly string[]): string | null {
  const { svc, compiler } = toolchain
  if (compiler !== compilerDigest()) {
    return `it was made by another compiler (svc ${svc}, ${compiler ?? 'without a digest'}): compare with that version`
  }
  const ended = sampling?.ended_by_clock.filter((kind) => kinds.includes(kind)) ?? []
  return ended.length === 0 ? null : `the clock, and not its budget, ended its search for the kind ${ended.join(', ')}`
}

/** Repeated checks; where a teacher's labels set the abstention, it is taken as stated. */
function repeatedVerifier({ verdict }: RepeatedCompile, { content, archive }: OpenedArchive): Verifier {
  const { abstention } = content.verifier
  const isTaught = (archive.build.teacher?.labels?.samples ?? 0) > 0
  return isTaught && abstention !== null ? withAbstention(verdict.verifier, abstention) : verdict.verifier
}

/** Runs the recipe of the archive where it gave the recorded answers itself, and says so where it did not. */
async function runShipped(
  trace: Trace,
  { recipe, content, archive: { build } }: OpenedArchive,
  { bases }: RecomputeOptions,
): Promise<void> {
  const obstacle =
    content.evals.rows.length === 0 ? 'the archive holds digests of its answers' : await whyNotRun(recipe, bases)
  if (obstacle !== null) trace.warn('recomputed_answers', `not recomputed: ${obstacle}`)
  else if (isFolded(content.evals)) {
    const described = describeFolds(recipe, content, bases)
    trace.warn('recomputed_answers', await described.catch((error: unknown) => `not recomputed: ${String(error)}`))
  } else {
    const coverage = numberOf(build.k_score_envelope.coverage) ?? 0
    await trace.check(
      'recomputed_answers',
      'evals_mismatch',
      async () => await checkAnswers(recipe, content, coverage, bases),
    )
  }
}
