import type { Json } from '../../../core/kernel/json/json.ts'
import { EXACT } from '../../../core/compile/rows/equality/equality.ts'
import { isSameOutput } from '../../../core/compile/rows/equality/same-output.ts'
import { MODEL_ERRORS } from '../../../core/model/errors.ts'
import { loopTurn } from '../../../core/kernel/threads/fair/in-slices.ts'
import type { AdversarialCase } from '../../../core/learn/evals/adversarial/generate.ts'
import { boundsOf } from '../../../db/kernel/namespaces/bounds.ts'
import type { Principal } from '../../../db/kernel/tenant/principal.ts'
import type { LoadedRecipe } from '../../compile/run/recipe-cache.ts'
import type { LearnServices } from '../services.ts'

/** The result of an artifact on a case. */
export interface CaseScore {
  readonly got: Json
  readonly abstained: boolean
  readonly holds: boolean
}

interface Given {
  readonly got: Json
  readonly abstained: boolean
}

/**
 * Runs an artifact on the cases, and on the rows that they were made of. Uncharged: the inputs are few and not the caller's.
 * A recipe without an answer abstains.
 */
export async function scoreCases(
  services: Pick<LearnServices, 'recipes'>,
  principal: Pick<Principal, 'tenantId' | 'scopes'>,
  { artifactId, cases, signal }: { artifactId: string; cases: readonly AdversarialCase[]; signal: AbortSignal },
): Promise<readonly CaseScore[]> {
  const loaded = await services.recipes.load(principal.tenantId, { artifactId }, boundsOf(principal))
  if (loaded.recipe.kind === 'lora') await loaded.recipe.runner.ready()
  const before = new Map<string, Given>()
  const scores: CaseScore[] = []
  for (const one of cases) {
    const original = before.get(one.seed.id) ?? (await answer(loaded, one.seed.input, signal))
    before.set(one.seed.id, original)
    const given = await answer(loaded, one.input, signal)
    scores.push({ ...given, holds: holds(one, original, given) })
    await loopTurn()
    signal.throwIfAborted()
  }
  return scores
}

function holds({ expectation, reference }: AdversarialCase, original: Given, given: Given): boolean {
  if (expectation === 'must_abstain') return given.abstained
  if (expectation === 'changed') return !given.abstained && isSameOutput(EXACT, given.got, reference)
  return given.abstained === original.abstained && isSameOutput(EXACT, given.got, original.got)
}

async function answer({ recipe, guard }: LoadedRecipe, input: Json, signal: AbortSignal): Promise<Given> {
  try {
    const result =
      recipe.kind === 'pure' ? recipe.runner.run(input) : (await recipe.runner.run(input, { signal })).result
    const { output, abstained } = guard(input, result)
    return { got: output, abstained }
  } catch (error) {
    if (MODEL_ERRORS.recipe_failed.matches(error)) return { got: null, abstained: true }
    throw error
  }
}
