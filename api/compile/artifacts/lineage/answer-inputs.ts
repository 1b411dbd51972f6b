import { failedAnswer } from '../../../../core/compile/artifacts/diff/compare-archives.ts'
import type { RunAnswer, SharedInput } from '../../../../core/compile/artifacts/diff/run-both.ts'
import { isOneOf } from '../../../../core/kernel/errors.ts'
import { timeoutAfter } from '../../../../core/kernel/threads/timers.ts'
import { MODEL_ERRORS } from '../../../../core/model/errors.ts'
import { boundsOf } from '../../../../db/kernel/namespaces/bounds.ts'
import type { Principal } from '../../../../db/kernel/tenant/principal.ts'
import type { CompileServices } from '../../services.ts'

/**
 * Answers the inputs by an artifact that needs a base model, as many as `diff_run_s` leaves time for, in their order. Throws as a
 * run does.
 */
export async function answerInputs(
  { recipes, limits }: Pick<CompileServices, 'recipes' | 'limits'>,
  principal: Principal,
  {
    artifactId,
    inputs,
    signal,
  }: { readonly artifactId: string; readonly inputs: readonly SharedInput[]; readonly signal: AbortSignal },
): Promise<readonly RunAnswer[]> {
  const { recipe, guard } = await recipes.load(principal.tenantId, { artifactId }, boundsOf(principal))
  if (recipe.kind === 'pure') throw new Error('a recipe without a base is run in the thread')
  await recipe.runner.ready()
  const over = timeoutAfter(limits.diff_run_s)
  const ending = AbortSignal.any([signal, over])
  const answers: RunAnswer[] = []
  for (const { input } of inputs) {
    if (over.aborted) break
    try {
      const { result } = await recipe.runner.run(input, { signal: ending })
      const { output, abstained, confidence } = guard(input, result)
      answers.push({ output, abstained, confidence, error: null })
    } catch (error) {
      if (over.aborted && !signal.aborted) break
      // What is wrong with one input is its answer; what is wrong with the base ends the runs.
      if (!isOneOf(error, [MODEL_ERRORS.recipe_failed])) throw error
      answers.push(failedAnswer(error))
    }
  }
  return answers
}
