import { checkedBases, checkWeights } from '../../../core/compile/runtime/check-weights.ts'
import type { Guard } from '../../../core/compile/runtime/guard.ts'
import { loadArchive, type LoadedArchive } from '../../../core/compile/runtime/load-archive.ts'
import { startRecipe, type RecipeRunner } from '../../../core/compile/runtime/start-recipe.ts'
import { LEARN_ERRORS } from '../../../core/learn/errors.ts'
import type { EvalDefinition } from '../../../core/learn/evals/evaluation.ts'
import { artifactAnswer, failedAnswer } from '../../../core/learn/evals/targets/artifact-answer.ts'
import type { EvalTarget, RowAnswer } from '../../../core/learn/evals/targets/eval-target.ts'
import { BOUGHT } from '../../../core/learn/evals/targets/model-request.ts'
import { localModel } from '../../../core/learn/evals/targets/local-model.ts'
import { MODEL_ERRORS } from '../../../core/model/errors.ts'
import { readAdapter } from '../../../core/model/files/adapter-files.ts'
import { readArchive } from '../../../db/compile/artifacts/read-archive.ts'
import { operationOf, type EvaluationDeps, type EvaluationRef } from './deps.ts'

/**
 * Opens the target of an evaluation for the time of `work`. Throws `not_found`, `artifact_revoked`, `artifact_expired`,
 * `base_mismatch`, `invalid_archive`.
 */
export async function withTarget<T>(
  deps: EvaluationDeps,
  ref: EvaluationRef,
  { target, seed }: Pick<EvalDefinition, 'target' | 'seed'>,
  work: (target: EvalTarget) => Promise<T>,
): Promise<T> {
  if (target.kind === 'artifact') {
    const { recipe, guard } = await loadOwn(deps, ref, target.artifactId)
    const runner = startRecipe(recipe, checkedBases(deps.generators))
    return await work(artifactTarget(runner, guard))
  }
  if (target.kind === 'model') return await work(BOUGHT)
  if (target.kind === 'logged') throw LEARN_ERRORS.evaluation_failed('an imported evaluation has no target to ask')
  const archive = target.adapterId === null ? null : await loadOwn(deps, ref, target.adapterId)
  return await deps.generators.use(target.base, async ({ base, generator }) => {
    if (archive === null) return await work(localModel({ base, generator, adapter: undefined, seed }))
    const { recipe } = archive
    if (recipe.kind !== 'lora') throw LEARN_ERRORS.evaluation_failed('the artifact holds no adapter')
    checkWeights(recipe.recipe.base, base)
    const adapter = { hash: recipe.adapterHash, adapter: readAdapter(recipe.files, base.model.config) }
    return await work(localModel({ base, generator, adapter, seed }))
  })
}

async function loadOwn(deps: EvaluationDeps, ref: EvaluationRef, artifactId: string): Promise<LoadedArchive> {
  return await loadArchive(await readArchive(operationOf(deps, ref), artifactId))
}

/** An adapter on its base; other artifacts run in the thread of their evaluation. */
function artifactTarget(runner: RecipeRunner, guard: Guard): EvalTarget {
  return {
    async answer(task, { requests: [request] }, signal): Promise<RowAnswer> {
      if (request?.type !== 'generate_until') {
        throw LEARN_ERRORS.eval_needs_likelihoods('an artifact gives answers and no likelihoods')
      }
      try {
        const { result, usage } = await runner.run(request.input, { signal })
        return artifactAnswer(task, guard(request.input, result), usage?.droppedTokens ?? 0)
      } catch (error) {
        if (MODEL_ERRORS.recipe_failed.matches(error)) return failedAnswer(task)
        throw error
      }
    },
  }
}
