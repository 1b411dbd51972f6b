import pLimit from 'p-limit'
import { DomainError, type ErrorCode } from '../../../errors.ts'
import { canonicalJson, type Json } from '../../../json.ts'
import type { BaseProvider } from '../../runtime/bases.ts'
import type { OpenedRecipe } from '../../runtime/open-recipe.ts'
import { startRecipe, type RecipeRunner } from '../../runtime/start-recipe.ts'
import type { EvalsDocument } from '../documents.ts'
import { demand } from './checks.ts'
import { isNearTie } from './near-tie.ts'

type Row = EvalsDocument['rows'][number]

/** Rows that are answered at one time: enough to fill the batches of a base. */
const AT_ONCE = 64

/** Codes that say that there is no answer, rather than that asking failed; recorded as an output of null. */
const NO_ANSWER: ReadonlySet<ErrorCode> = new Set(['recipe_failed', 'context_exceeded'])

/** Codes that say that this machine cannot run the recipe, which says nothing about the archive. */
const NOT_HERE: ReadonlySet<ErrorCode> = new Set(['base_not_installed', 'base_mismatch', 'base_does_not_fit'])

/** Why a recipe cannot be run again here, null when it can be tried. Never rejects. */
export async function whyNotRerun(recipe: OpenedRecipe, bases: BaseProvider | undefined): Promise<string | null> {
  if (recipe.kind === 'pure') return null
  if (bases === undefined) return `it needs the base ${recipe.recipe.base.name}`
  return await startRecipe(recipe, bases)
    .ready()
    .then(
      () => null,
      // Anything else is the archive's fault, which the check itself then finds.
      (error: unknown) => (error instanceof DomainError && NOT_HERE.has(error.code) ? error.message : null),
    )
}

/**
 * The recipe still gives the recorded answer on every evaluation row that is shown. With leave-one-out the recorded
 * answers are those of the folds, so there is nothing to compare. Sums of an adapter round differently on another
 * processor: another answer passes where the model finds both equally likely.
 */
export async function checkRerun(
  recipe: OpenedRecipe,
  evals: EvalsDocument,
  bases: BaseProvider | undefined,
): Promise<string> {
  if (evals.split !== 'holdout') return 'leave-one-out: answers are those of the folds'
  const answers = await answerAll(recipe, evals.rows, bases)
  const other = evals.rows.flatMap((row, place) => {
    const answer = answers[place]
    return answer === undefined || same(answer, row) ? [] : [{ row, answer }]
  })
  const broken: Row[] = []
  for (const { row, answer } of other) {
    const isTied = recipe.kind === 'lora' && bases !== undefined && !row.abstained && !answer.abstained
    if (!isTied || !(await isNearTie(recipe, bases, row.input, [row.output, answer.output]))) broken.push(row)
  }
  const named = broken.slice(0, 5).map(({ id }) => id)
  demand(broken.length === 0, `${broken.length} rows give another answer than recorded: ${named.join(', ')}`)
  const ties = other.length === 0 ? '' : `, but for ${other.length} whose answers are equally likely`
  return `${evals.rows.length} rows give the recorded answer${ties}`
}

interface Answer {
  readonly output: Json
  readonly abstained: boolean
}

async function answerAll(
  recipe: OpenedRecipe,
  rows: readonly Row[],
  bases: BaseProvider | undefined,
): Promise<readonly Answer[]> {
  if (recipe.kind === 'pure') return rows.map(({ input }) => orNone(() => recipe.runner.run(input)))
  if (bases === undefined) throw new DomainError('base_not_installed', 'an adapter needs its base')
  const runner = startRecipe(recipe, bases)
  const limit = pLimit(AT_ONCE)
  return await Promise.all(rows.map(async ({ input }) => await limit(async () => await answerOne(runner, input))))
}

async function answerOne(runner: RecipeRunner, input: Json): Promise<Answer> {
  try {
    return (await runner.run(input)).result
  } catch (error) {
    return noneFor(error)
  }
}

function orNone(run: () => Answer): Answer {
  try {
    return run()
  } catch (error) {
    return noneFor(error)
  }
}

function noneFor(error: unknown): Answer {
  if (error instanceof DomainError && NO_ANSWER.has(error.code)) return { output: null, abstained: false }
  throw error
}

function same(answer: Answer, row: Row): boolean {
  return answer.abstained === row.abstained && canonicalJson(answer.output) === canonicalJson(row.output)
}
