import type { DomainError } from '../../../kernel/errors.ts'
import type { Json } from '../../../kernel/json/json.ts'
import { ClassifierRecipe } from '../../../model/classifier/classifier-recipe.ts'
import { TabularRecipe } from '../../../model/tabular/recipe/tabular-recipe.ts'
import type { ContentMembers } from '../../archive/members/content.ts'
import { COMPILE_ERRORS } from '../../errors.ts'
import type { Program } from '../../language/ast.ts'
import { parseProgram } from '../../language/parse.ts'
import { classifierRunner } from '../runners/classifier-runner.ts'
import type { Runner } from '../recipe.ts'
import { tabularRunner } from '../runners/tabular-runner.ts'
import { nounOf, type RecipeKind } from '../../rows/task.ts'
import { type CodeFacts, examplesOf, type ModelFacts } from './facts.ts'
import type { CodeLanguage } from './languages.ts'
import { pythonClassifier, pythonTabular } from './python/models.ts'
import { pythonModule } from './python/module.ts'
import { CannotSay } from './refusal.ts'
import { sqlFunction } from './sql/module.ts'
import { typescriptClassifier, typescriptTabular } from './typescript/models.ts'
import { typescriptModule } from './typescript/module.ts'

/** A file of an artifact's code. */
export interface CodeFile {
  readonly name: string
  readonly content: string
  readonly encoding: 'utf-8' | 'base64'
}

const WRITERS: Readonly<Record<CodeLanguage, (program: Program, facts: CodeFacts) => CodeFile>> = {
  python: (program, facts) => ({ name: 'recipe.py', content: pythonModule(program, facts), encoding: 'utf-8' }),
  typescript: (program, facts) => ({ name: 'recipe.ts', content: typescriptModule(program, facts), encoding: 'utf-8' }),
  sql: (program, facts) => ({ name: 'recipe.sql', content: sqlFunction(program, facts).source, encoding: 'utf-8' }),
}

/** Languages in which models are written. */
type ModelLanguage = Exclude<CodeLanguage, 'sql'>

const MODEL_FILES = { python: 'recipe.py', typescript: 'recipe.ts' } as const satisfies Record<ModelLanguage, string>

/** A model, opened: how it answers, and how each language writes it. */
interface OpenedModel {
  readonly runner: Runner
  readonly write: Readonly<Record<ModelLanguage, (facts: ModelFacts) => string>>
}

/** A recipe that is a model with weights. */
export type ModelRecipe = {
  readonly kind: 'classifier' | 'tabular'
  readonly recipe: Json
  readonly weights: Uint8Array
}

/** Opens a model. Throws `recipe_failed` when recipe and weights are not well formed. */
export function openModel({ kind, recipe, weights }: ModelRecipe): OpenedModel {
  if (kind === 'classifier') {
    const runner = classifierRunner(recipe, weights)
    const parsed = ClassifierRecipe.parse(recipe)
    return {
      runner,
      write: {
        python: (facts) => pythonClassifier(parsed, facts),
        typescript: (facts) => typescriptClassifier(parsed, facts),
      },
    }
  }
  const runner = tabularRunner(recipe, weights)
  const parsed = TabularRecipe.parse(recipe)
  return {
    runner,
    write: {
      python: (facts) => pythonTabular(parsed, facts),
      typescript: (facts) => typescriptTabular(parsed, facts),
    },
  }
}

const LANGUAGE_NAMES = { python: 'Python', typescript: 'TypeScript', sql: 'SQL' } as const satisfies Record<
  CodeLanguage,
  string
>

/** The error for a kind of recipe that is not written as code, or not in this language. */
export function noCodeFor(kind: RecipeKind, language: CodeLanguage): DomainError {
  const remedy =
    kind === 'classifier' || kind === 'tabular'
      ? 'ask for Python or TypeScript, or run the artifact'
      : 'run the artifact, or export it'
  return COMPILE_ERRORS.code_not_available(
    `${kind === 'lora' ? 'an adapter' : `a ${nounOf(kind)}`} cannot be written as ${LANGUAGE_NAMES[language]}: ${remedy}`,
    { details: { language, recipe_kind: kind } },
  )
}

/** Writes a checked program in a language. Throws `CannotSay` where the language has no form for an operator. */
export function codeOfProgram(program: Program, language: CodeLanguage, facts: CodeFacts): CodeFile {
  return WRITERS[language](program, facts)
}

/**
 * Writes the recipe of an archive as code. Throws `code_not_available` where the recipe cannot be said in the language:
 * its `details` name the `operator` that is in the way, or the `recipe_kind`.
 */
export function codeOfArchive(
  { recipe, evals, members }: ContentMembers,
  task: string,
  language: CodeLanguage,
): readonly CodeFile[] {
  const inputs: Json[] = evals.rows.map(({ input }) => input)
  if (language !== 'sql' && (recipe.kind === 'classifier' || recipe.kind === 'tabular')) {
    const data = recipe.kind === 'classifier' ? recipe.classifier : recipe.tabular
    const model = { kind: recipe.kind, recipe: data, weights: weightsOf(members) }
    return codeOfModel(model, language, { task, inputs })
  }
  if (recipe.kind !== 'program') throw noCodeFor(recipe.kind, language)
  return [writeProgram(parseProgram(recipe.program), language, { task, inputs })]
}

/** Writes a program. Throws `code_not_available` with the operator that the language cannot say. */
function writeProgram(program: Program, language: CodeLanguage, facts: CodeFacts): CodeFile {
  try {
    return codeOfProgram(program, language, facts)
  } catch (error) {
    if (!(error instanceof CannotSay)) throw error
    throw COMPILE_ERRORS.code_not_available(
      `the operator ${error.operator} cannot be written in ${LANGUAGE_NAMES[language]}: ${error.why}`,
      { details: { language, operator: error.operator } },
    )
  }
}

/** Returns for each language the reason why the recipe cannot be written in it; null where it can. */
export function codeRefusals({
  recipe,
}: Pick<ContentMembers, 'recipe'>): Readonly<Record<CodeLanguage, string | null>> {
  const program = recipe.kind === 'program' ? parseProgram(recipe.program) : null
  const refusalIn = (language: CodeLanguage): string | null => {
    if (program === null) {
      const isModel = recipe.kind === 'classifier' || recipe.kind === 'tabular'
      return isModel && language !== 'sql' ? null : noCodeFor(recipe.kind, language).message
    }
    try {
      writeProgram(program, language, { task: '', inputs: [] })
      return null
    } catch (error) {
      if (!COMPILE_ERRORS.code_not_available.matches(error)) throw error
      return error.message
    }
  }
  return { python: refusalIn('python'), typescript: refusalIn('typescript'), sql: refusalIn('sql') }
}

function weightsOf(members: ContentMembers['members']): Uint8Array {
  const bytes = members.get('weights.bin')
  if (bytes === undefined) throw COMPILE_ERRORS.invalid_archive('weights.bin is missing')
  return bytes
}

/** Writes a model as code and its weights. Throws `recipe_failed` when they are not well formed. */
export function codeOfModel(
  model: ModelRecipe,
  language: ModelLanguage,
  { task, inputs }: CodeFacts,
): readonly CodeFile[] {
  const { runner, write } = openModel(model)
  const examples = examplesOf(inputs, (input) => {
    const { abstained, output } = runner.run(input)
    return abstained ? undefined : output
  })
  return [
    { name: MODEL_FILES[language], content: write[language]({ task, examples }), encoding: 'utf-8' },
    { name: 'weights.bin', content: Buffer.from(model.weights).toString('base64'), encoding: 'base64' },
  ]
}
