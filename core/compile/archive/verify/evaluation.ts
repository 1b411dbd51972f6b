import { canonicalJson, hashJson, type Json } from '../../../kernel/json/json.ts'
import type { ContentMembers } from '../members/content.ts'
import type { DigestedEvalRow, EvalsDocument } from '../members/documents.ts'
import { ENOUGH_EVAL_BYTES, evalRowBytes, hashEvalCases, hashEvalResults, MAX_EVAL_ROWS } from '../evals.ts'
import type { DigestReason } from '../../rows/split/kept-rows.ts'
import { nounOf } from '../../rows/task.ts'
import type { VerifierDocument } from '../schemas/verifier.ts'
import { verifierFigures } from '../../stages/verifier/verifier-figures.ts'
import { toJsonObject } from '../members/members-json.ts'
import { demand } from './demand.ts'
import { checkLeaves } from './evals/leaves.ts'
import { checkEquality, sameOutputOf, type IsSame } from './equality.ts'

type EvalRow = EvalsDocument['rows'][number]

/** Number of held-out rows without an answer: the members give a range, mostly of one number. */
export interface FailureRange {
  readonly least: number
  readonly most: number
}

/**
 * Checks that `evals.json` is consistent with its rows: each row's `correct`, the totals, and the digests if all rows
 * are shown.
 */
export function checkEvaluation(content: ContentMembers): string {
  const { evals } = content
  checkShown(evals)
  const isSame = sameOutputOf(content)
  for (const [place, row] of evals.rows.entries()) checkRow(isSame, row, place)
  checkTotals(evals)
  checkLeaves(content)
  const { n, shown, correct } = evals
  return shown === n
    ? `${n} rows judged again, ${correct} right`
    : `${shown} of ${n} rows shown and judged again; the totals over all ${n} are attested within their bounds`
}

/** Checks that the task's checks have their stated digest and that the rows allow the equality that was used. */
export function checkVerifier(content: ContentMembers): string {
  const { verifier, recipe } = content
  const { hash, ...body } = verifier
  demand(hash === hashJson(toJsonObject(body)), 'verifier.json: hash is not that of the other members')
  const { mutants, accepted, false_accept_rate: rate } = verifier.soundness
  demand(accepted <= mutants, 'verifier.json: more mutants were accepted than were made')
  const expectedRate = mutants === 0 ? 0 : Number((accepted / mutants).toFixed(4))
  demand(rate === expectedRate, `verifier.json: false_accept_rate is ${expectedRate}, not ${rate}`)
  const { rows, passed } = verifier.completeness
  demand(passed <= rows, 'verifier.json: more rows passed than there were')
  const comparison = checkEquality(content)
  if (verifier.spec === 'svc-verifier-2') {
    checkInputProfile(verifier.inputs)
    checkVerifierFigures(verifier)
  }
  const { abstention } = verifier
  if (abstention !== null) {
    const withheld = abstention.right_withheld + abstention.wrong_withheld
    demand(withheld <= abstention.predictions, 'verifier.json: more answers were withheld than there were')
  }
  const threshold = thresholdOf(recipe)
  if (threshold !== undefined) {
    demand(abstention !== null, `verifier.json: a ${nounOf(recipe.kind)} has an abstention`)
    demand(abstention.threshold === threshold, 'recipe and verifier have another threshold')
  }
  return `${verifier.checks.length} checks, ${comparison}`
}

function checkInputProfile(inputs: Extract<VerifierDocument, { spec: 'svc-verifier-2' }>['inputs']): void {
  const { rows, false_alarms: alarms, false_alarm_rate: rate } = inputs
  demand(alarms <= rows, 'verifier.json: more inputs were refused than there were')
  const expected = rows === 0 ? 0 : Number((alarms / rows).toFixed(4))
  demand(rate === expected, `verifier.json: false_alarm_rate is ${expected}, not ${rate}`)
}

/** The figures beside the counts are those that the counts give. */
function checkVerifierFigures(verifier: Extract<VerifierDocument, { spec: 'svc-verifier-2' }>): void {
  const { figures } = verifier
  if (figures === undefined) return
  const other = Object.entries(verifierFigures(verifier)).find(
    ([name, figure]) => hashJson({ ...figure }) !== hashJson(figureOf(figures, name)),
  )
  demand(other === undefined, `verifier.json: figures.${other?.[0]} is not what its counts give`)
}

function figureOf(figures: object, name: string): Json {
  return toJsonObject(figures)[name] ?? null
}

/** The confidence below which a recipe abstains; undefined for kinds that have none. */
function thresholdOf(recipe: ContentMembers['recipe']): Json | undefined {
  if (recipe.kind === 'classifier') return recipe.classifier['threshold'] ?? null
  if (recipe.kind !== 'tabular') return undefined
  const { target } = recipe.tabular
  return target.kind === 'number' ? undefined : target.threshold
}

/**
 * Returns the number of failed rows as far as the members show it; a failed row and an answer of null look alike in a
 * row.
 */
