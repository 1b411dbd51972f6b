import { factsOf } from '../../rows/intake/example.ts'
import { condenseVerdict, type Verdict } from '../../stages/judge/verdict.ts'
import { verifyCandidates } from '../../stages/judge/verify.ts'
import { sampleCandidates } from '../../stages/sample/sample.ts'
import type { StageCost, StageHooks } from '../../stages/stage-types.ts'
import { buildContent, type ContentMembers } from '../members/content.ts'
import type { Tolerance } from '../../rows/equality/tolerance.ts'
import type { RowsForm } from '../../stages/lora/lora-options.ts'
import type { DoubtChoices } from '../../runtime/certificate/risk.ts'
import type { BuildDocument } from '../schemas/build.ts'
import type { CompiledRows } from './gather-rows.ts'

/** A compile that was repeated, up to the members of its archive. */
export interface RepeatedCompile {
  readonly verdict: Verdict
  readonly sampling: StageCost
  /** Null when the repeated compile found no recipe of the archive's kind. */
  readonly content: ContentMembers | null
}

/** The caller's choices as an archive states them. */
interface StatedChoices {
  readonly rowsForm: RowsForm
  readonly doubt: DoubtChoices
  readonly tolerances: readonly Tolerance[]
}

/** Returns the risk and the behaviour in doubt that an archive states. */
export function doubtOf({ certificate, verifier }: Pick<ContentMembers, 'certificate' | 'verifier'>): DoubtChoices {
  return {
    ...(certificate === null ? {} : { risk: { max_error: certificate.max_error, confidence: certificate.confidence } }),
    ...(verifier.spec === 'svc-verifier-1' ? {} : { on_doubt: verifier.on_doubt }),
  }
}

/**
 * Repeats the search, the training, the folds and the scoring of a build from its rows, seed and settings, without its
 * clock: only work budgets end a search. Throws `compile_cancelled` when the hooks say so, and the errors of a compile.
 */
export function compileAgain(
  build: BuildDocument,
  { k, work_budget: workBudget }: NonNullable<BuildDocument['sampling']>,
  { rows, negatives, unlabelled }: CompiledRows,
  { rowsForm, doubt, tolerances }: StatedChoices,
  hooks: StageHooks,
): RepeatedCompile {
  const { seed_provenance: seeds, task } = build
  const common = { task, rows, negatives, facts: factsOf(rows) }
  const sample = sampleCandidates(
    {
      ...common,
      unlabelled,
      k,
      workBudget,
      budgetMs: Infinity,
      ...(build.recipe_kind === 'composite' ? { recipeKind: build.recipe_kind } : {}),
      tolerances,
      keepsAlternatives: doubt.risk !== undefined,
      evalSource: seeds.eval_source,
      ...(seeds.split_seed === null ? {} : { splitSeed: seeds.split_seed }),
    },
    hooks,
  )
  const judged = verifyCandidates(
    { ...common, sample, floor: build.k_score_floor, recipeKind: build.recipe_kind, rowsForm, doubt },
    hooks,
  )
  const verdict = condenseVerdict(judged)
  const { chosen, verifier, evals, equality, certificate } = verdict
  const content =
    chosen === null
      ? null
      : buildContent({ recipe: chosen.data, verifier, evals, equality, rows: verdict.rows, certificate })
  return { verdict, sampling: sample.cost, content }
}
