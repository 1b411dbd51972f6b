import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import type { OwnArtifacts } from '../../../core/gateway/ports.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { boundsOf } from '../../../db/kernel/namespaces/bounds.ts'
import type { Routers } from './compose/routers.ts'
import type { RecipeCache } from './recipe-cache.ts'

/** Answers calls of models by artifacts; the gateway charges and counts them. */
export function createOwnArtifacts(recipes: RecipeCache, routers: Routers): OwnArtifacts {
  return {
    async match({ tenantId, scopes }, { input, instructions }) {
      const router = await routers.open({ tenantId, bounds: boundsOf({ scopes }), tag: undefined })
      // Without a sketch of its inputs the words of the query alone decide, and they are no probability.
      const best = router.byInput({ query: instructions, input }).find(({ concept }) => concept.sketch !== null)
      return best === undefined ? null : { artifactId: best.concept.artifactId, probability: best.score }
    },
    async require({ tenantId, scopes }, artifactId) {
      await recipes.load(tenantId, { artifactId }, boundsOf({ scopes })).catch(asUnknown)
    },
    async run({ tenantId, scopes }, artifactId, input, hangUp) {
      const { recipe, guard } = await recipes.load(tenantId, { artifactId }, boundsOf({ scopes })).catch(asUnknown)
      if (recipe.kind === 'pure') return answerOf(guard(input, recipe.runner.run(input)))
      await recipe.runner.ready()
      return answerOf(guard(input, (await recipe.runner.run(input, { signal: hangUp() })).result))
    },
  }
}

/** The gateway knows no codes of artifacts: to its callers a revoked one is not there. */
function asUnknown(error: unknown): never {
  if (!COMPILE_ERRORS.artifact_revoked.matches(error)) throw error
  throw KERNEL_ERRORS.not_found(error.message, { cause: error })
}

function answerOf({ output, abstained, confidence, unlikeExamples }: ReturnType<LoadedGuard>) {
  return { output, abstained, confidence, isUnlike: unlikeExamples === true }
}

type LoadedGuard = Awaited<ReturnType<RecipeCache['load']>>['guard']
