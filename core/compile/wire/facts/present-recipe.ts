import type { ContentMembers } from '../../archive/members/content.ts'
import { parseProgram } from '../../language/parse.ts'
import { printProgram } from '../../language/print.ts'
import { codeRefusals } from '../../runtime/code/code.ts'
import { CODE_LANGUAGES } from '../../runtime/code/languages.ts'
import { inputFormOf } from './input-form.ts'
import { recipeInWords } from './recipe-in-words.ts'

/** Presents the recipe of an archive in words, with its languages, the form of its inputs and a held-out row. */
export function presentRecipe({ recipe, evals }: Pick<ContentMembers, 'recipe' | 'evals'>) {
  // A row that was answered right shows best what the recipe does.
  const row = evals.rows.find(({ correct }) => correct) ?? evals.rows.find(({ abstained }) => !abstained)
  const refusals = codeRefusals({ recipe })
  return {
    recipe_kind: recipe.kind,
    lines: recipeInWords(recipe),
    code: CODE_LANGUAGES.map((language) => ({ language, why_not: refusals[language] })),
    expression: recipe.kind === 'program' ? printProgram(parseProgram(recipe.program)) : null,
    input: inputFormOf(evals.rows.map(({ input }) => input)) ?? null,
    example: row === undefined ? null : { id: row.id, input: row.input, output: row.output },
  }
}
