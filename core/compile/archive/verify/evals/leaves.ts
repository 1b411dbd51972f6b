import { canonicalJson } from '../../../../kernel/json/json.ts'
import { parseComposite } from '../../../runtime/composite/composite-recipe.ts'
import { judgeOutput } from '../../../runtime/composite/judge-leaves.ts'
import { describePlace, type Place } from '../../../runtime/composite/places.ts'
import { leavesOf, readLeaves } from '../../../runtime/composite/shape.ts'
import { totalsOf } from '../../evals.ts'
import type { ContentMembers } from '../../members/content.ts'
import type { EvalsDocument, LeafTotals } from '../../members/documents.ts'
import { demand } from '../demand.ts'

type FoldedEvals = Extract<EvalsDocument, { spec: 'svc-evals-2' }>
type FoldedRow = FoldedEvals['rows'][number]

/**
 * Checks the results of a composite's leaves: they are those of the recipe, those of each answered row follow from its
 * output, and the totals are their sums. The leaves of a row without an answer are attested. Other kinds have none.
 */
export function checkLeaves({ recipe, evals, equality }: Pick<ContentMembers, 'recipe' | 'evals' | 'equality'>): void {
  if (evals.spec === 'svc-evals-1' || recipe.kind !== 'composite') {
    const rows: readonly object[] = evals.rows
    demand(!('leaves' in evals), 'evals.json: only a composite has leaves')
    demand(!rows.some((row) => 'leaves' in row), 'evals.json: only rows of a composite have leaves')
    demand(recipe.kind !== 'composite', 'evals.json: the leaves of a composite stand in svc-evals-2')
    return
  }
  const { shape, leaves } = parseComposite(recipe.composite)
  const due = leaves.map(({ path, part, leaf }) => ({ path, part, kind: leaf.kind }))
  const stated = evals.leaves ?? []
  const isSame =
    canonicalJson(stated.map(({ path, part, kind }) => ({ path, part, kind }))) ===
    canonicalJson(due.map(({ path, ...rest }) => ({ path: [...path], ...rest })))
  demand(isSame, 'evals.json: its leaves are not those of the recipe')
  demand(equality !== null, 'recipes.json has no equality')
  const places = leavesOf(shape)
  for (const [place, row] of evals.rows.entries()) {
    const name = `row ${place + 1} (${row.id})`
    const results = row.leaves ?? []
    demand(results.length === places.length, `${name} has results of ${results.length} leaves, not ${places.length}`)
    if (isAnswered(row)) {
      const given = judgeOutput(shape, equality, row.output, row.expected)
      const other = results.findIndex((result, number) => result !== given[number])
      const what = places[other]
      demand(other === -1, `${name}: ${what === undefined ? '' : describePlace(what)} is ${given[other]}`)
    } else checkUnanswered(row, name, readLeaves(shape, row.expected))
  }
  checkTotals(evals, stated)
}

/** A wrong answer of null looks like a missing one; then its leaves are attested too. */
function isAnswered({ abstained, correct, output }: FoldedRow): boolean {
  return !abstained && (correct || output !== null)
}

function checkUnanswered({ leaves = [], abstained }: FoldedRow, name: string, due: readonly unknown[]): void {
  const isCounted = leaves.every((result, number) => (result === null) === (due[number] === undefined))
  demand(isCounted, `${name}: a leaf counts exactly where the expected output has a value`)
  demand(!abstained || leaves.includes('abstained'), `${name} abstained, and no leaf of it`)
}

function checkTotals({ rows, n, shown }: FoldedEvals, stated: readonly LeafTotals[]): void {
  const counted = totalsOf(stated, rows)
  for (const [number, leaf] of stated.entries()) {
    const own = counted[number]
    if (own === undefined) continue
    const name = `the totals of ${describePlace(leaf satisfies Place)}`
    const hidden = {
      n: leaf.n - own.n,
      correct: leaf.correct - own.correct,
      abstained: leaf.abstained - own.abstained,
      failed: leaf.failed - own.failed,
    }
    const isPossible =
      Math.min(hidden.correct, hidden.abstained, hidden.failed) >= 0 &&
      hidden.correct + hidden.abstained + hidden.failed <= hidden.n &&
      hidden.n <= n - shown
    demand(isPossible, `evals.json: ${name} are not the sums over its rows`)
  }
}
