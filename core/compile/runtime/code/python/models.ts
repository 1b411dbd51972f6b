import type { ClassifierRecipe } from '../../../../model/classifier/classifier-recipe.ts'
import type { Json } from '../../../../kernel/json/json.ts'
import type { TabularRecipe } from '../../../../model/tabular/recipe/tabular-recipe.ts'
import type { ModelFacts } from '../facts.ts'
import { functionName } from '../writing/function.ts'
import { Uses } from '../writing/uses.ts'
import { PYTHON } from './dialect.ts'
import { pyFile } from './layout.ts'
import { pyLiteral } from './strings.ts'

const TYPES: Readonly<Record<string, string>> = { string: 'str', number: 'float', boolean: 'bool' }

/** The annotation of an answer out of some labels; undefined for labels of several types. */
function annotationOf(labels: readonly Json[]): string | undefined {
  const [type, ...others] = new Set(labels.map((label) => typeof label))
  return type === undefined || others.length > 0 ? undefined : TYPES[type]
}

function modelFile({ task, examples }: ModelFacts, gives: string | undefined, line: string, uses: Uses): string {
  return pyFile(
    {
      name: functionName(task, PYTHON),
      parameter: 'value',
      takes: undefined,
      gives,
      task,
      notes: 'Reads weights.bin beside this file. Raises LookupError where the model abstains.',
      examples,
      body: [`    return ${line}`],
    },
    uses,
  )
}

/** Writes a classifier as a Python module that reads its weights from `weights.bin` beside it. */
export function pythonClassifier(recipe: ClassifierRecipe, facts: ModelFacts): string {
  const { labels, features, temperature, threshold } = recipe
  const uses = new Uses()
  const list = uses.constant('LABELS', pyLiteral(labels))
  const settings = [features.wordGrams, `(${features.charGrams.join(', ')})`, temperature, threshold]
  return modelFile(facts, annotationOf(labels), `${list}[_classify(value, ${settings.join(', ')})]`, uses)
}

/** Writes a tabular model as a Python module that reads its weights from `weights.bin` beside it. */
export function pythonTabular({ columns, target }: TabularRecipe, facts: ModelFacts): string {
  const uses = new Uses()
  const given = columns.map((column) => `    ${pyLiteral({ ...column })},\n`)
  const scores = `_scores(value, ${uses.constant('COLUMNS', `[\n${given.join('')}]`)})`
  if (target.kind === 'number') {
    const line = target.decimals === null ? `${scores}[0]` : `_rounded_to(${scores}[0], ${target.decimals})`
    return modelFile(facts, 'float', line, uses)
  }
  const { labels, threshold } = target
  const list = uses.constant('LABELS', pyLiteral(labels))
  if (target.kind === 'label') {
    return modelFile(facts, annotationOf(labels), `${list}[_label_of(${scores}, ${threshold})]`, uses)
  }
  const places = `_labels_of(${scores}, ${pyLiteral(target.thresholds)}, ${threshold})`
  return modelFile(facts, 'list', `[${list}[place] for place in ${places}]`, uses)
}
