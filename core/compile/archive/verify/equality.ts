import { hashJson, type Json } from '../../../kernel/json/json.ts'
import type { Equality, EqualityRule } from '../../rows/equality/equality.ts'
import { inferEquality } from '../../rows/equality/infer-equality.ts'
import { tolerancePhrase, tolerancesOf, withoutTolerances, withTolerances } from '../../rows/equality/tolerance.ts'
import { isSameOutput } from '../../rows/equality/same-output.ts'
import type { ContentMembers } from '../members/content.ts'
import { isFolded } from '../members/documents.ts'
import { demand } from './demand.ts'
import { comparatorsOf, isSameByComparator } from './earlier/early-comparators.ts'

/** Decides whether an output is the expected one. */
export type IsSame = (output: Json, expected: Json) => boolean

/** Members that say how rows are compared. */
export type Judged = Pick<ContentMembers, 'equality' | 'evals' | 'verifier'>

/** Returns the equality of an archive: that of recipes.json, or the comparator of early builds. */
export function sameOutputOf({ equality, evals }: Pick<Judged, 'equality' | 'evals'>): IsSame {
  const { comparator } = evals
  if (comparator !== 'equality') {
    return (output, expected) => isSameByComparator(comparator, output, expected)
  }
  demand(equality !== null, 'evals.json names the equality of recipes.json, which has none')
  return (output, expected) => isSameOutput(equality, output, expected)
}

function keyOf({ path, kind }: EqualityRule): string {
  return JSON.stringify([path, kind])
}

function nameOf({ kind, path }: EqualityRule): string {
  return `the ${kind} rule at ${path.length === 0 ? 'the output' : path.join('.')}`
}

/**
 * Checks an equality against the expected outputs. Where each row is scored in its turn and all are shown, it must be the
 * inferred one. Other held-out rows are a part of the rows that it was inferred from, so there it may be tighter, and never
 * looser; a rule at a path without such a value decides nothing. Tolerances are their caller's choice.
 */
function checkRules(equality: Equality, { evals }: Judged): void {
  const tolerances = tolerancesOf(equality)
  const inferred = withTolerances(inferEquality(evals.rows.map(({ expected }) => expected)), tolerances)
  const isAllShown = evals.shown === evals.n
  if (isAllShown && isFolded(evals)) {
    demand(hashJson({ ...equality }) === hashJson({ ...inferred }), 'the equality is not the one that the rows give')
    return
  }
  const known = new Map(inferred.rules.map((rule) => [keyOf(rule), rule]))
  for (const rule of withoutTolerances(equality).rules) {
    const allowed = known.get(keyOf(rule))
    const isTight =
      rule.kind === 'text'
        ? allowed !== undefined || !isAllShown
        : allowed?.kind !== 'number' || (rule.relative <= allowed.relative && rule.absolute <= allowed.absolute)
    demand(isTight, `${nameOf(rule)} is looser than the rows allow`)
  }
}

/** Checks that the rows were compared as the outputs demand. Returns how, in words. */
export function checkEquality(content: Judged): string {
  const { equality, evals, verifier } = content
  const { type } = verifier.output
  if (evals.comparator !== 'equality') {
    demand(equality === null, `recipes.json has an equality, but evals.json names ${evals.comparator}`)
    const isAllowed = comparatorsOf(verifier.output).includes(evals.comparator)
    demand(isAllowed, `outputs of type ${type} are not compared as ${evals.comparator}`)
    return `comparator ${evals.comparator}`
  }
  demand(equality !== null, 'evals.json names the equality of recipes.json, which has none')
  const hasNumber = equality.rules.some(({ kind, path }) => kind === 'number' && path.length === 0)
  demand(type !== 'number' || hasNumber, 'outputs of type number are not compared exactly')
  checkRules(equality, content)
  const tolerances = tolerancesOf(equality).map(tolerancePhrase)
  const inferred = `equality of ${equality.rules.length - tolerances.length} rules`
  return tolerances.length === 0 ? inferred : `${inferred}; numbers as the caller chose: ${tolerances.join(', ')}`
}
