import { z } from 'zod'
import { canonicalJson, type Json } from '../../../kernel/json/json.ts'
import { JsonValue } from '../../../kernel/wire/values.ts'
import type { ContentMembers } from '../../archive/members/content.ts'
import { InputForm, inputFormOf } from '../facts/input-form.ts'
import { recipeInWords } from '../facts/recipe-in-words.ts'
import { RecipeLines } from '../facts/recipe-lines.ts'

/** Most rows that a share link shows. */
const MAX_ROWS = 10
/** Most of them that were answered wrong: the others show what the recipe does when it is right. */
const MAX_WRONG_ROWS = 5
/** Longest row that is shown, in UTF-16 units of its JSON. */
const MAX_ROW_CHARS = 4000

/** One held-out row. */
const SharedRow = z
  .object({
    input: JsonValue,
    expected: JsonValue,
    got: JsonValue.meta({ description: 'The answer; null where the recipe gave none' }),
    result: z.enum(['right', 'wrong', 'abstained']),
  })
  .meta({ id: 'SharedRow' })

/** The content of a link's archive, as far as its page shows it. */
export const SharedContent = z
  .object({
    task: z.string(),
    recipe: RecipeLines.meta({ description: 'What the recipe does, line by line' }),
    input: InputForm.nullable().meta({
      description: 'The form of its inputs; null where the archive holds digests of rows',
    }),
    rows: z.array(SharedRow).meta({ description: 'Some of the held-out rows, wrong answers first' }),
    rows_n: z.int().meta({ description: 'Rows that were evaluated' }),
  })
  .meta({ id: 'SharedContent' })
export type SharedContent = z.infer<typeof SharedContent>

/** Returns what a share link shows of an archive. */
export function sharedContentOf(
  { recipe, evals }: Pick<ContentMembers, 'recipe' | 'evals'>,
  task: string,
): SharedContent {
  return {
    task,
    recipe: recipeInWords(recipe),
    input: inputFormOf(evals.rows.map(({ input }) => input)) ?? null,
    rows: sampleOf(evals.rows).map(({ input, expected, output, abstained, correct }) => ({
      input,
      expected,
      got: output,
      result: correct ? 'right' : abstained ? 'abstained' : 'wrong',
    })),
    rows_n: evals.n,
  }
}

interface Row {
  readonly input: Json
  readonly expected: Json
  readonly output: Json
  readonly abstained: boolean
  readonly correct: boolean
}

/** Chooses the first short rows, wrong ones before the others. */
function sampleOf(rows: readonly Row[]): readonly Row[] {
  const short = rows.filter((row) => charsOf(row) <= MAX_ROW_CHARS)
  const wrong = short.filter(({ correct }) => !correct).slice(0, MAX_WRONG_ROWS)
  const right = short.filter(({ correct }) => correct).slice(0, MAX_ROWS - wrong.length)
  return [...wrong, ...right]
}

function charsOf({ input, expected, output }: Row): number {
  return canonicalJson([input, expected, output]).length
}
