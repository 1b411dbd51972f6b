import { ClassifierRecipe } from '../../../model/classifier/classifier-recipe.ts'
import type { Column, TabularRecipe, Target } from '../../../model/tabular/recipe/tabular-recipe.ts'
import type { Json, JsonObject } from '../../../kernel/json/json.ts'
import type { RecipeEntry } from '../../archive/members/documents.ts'
import { parseProgram } from '../../language/parse.ts'
import { describeProgram } from '../../language/in-words/describe.ts'
import type { LoraRecipe } from '../../stages/lora/lora-recipe.ts'
import { type LeafRecipe, parseComposite } from '../../runtime/composite/composite-recipe.ts'
import { formatCount, widthInWords } from './numbers.ts'
import type { RecipeLine } from './recipe-lines.ts'

/** Most labels and places of the input that a line names. */
const MAX_NAMED = 12
/** Longest constant that is written in full. */
const MAX_LITERAL = 60

/** Returns what a recipe does, line by line. Throws `recipe_failed` for one that is not well formed. */
export function recipeInWords(recipe: RecipeEntry): RecipeLine[] {
  switch (recipe.kind) {
    case 'program':
      return programLines(recipe.program)
    case 'classifier':
      return classifierLines(recipe.classifier)
    case 'tabular':
      return tabularLines(recipe.tabular)
    case 'composite':
      return parseComposite(recipe.composite).leaves.flatMap(({ path, part, leaf }) => [
        line(0, `${placeInWords(path, 'the whole answer')}${part === 'present' ? ', whether it is there' : ''}:`),
        ...leafLines(leaf).map(({ depth, text }) => line(depth + 1, text)),
      ])
    case 'lora':
      return loraLines(recipe.lora)
  }
}

function leafLines(leaf: LeafRecipe): RecipeLine[] {
  switch (leaf.by) {
    case 'program':
      return programLines(leaf.program)
    case 'classifier':
      return classifierLines(leaf.classifier)
    case 'tabular':
      return tabularLines(leaf.tabular)
  }
}

function programLines(program: JsonObject): RecipeLine[] {
  return describeProgram(parseProgram(program))
}

function classifierLines(recipe: JsonObject): RecipeLine[] {
  const { labels, threshold } = ClassifierRecipe.parse(recipe)
  return [
    line(0, `chooses one of ${labelsInWords(labels)}, by the words and letters of the input`),
    ...doubt(threshold),
  ]
}

function tabularLines({ columns, target }: TabularRecipe): RecipeLine[] {
  const places = new Set(columns.map(({ path }: Column) => placeInWords(path, 'the input')))
  return [
    line(0, `${targetInWords(target)}, from ${named([...places])}`),
    ...(target.kind === 'number' ? widthOf(target) : doubt(target.threshold)),
  ]
}

function widthOf({ interval }: Extract<Target, { readonly kind: 'number' }>): RecipeLine[] {
  return interval === null ? [] : [line(0, widthInWords(interval))]
}

function targetInWords(target: Target): string {
  switch (target.kind) {
    case 'label':
      return `chooses one of ${labelsInWords(target.labels)}`
    case 'labels':
      return `chooses any number of ${labelsInWords(target.labels)}`
    case 'number':
      return target.decimals === null
        ? 'computes a number'
        : `computes a number, rounded to ${formatCount(target.decimals, 'decimal')}`
  }
}

function loraLines({ base, constraint, output, abstain_below: threshold }: LoraRecipe): RecipeLine[] {
  const size = `the base model ${base.name} of ${formatCount(base.parameters, 'parameter')}`
  return [
    line(0, `writes ${output === 'json' ? 'a JSON value' : 'a text'} with ${size} and a fitted adapter`),
    ...(constraint?.type === 'labels'
      ? [line(0, `only one of ${labelsInWords(constraint.labels)} can be written`)]
      : []),
    ...(constraint?.type === 'regex' ? [line(0, `only texts that match /${constraint.pattern}/ can be written`)] : []),
    ...(constraint?.type === 'json-schema' ? [line(0, 'only values of the form of the examples can be written')] : []),
    ...(threshold === null ? [] : doubt(threshold)),
  ]
}

function doubt(threshold: number): RecipeLine[] {
  return threshold > 0 ? [line(0, `gives no answer where its confidence is below ${threshold}`)] : []
}

function labelsInWords(labels: readonly Json[]): string {
  return named(labels.map((label) => literalInWords(label)))
}

function named(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMED).join(', ')
  return names.length > MAX_NAMED ? `${shown} and ${formatCount(names.length - MAX_NAMED)} more` : shown
}

function literalInWords(value: Json): string {
  const text = JSON.stringify(value)
  return text.length <= MAX_LITERAL ? text : `${text.slice(0, MAX_LITERAL)}…`
}

function placeInWords(path: readonly (string | number)[], whole: string): string {
  return path.length === 0 ? whole : path.length === 1 ? String(path[0]) : path.join(' › ')
}

function line(depth: number, text: string): RecipeLine {
  return { depth, text }
}
