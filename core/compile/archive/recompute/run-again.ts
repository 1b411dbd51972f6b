import pLimit from 'p-limit'
import { isOneOf } from '../../../kernel/errors.ts'
import { MODEL_ERRORS } from '../../../model/errors.ts'
import { COMPILE_ERRORS } from '../../errors.ts'
import { canonicalJson, type Json } from '../../../kernel/json/json.ts'
import type { BaseProvider } from '../../runtime/bases.ts'
import { openGuard, type Guard } from '../../runtime/guard.ts'
import type { OpenedRecipe } from '../../runtime/open-recipe.ts'
import { startRecipe, type RecipeRunner } from '../../runtime/start-recipe.ts'
import type { ContentMembers } from '../members/content.ts'
import type { EvalsDocument } from '../members/documents.ts'
import { demand } from '../verify/demand.ts'
import { sameOutputOf, type IsSame } from '../verify/equality.ts'
import { isNearTie } from './near-tie.ts'

type Row = EvalsDocument['rows'][number]

/** Rows that are answered at one time: enough to fill the batches of a base. */
const AT_ONCE = 64

/** Codes that mean that the recipe gave no answer, as opposed to a failed call; recorded as an output of null. */
const NO_ANSWER = [MODEL_ERRORS.recipe_failed, MODEL_ERRORS.context_exceeded]

/** Codes that mean that this machine cannot run the recipe; they do not count against the archive. */
const NOT_HERE = [COMPILE_ERRORS.base_not_installed, MODEL_ERRORS.base_mismatch, MODEL_ERRORS.base_does_not_fit]

/** Returns the reason why a recipe cannot be run again here; null when it can be tried. Never rejects. */
export async function whyNotRun(recipe: OpenedRecipe, bases: BaseProvider | undefined): Promise<string | null> {
  if (recipe.kind === 'pure') return null
  if (bases === undefined) return `it needs the base ${recipe.recipe.base.name}`
  return await startRecipe(recipe, bases)
    .ready()
    .then(
      () => null,
      // Anything else is the archive's fault, which the check itself then finds.
      (error: unknown) => (isOneOf(error, NOT_HERE) ? error.message : null),
    )
}

/**
 * Checks that the recipe still gives the recorded answer on every shown evaluation row, and that each answer is right
 * exactly where the row says so. Sums of an adapter round differently on another processor, so another answer passes
 * when the model finds both equally likely. `coverage` is the share of answered rows that the K-score counted.
 */
export async function checkAnswers(
  recipe: OpenedRecipe,
  content: Pick<ContentMembers, 'equality' | 'evals' | 'verifier'>,
  coverage: number,
  bases: BaseProvider | undefined,
): Promise<string> {
  const { evals } = content
  const isSame = sameOutputOf(content)
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
  demand(broken.length === 0, `${broken.length} rows give another answer than recorded: ${namesOf(broken)}`)
  const tied = new Set(other.map(({ row }) => row))
  if (recipe.kind === 'pure' && evals.spec === 'svc-evals-2') {
    const guard = openGuard({ verifier: content.verifier, certificate: null, recipe: { kind: 'classifier' } })
    const doubtful = evals.rows.filter(
      (row, place) => round6(guardedConfidence(guard, row, answers[place])) !== row.confidence,
    )
    demand(doubtful.length === 0, `${doubtful.length} answers have another confidence: ${namesOf(doubtful)}`)
  }
  const misjudged = evals.rows.filter(
    (row, place) => !tied.has(row) && isRight(isSame, answers[place], row) !== row.correct,
  )
  demand(misjudged.length === 0, `${misjudged.length} rows are not right or wrong as recorded: ${namesOf(misjudged)}`)
  if (evals.shown === evals.n && tied.size === 0) {
    const covered = answers.filter((answer) => !answer.abstained && !answer.failed).length
    const share = Number((covered / evals.n).toFixed(4))
    demand(share === coverage, `the recipe answers a share of ${share} of the rows, not ${coverage}`)
  }
  const ties = other.length === 0 ? '' : `, but for ${other.length} whose answers are equally likely`
  const right = evals.rows.filter(({ correct }) => correct).length
  return `${evals.rows.length} rows give the recorded answer${ties}; ${right} of them the expected one`
}

/**
 * Reports the recipe's results on rows that were scored in folds. The recorded answers come from the folds' recipes,
 * which the archive does not hold, so they cannot be compared.
 */
export async function describeFolds(
  recipe: OpenedRecipe,
  content: Pick<ContentMembers, 'equality' | 'evals'>,
  bases: BaseProvider | undefined,
): Promise<string> {
  const { evals } = content
  const isSame = sameOutputOf(content)
  const answers = await answerAll(recipe, evals.rows, bases)
  const right = evals.rows.filter((row, place) => isRight(isSame, answers[place], row)).length
  return (
    `not recomputed: each recorded answer is by a recipe fitted without ${evals.spec === 'svc-evals-1' ? 'its row' : 'its fold'}, which the archive ` +
    `does not hold; the recipe that it holds saw all rows and gives the expected answer on ${right} of ${evals.rows.length}`
  )
}

/** A new answer of the recipe; `failed` when it has none. */
interface Answer {
  readonly output: Json
  readonly abstained: boolean
  readonly confidence: number
  readonly failed: boolean
}

/** Returns the confidence as a run gives it: lowered where the answer is in doubt. */
function guardedConfidence(guard: Guard, { input }: Row, answer: Answer | undefined): number {
  if (answer === undefined || answer.failed) return 0
  const { output, abstained, confidence } = answer
  const result = abstained ? { output: null, abstained, confidence } : { output, abstained, confidence }
  return guard(input, result).confidence ?? 0
}

/** Confidences are recorded with six decimals. */
function round6(value: number): number {
  return Number(value.toFixed(6))
}

function isRight(isSame: IsSame, answer: Answer | undefined, { expected }: Row): boolean {
  if (answer === undefined || answer.abstained || answer.failed) return false
  return isSame(answer.output, expected)
}

function namesOf(rows: readonly Row[]): string {
  return rows
    .slice(0, 5)
    .map(({ id }) => id)
    .join(', ')
}

async function answerAll(
  recipe: OpenedRecipe,
  rows: readonly Row[],
  bases: BaseProvider | undefined,
): Promise<readonly Answer[]> {
  if (recipe.kind === 'pure') return rows.map(({ input }) => orNone(() => recipe.runner.run(input)))
  if (bases === undefined) throw COMPILE_ERRORS.base_not_installed('an adapter needs its base')
  const runner = startRecipe(recipe, bases)
  const limit = pLimit(AT_ONCE)
  return await Promise.all(rows.map(async ({ input }) => await limit(async () => await answerOne(runner, input))))
}

async function answerOne(runner: RecipeRunner, input: Json): Promise<Answer> {
  try {
    const { output, abstained, confidence } = (await runner.run(input)).result
    return { output, abstained, confidence, failed: false }
  } catch (error) {
    return noneFor(error)
  }
}

function orNone(run: () => Omit<Answer, 'failed'>): Answer {
  try {
    const { output, abstained, confidence } = run()
    return { output, abstained, confidence, failed: false }
  } catch (error) {
    return noneFor(error)
  }
}

function noneFor(error: unknown): Answer {
  if (isOneOf(error, NO_ANSWER)) return { output: null, abstained: false, confidence: 0, failed: true }
  throw error
}

function same(answer: Answer, row: Row): boolean {
  return answer.abstained === row.abstained && canonicalJson(answer.output) === canonicalJson(row.output)
}
