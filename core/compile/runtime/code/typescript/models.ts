import type { ClassifierRecipe } from '../../../../model/classifier/classifier-recipe.ts'
import type { TabularRecipe } from '../../../../model/tabular/recipe/tabular-recipe.ts'
import type { ModelFacts } from '../facts.ts'
import { functionName } from '../writing/function.ts'
import { Uses } from '../writing/uses.ts'
import { TYPESCRIPT } from './dialect.ts'
import { tsFile } from './layout.ts'
import { tsLiteral } from './strings.ts'

function modelFile({ task, examples }: ModelFacts, gives: string, body: readonly string[], uses: Uses): string {
  const name = functionName(`open ${task}`, TYPESCRIPT)
  return tsFile(
    {
      task,
      notes: 'Takes the bytes of weights.bin. The function that it returns throws `NoAnswer` where the model abstains.',
      examples: examplesOf(name, examples),
      head: `export function ${name}(weights: Uint8Array): (input: Json) => ${gives} {`,
      body: body.map((line) => `  ${line}`),
    },
    uses,
  )
}

/** Writes a classifier as a TypeScript module whose function takes the bytes of `weights.bin`. */
export function typescriptClassifier(recipe: ClassifierRecipe, facts: ModelFacts): string {
  const { labels, features, temperature, threshold } = recipe
  const uses = new Uses()
  for (const helper of ['NoAnswer', 'need', 'readLayer', 'bestLabel', 'createVectorizer']) uses.helper(helper)
  const list = uses.constant('LABELS', `${tsLiteral(labels)} as const`)
  const best = `bestLabel(layer, vectorize(input), ${temperature}, ${threshold})`
  const body = [
    'const layer = readLayer(weights)',
    `const vectorize = createVectorizer(${tsLiteral({ ...features, charGrams: [...features.charGrams] })})`,
    `return (input) => need(${list}[${best}], 'missing')`,
  ]
  return modelFile(facts, `(typeof ${list})[number]`, body, uses)
}

/** Writes a tabular model as a TypeScript module whose function takes the bytes of `weights.bin`. */
export function typescriptTabular({ columns, target }: TabularRecipe, facts: ModelFacts): string {
  const uses = new Uses()
  for (const helper of ['NoAnswer', 'decodeArrays', 'createFeatureReader', 'answerOf']) uses.helper(helper)
  const given = columns.map((column) => `  ${tsLiteral({ ...column })},\n`)
  const list = uses.constant('COLUMNS', `[\n${given.join('')}] as const satisfies readonly Column[]`)
  const goal = uses.constant('TARGET', `${tsLiteral({ ...target })} as const satisfies Target`)
  const body = [
    'const arrays = decodeArrays(weights)',
    `const reader = createFeatureReader(${list})`,
    `return (input) => answerOf(arrays, reader, ${goal}, input)`,
  ]
  return modelFile(facts, 'Json', body, uses)
}

function examplesOf(name: string, examples: ModelFacts['examples']): string[][] {
  if (examples.length === 0) return []
  const calls = examples.map(({ input, output }) => `answer(${tsLiteral(input)}) // ${tsLiteral(output)}`)
  return [[`const answer = ${name}(readFileSync('weights.bin'))`, ...calls]]
}
