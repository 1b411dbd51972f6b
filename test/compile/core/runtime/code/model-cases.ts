import type { ModelRecipe } from '../../../../../core/compile/runtime/code/code.ts'
import { canonicalJson, type Json } from '../../../../../core/kernel/json/json.ts'
import { trainClassifier } from '../../../../../core/model/classifier/train-classifier.ts'
import { fit, type GivenRow, loanRows, messageRows, numberRows, tagRows } from '../../../../model/tabular/given.ts'
import { deskRows } from '../../rows/given-rows.ts'
import { changedValues, ODD_VALUES } from './cases.ts'
import type { ModelCase } from './printed-models.ts'

/** Inputs of several members, and labels of several types. */
function mixedRows(): readonly GivenRow[] {
  return Array.from({ length: 60 }, (_, i) => ({
    input: { amount: i % 2 === 0 ? 5000 + i : 5 + i / 10, note: i % 3 === 0 ? 'Late, élan 9' : 'soon', tags: ['x', i] },
    output: i % 2 === 0 ? (i % 4 === 0 ? 'large' : null) : 7,
  }))
}

function classifier(rows: readonly { readonly input: Json; readonly output: Json }[], threshold: number): ModelRecipe {
  const trained = trainClassifier(rows, { contenders: 3 })
  if (trained === null) throw new Error('not trained')
  return { kind: 'classifier', recipe: { ...trained.recipe, threshold }, weights: trained.weights }
}

function tabular(rows: readonly GivenRow[], target: 'label' | 'number' | 'labels'): ModelRecipe {
  const { recipe, weights } = fit(rows, target)
  const parsed: Json = JSON.parse(canonicalJson(JSON.parse(JSON.stringify(recipe))))
  return { kind: 'tabular', recipe: parsed, weights }
}

/** Dates and amounts as spreadsheets of several countries write them. */
function localRows(): readonly GivenRow[] {
  return Array.from({ length: 60 }, (_, i) => ({
    input: {
      due: `${(i % 28) + 1}.${(i % 12) + 1}.${i % 2 === 0 ? '24' : '2023'}`,
      sold: `${(i % 12) + 1}/${(i % 28) + 1}/2024 9:${10 + (i % 50)}`,
      sum: `${i % 3 === 0 ? '€ 1.' : '-'}${100 + i},50${i % 3 === 0 ? '' : ' €'}`,
      weight: ['1.5 kg', '2,5 kg', '0.125 kg', '1,234,567.5 kg'][i - 3] ?? `${i % 4 === 0 ? '-' : ''}${100 + i} kg`,
      price: `$${i % 2 === 0 ? '2,' : ''}${100 + i}.25`,
    },
    output: i % 3 === 0 && i % 2 === 0,
  }))
}

const MODELS: readonly (readonly [rows: readonly GivenRow[], open: (rows: readonly GivenRow[]) => ModelRecipe])[] = [
  [deskRows(), (rows) => classifier(rows, 0.4)],
  [mixedRows(), (rows) => classifier(rows, 0)],
  [loanRows(50), (rows) => tabular(rows, 'label')],
  [loanRows(40).map(({ input, output }) => ({ input, output: output === 'grant' })), (rows) => tabular(rows, 'label')],
  [localRows(), (rows) => tabular(rows, 'label')],
  [numberRows(40), (rows) => tabular(rows, 'number')],
  [tagRows(50), (rows) => tabular(rows, 'labels')],
  [messageRows(40), (rows) => tabular(rows, 'labels')],
]

/** Classifiers and tabular models, each with odd inputs, `own` inputs of its rows and so many changed ones. */
export function modelCases(own: number, changed: number): readonly ModelCase[] {
  return MODELS.map(([rows, open], at) => {
    const inputs = rows.slice(0, own).map(({ input }) => input)
    const odd = [...ODD_VALUES, ...changedValues(at, ODD_VALUES, Math.ceil(changed / 3))]
    return {
      model: open(rows),
      task: 'Route the "note"',
      inputs: [...inputs, ...odd, ...changedValues(at, inputs, changed - Math.ceil(changed / 3))],
    }
  })
}
