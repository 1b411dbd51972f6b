import type { RecipeEntry } from '../../../core/compile/archive/members/documents.ts'
import { widthInWords } from '../../../core/compile/wire/facts/numbers.ts'
import { decodeArrays } from '../../../core/model/tabular/recipe/arrays.ts'
import type { Column, Target } from '../../../core/model/tabular/recipe/tabular-recipe.ts'
import { formatBytes } from '../table.ts'

/** A tabular model in words: its learners, the members that it reads, and what it answers. */
export function describeTabular(
  { tabular, weights }: Extract<RecipeEntry, { readonly kind: 'tabular' }>,
  bytes: Uint8Array | undefined,
): string {
  const { columns, target } = tabular
  return [
    `${bytes === undefined ? 'tabular model' : learnersOf(bytes)}, ${formatBytes(weights.size_bytes)} of weights`,
    `reads: ${columns.map(describeColumn).join(', ')}`,
    ...describeTarget(target),
  ].join('\n')
}

function learnersOf(bytes: Uint8Array): string {
  const { weights, roots } = decodeArrays(bytes)
  const learners = [
    weights.length > 0 ? ['linear model'] : [],
    roots.length > 0 ? [`${roots.length} trees`] : [],
  ].flat()
  return learners.length === 0 ? 'constant answer' : learners.join(' and ')
}

function describeColumn({ kind, path }: Column): string {
  const name = path.map((step) => (typeof step === 'number' ? `[${step}]` : step)).join('.')
  return `${name === '' ? 'the input' : name} (${kind})`
}

function describeTarget(target: Target): readonly string[] {
  if (target.kind === 'number') {
    return [target.interval === null ? 'a number' : `a number; ${widthInWords(target.interval)}`]
  }
  const names = target.labels.map(String).join(', ')
  return [
    `${target.kind === 'label' ? 'labels' : 'lists of labels'}: ${names}`,
    `abstains below a confidence of ${target.threshold}`,
  ]
}
