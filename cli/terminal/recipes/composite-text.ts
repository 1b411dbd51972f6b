import type { LeafTotals } from '../../../core/compile/archive/members/documents.ts'
import {
  parseComposite,
  type CompositeNode,
  type LeafRecipe,
} from '../../../core/compile/runtime/composite/composite-recipe.ts'
import { parseProgram } from '../../../core/compile/language/parse.ts'
import { printProgram } from '../../../core/compile/language/print.ts'
import { wilsonInterval } from '../../../core/kernel/statistics/wilson-interval.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { formatBytes } from '../table.ts'

/** A composite as a tree: for each leaf its kind, its accuracy on rows that it did not see, and its recipe. */
export function describeComposite(recipe: JsonObject, totals: readonly LeafTotals[]): string {
  let next = 0
  const leafLines = (name: string, leaf: LeafRecipe, indent: string): readonly string[] => {
    const own = totals[next++]
    const figures = own === undefined ? '' : `, ${describeTotals(own)}`
    return [`${indent}${name}: ${leaf.kind}${figures}`, ...recipeLines(leaf).map((line) => `${indent}    ${line}`)]
  }
  const lines = (name: string, node: CompositeNode, indent: string): readonly string[] => {
    const deeper = `${indent}  `
    switch (node.node) {
      case 'leaf':
        return leafLines(name, node, indent)
      case 'object':
        return [`${indent}${name}: object`, ...node.members.flatMap((one) => lines(one.name, one.value, deeper))]
      case 'list':
        return [`${indent}${name}: list`, ...node.items.flatMap((item, at) => lines(`[${at}]`, item, deeper))]
      case 'optional':
        return [
          `${indent}${name}: optional, else ${node.absent}`,
          ...leafLines('is there', node.present, deeper),
          ...lines('value', node.value, deeper),
        ]
    }
  }
  return lines('output', parseComposite(recipe).root, '').join('\n')
}

function describeTotals({ n, correct, abstained }: LeafTotals): string {
  const { low, high } = wilsonInterval(correct, n)
  const share = n === 0 ? 0 : correct / n
  return `${correct} of ${n} right (${share.toFixed(3)}, ${low} to ${high})${abstained === 0 ? '' : `, ${abstained} abstained`}`
}

function recipeLines(leaf: LeafRecipe): readonly string[] {
  const reads = leaf.reads.length === 0 ? [] : [`reads ${leaf.reads.join(', ')}`]
  if (leaf.by === 'program') return [...reads, ...printProgram(parseProgram(leaf.program)).split('\n')]
  const size = formatBytes(leaf.weights.size_bytes)
  return [...reads, leaf.by === 'classifier' ? `linear classifier, ${size}` : `tabular model, ${size}`]
}
