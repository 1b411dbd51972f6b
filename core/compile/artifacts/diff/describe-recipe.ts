import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.ts'
import { ClassifierRecipe } from '../../../model/classifier/classifier-recipe.ts'
import type { TabularRecipe } from '../../../model/tabular/recipe/tabular-recipe.ts'
import type { ContentMembers } from '../../archive/members/content.ts'
import { decodeJson, toJsonObject } from '../../archive/members/members-json.ts'
import type { BuildDocument } from '../../archive/schemas/build.ts'
import { TrainingDocument } from '../../archive/schemas/training.ts'
import { parseProgram } from '../../language/parse.ts'
import { printProgram } from '../../language/print.ts'
import { parseComposite, type LeafRecipe } from '../../runtime/composite/composite-recipe.ts'
import { describePlace } from '../../runtime/composite/places.ts'
import type { LoraRecipe } from '../../stages/lora/lora-recipe.ts'
import { recipeInWords } from '../../wire/facts/recipe-in-words.ts'
import type { RecipeLine } from '../../wire/facts/recipe-lines.ts'

/** Name of the only place of a recipe that is no composite. */
const WHOLE = 'answer'

/** A recipe as people compare it: programs and labels by the place of the answer that they give. */
export interface RecipeDescription {
  readonly kind: ContentMembers['recipe']['kind']
  readonly lines: readonly RecipeLine[]
  /** As printed. */
  readonly programs: ReadonlyMap<string, string>
  readonly labels: ReadonlyMap<string, readonly Json[]>
  /** Settings by dotted names: scalars, and short lists as their JSON. */
  readonly settings: ReadonlyMap<string, Json>
}

/** The source from which a recipe is described. */
export interface RecipeSource {
  readonly content: Pick<ContentMembers, 'recipe' | 'members' | 'verifier' | 'certificate'>
  readonly build: BuildDocument
  /** `training.json`; undefined for recipes that are no adapters. */
  readonly training: Uint8Array | undefined
}

/** Describes the recipe of an archive. Throws `recipe_failed` for one that is not well formed. */
export function describeRecipe({ content, build, training }: RecipeSource): RecipeDescription {
  const { recipe, verifier, certificate } = content
  const programs = new Map<string, string>()
  const labels = new Map<string, readonly Json[]>()
  const settings = new Map<string, Json>()
  for (const { place, part } of partsOf(recipe)) {
    if (part.by === 'program') programs.set(place, printProgram(parseProgram(part.program)))
    if (part.labels !== null) labels.set(place, part.labels)
    addSettings(settings, place === WHOLE ? 'recipe' : `recipe.${place}`, part.settings)
  }
  if (training !== undefined) {
    const { data } = TrainingDocument.safeParse(decodeJson(training, 'training.json'))
    if (data !== undefined) addSettings(settings, 'training', toJsonObject(data.hyperparameters))
  }
  const winner = build.samples.find(({ verdict }) => verdict.chosen === 'winner')
  if (winner !== undefined) addSettings(settings, 'search', toJsonObject(winner.settings))
  if (build.sampling !== undefined) {
    const { k, work_budget: budget } = build.sampling
    addSettings(settings, 'sampling', { k, work_budget: budget })
  }
  if ('on_doubt' in verifier) settings.set('verifier.on_doubt', verifier.on_doubt)
  if (certificate !== null) settings.set('certificate.threshold', certificate.threshold)
  return { kind: recipe.kind, lines: recipeInWords(recipe), programs, labels, settings }
}

/** A part of a recipe that gives an answer, or a leaf of one. */
type Part = { readonly labels: readonly Json[] | null; readonly settings: JsonObject } & (
  | { readonly by: 'program'; readonly program: JsonObject }
  | { readonly by: 'classifier' | 'tabular' | 'lora' }
)

function partsOf(recipe: ContentMembers['recipe']): readonly { readonly place: string; readonly part: Part }[] {
  switch (recipe.kind) {
    case 'program':
      return [{ place: WHOLE, part: programPart(recipe.program) }]
    case 'classifier':
      return [{ place: WHOLE, part: classifierPart(recipe.classifier) }]
    case 'tabular':
      return [{ place: WHOLE, part: tabularPart(recipe.tabular) }]
    case 'lora':
      return [{ place: WHOLE, part: loraPart(recipe.lora) }]
    case 'composite':
      return parseComposite(recipe.composite).leaves.map((placed) => ({
        place: describePlace(placed),
        part: leafPart(placed.leaf),
      }))
  }
}

function leafPart(leaf: LeafRecipe): Part {
  switch (leaf.by) {
    case 'program':
      return programPart(leaf.program)
    case 'classifier':
      return classifierPart(leaf.classifier)
    case 'tabular':
      return tabularPart(leaf.tabular)
  }
}

function programPart(program: JsonObject): Part {
  return { by: 'program', program, labels: null, settings: {} }
}

function classifierPart(recipe: JsonObject): Part {
  const { labels, features, feature_count: count, temperature, threshold } = ClassifierRecipe.parse(recipe)
  const settings = { features: toJsonObject(features), feature_count: count, temperature, threshold }
  return { by: 'classifier', labels, settings }
}

function tabularPart({ columns, target }: TabularRecipe): Part {
  const rest = Object.entries(toJsonObject(target)).filter(([name]) => name !== 'labels' && name !== 'thresholds')
  return {
    by: 'tabular',
    labels: target.kind === 'number' ? null : target.labels,
    settings: { columns: columns.length, target: Object.fromEntries(rest) },
  }
}

function loraPart({ base, prompt, output, constraint, max_new_tokens, stop, abstain_below }: LoraRecipe): Part {
  const settings = { base: base.name, weights_hash: base.weights_hash, output, max_new_tokens, stop, abstain_below }
  return {
    by: 'lora',
    labels: constraint?.type === 'labels' ? constraint.labels : null,
    settings: { ...settings, prompt: toJsonObject(prompt) },
  }
}

function addSettings(to: Map<string, Json>, name: string, settings: JsonObject): void {
  for (const [member, value] of Object.entries(settings)) {
    if (isJsonObject(value)) addSettings(to, `${name}.${member}`, value)
    else if (value !== undefined) to.set(`${name}.${member}`, value)
  }
}