export function failureRange(evals: EvalsDocument): FailureRange {
  const { n, correct, abstained } = evals
  const digests = digestsOf(evals)
  if (digests !== undefined) {
    // A digest hides whether null was expected.
    const silent = digests.filter((row) => row.output === NO_ANSWER && !row.abstained && !row.correct)
    return { least: 0, most: silent.length }
  }
  const { rows } = evals
  const silent = rows.filter((row) => row.output === null && !row.abstained && !row.correct)
  const shownCorrect = rows.filter((row) => row.correct).length
  const shownAbstained = rows.filter((row) => row.abstained).length
  const hiddenWrong = n - rows.length - (correct - shownCorrect) - (abstained - shownAbstained)
  return {
    // An answer of null to a row that expects null would have been right.
    least: silent.filter(({ expected }) => expected === null).length,
    most: silent.length + hiddenWrong,
  }
}

function checkShown(evals: EvalsDocument): void {
  const { rows, n, shown } = evals
  const digests = digestsOf(evals)
  if (digests !== undefined) {
    const isMany = n > MAX_EVAL_ROWS
    const why = whyDigestsOf(evals)
    demand(
      why === undefined || why === 'asked' || isMany === (why === 'too_many_rows'),
      `evals.json: ${n} rows, and why_digests is ${why}`,
    )
    demand(n > 0 && digests.length === n, `evals.json holds ${digests.length} digests of ${n} rows`)
    demand(rows.length === 0 && shown === 0, 'evals.json holds rows beside their digests')
    demand(new Set(digests.map(({ id }) => id)).size === n, 'evals.json: two rows have one id')
    demand(new Set(digests.map(({ row }) => row)).size === n, 'evals.json: two rows have one digest')
    for (const row of digests) checkDigested(row)
    return
  }
  demand(whyDigestsOf(evals) === undefined, 'evals.json: why_digests without digests')
  demand(n > 0 && rows.length > 0, 'evals.json holds no row')
  demand(shown === rows.length, `evals.json shows ${rows.length} rows, not ${shown}`)
  const due = Math.min(n, MAX_EVAL_ROWS)
  demand(shown <= due, `evals.json shows ${shown} of ${n} rows, more than it may`)
  if (shown < due) {
    const bytes = rows.reduce((sum, row) => sum + evalRowBytes(row), 0)
    demand(bytes >= ENOUGH_EVAL_BYTES, `evals.json leaves out rows: it shows ${shown} of ${n}`)
  }
  demand(new Set(rows.map(({ id }) => id)).size === shown, 'evals.json: two rows have one id')
  demand(new Set(rows.map(({ input }) => canonicalJson(input))).size === shown, 'evals.json: two rows have one input')
}

function checkRow(isSame: IsSame, row: EvalRow, place: number): void {
  const { id, output, expected, abstained, correct } = row
  const confidence = 'confidence' in row && typeof row.confidence === 'number' ? row.confidence : 0
  const name = `row ${place + 1} (${id})`
  demand(!abstained || output === null, `${name} abstained and has an output`)
  demand(confidence === Number(confidence.toFixed(6)), `${name} has a confidence of more than six decimals`)
  const isRight = !abstained && isSame(output, expected)
  // A row without an answer has the output null too; where null is expected, such a row may be marked as wrong.
  const mayHaveFailed = isRight && output === null && expected === null
  demand(correct === isRight || (mayHaveFailed && !correct), `${name} is ${isRight ? '' : 'not '}correct`)
}

const NO_ANSWER = hashJson(null)

function checkDigested({ id, output, abstained, correct, confidence }: DigestedEvalRow): void {
  demand(!abstained || (output === NO_ANSWER && !correct), `row ${id} abstained and has an output`)
  demand(confidence === Number(confidence.toFixed(6)), `row ${id} has a confidence of more than six decimals`)
}

/** The rows as digests; undefined for an archive that holds the rows themselves. */
function digestsOf(evals: EvalsDocument): readonly DigestedEvalRow[] | undefined {
  return evals.spec === 'svc-evals-2' ? evals.digests : undefined
}

function whyDigestsOf(evals: EvalsDocument): DigestReason | undefined {
  return evals.spec === 'svc-evals-2' ? evals.why_digests : undefined
}

function checkTotals(evals: EvalsDocument): void {
  const { n, correct, abstained } = evals
  const rows = digestsOf(evals) ?? evals.rows
  const shownCorrect = rows.filter((row) => row.correct).length
  const shownAbstained = rows.filter((row) => row.abstained).length
  const hidden = n - rows.length
  const hiddenCorrect = correct - shownCorrect
  const hiddenAbstained = abstained - shownAbstained
  demand(
    hiddenCorrect >= 0 && hiddenAbstained >= 0 && hiddenCorrect + hiddenAbstained <= hidden,
    hidden === 0
      ? `the rows give ${shownCorrect} right and ${shownAbstained} abstained, not ${correct} and ${abstained}`
      : `${correct} right and ${abstained} abstained of ${n} cannot be, with the rows shown`,
  )
  if (evals.shown < n) return
  demand(hashEvalCases(evals.rows) === evals.eval_set_hash, 'eval_set_hash is of other rows')
  demand(hashEvalResults(evals.rows) === evals.results_hash, 'results_hash is of other rows')
}
