import { typeNameOf } from '../../../core/compile/language/value-types.ts'
import type { BaseProvider } from '../../../core/compile/runtime/bases.ts'
import type { GuardedResult } from '../../../core/compile/runtime/guard.ts'
import { loadArchive } from '../../../core/compile/runtime/load-archive.ts'
import { startRecipe, type TokenUsage } from '../../../core/compile/runtime/start-recipe.ts'
import { tokensPerSecond } from '../../../core/compile/runtime/tokens-per-second.ts'
import type { CliContext } from '../../context.ts'
import { readArchiveFile } from '../files/archive-file.ts'
import { withBases } from '../model/bases.ts'
import type { Recipe } from './recipe.ts'

/** Runs a task with the recipe of an archive, and with the bases of this machine: those under `bases`, or the usual ones. */
export async function withArchive<T>(
  context: CliContext,
  { file, bases: folder }: { readonly file: string; readonly bases: string | undefined },
  task: (recipe: Recipe) => Promise<T>,
): Promise<T> {
  return await withBases(context, folder, async (bases) => await task(await openArchive(context, file, bases)))
}

/** Verifies the archive before anything in it runs. An unknown signer causes a warning, not a refusal. */
async function openArchive(context: CliContext, file: string, bases: BaseProvider): Promise<Recipe> {
  const { recipe, guard, content, fingerprint } = await loadArchive(await readArchiveFile(file))
  const { pinned_keys: pinned } = await context.profile()
  if (!pinned.some(({ kid }) => kid === fingerprint)) {
    context.output.warn(`${file} is intact, but its signer ${fingerprint} is not pinned: see svc verify ${file}`)
  }
  const runner = startRecipe(recipe, bases)
  return {
    inputTypes: new Set(content.evals.rows.map((row) => typeNameOf(row.input))),
    run: async (input) => {
      const { result, usage } = await runner.run(input)
      const guarded = guard(input, result)
      const { output, abstained } = guarded
      return {
        output,
        isAbstained: abstained,
        isUnlike: guarded.unlikeExamples === true,
        document: present(guarded, usage),
      }
    },
  }
}

function present({ unlikeExamples, ...result }: GuardedResult, usage: TokenUsage | null) {
  const answer = { ...result, unlike_examples: unlikeExamples }
  if (usage === null) return answer
  const { promptTokens, droppedTokens, newTokens, generationMs } = usage
  return {
    ...answer,
    usage: {
      prompt_tokens: promptTokens,
      dropped_tokens: droppedTokens,
      new_tokens: newTokens,
      tokens_per_second: tokensPerSecond(newTokens, generationMs),
    },
  }
}
