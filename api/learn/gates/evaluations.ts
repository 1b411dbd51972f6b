import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import { invalidField, KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { newId } from '../../../core/kernel/ids.ts'
import { RUNTIME_VERSION } from '../../../core/kernel/version.ts'
import { targetName, type TargetSpec } from '../../../core/learn/evals/evaluation.ts'
import { decideEvaluations, type EvaluationSide } from '../../../core/learn/gate/evaluations.ts'
import { registrationHash } from '../../../core/learn/gate/registration.ts'
import { ALPHA } from '../../../core/learn/gate/spending.ts'
import { signGateReceipt } from '../../../core/ledger/receipts/gate-receipt.ts'
import { namespaceForNew } from '../../../db/kernel/namespaces/bounds.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { countPairs, listComparedRows } from '../../../db/learn/evals/evaluation-rows.ts'
import { findEvaluation } from '../../../db/learn/evals/find-evaluation.ts'
import { recordEvaluationGate } from '../../../db/learn/gates/record-evaluation-gate.ts'
import type { CallFacts } from '../services.ts'
import { charged, type GateCall } from './charged.ts'
import { thresholdsOf, type GateBody } from './posted.ts'

const SIDES = ['candidate', 'baseline'] as const
/** Members of a body that say what else a gate would decide on. */
const OTHERS = ['candidate_artifact', 'baseline_artifact', 'corpus_id', 'rows', 'rows_of'] as const
/** The interval is that of `POST /v1/evals/{id}/compare` by default. */
const COMPARING = { correction: 'bh', resamples: 2000, seed: 0 } as const

/** True for a gate on evaluations. */
export function isOfEvaluations(body: GateBody): boolean {
  return SIDES.some((side) => body[side]?.evaluation_id !== undefined)
}

type MeasuredCall = GateCall & Pick<CallFacts, 'endOfCall'>
type OpenedSide = EvaluationSide & { readonly namespace: string }

interface Sides {
  readonly candidate: OpenedSide
  readonly baseline: OpenedSide
}

/**
 * Decides a gate on two evaluations, paired by task and content of their rows, signs its receipt and returns its id. The rows
 * are counted and charged before they are compared. Throws `validation_failed` with the field, `not_found`, `not_ready` for an
 * evaluation that is not over, `no_rows`, `too_many_rows` and `quota_exhausted`.
 */
export async function decideOnEvaluations(call: MeasuredCall): Promise<string> {
  const { op, services, body } = call
  refuseOthers(body)
  const candidate = await openEvaluation(op, body, 'candidate')
  const baseline = await openEvaluation(op, body, 'baseline')
  const count = await countPairs(op, { first: baseline.evaluationId, second: candidate.evaluationId })
  if (count === 0) throw noPairs()
  if (count > services.limits.gate_rows) {
    const why = `has ${count} rows in common with the candidate; ${services.limits.gate_rows} are the most`
    throw invalidField('baseline.evaluation_id', why, COMPILE_ERRORS.too_many_rows)
  }
  return await charged(call, count, async () => await decide(call, { candidate, baseline }))
}

function noPairs() {
  const why =
    'has no row that is right or wrong in both evaluations; figures of the corpus such as bleu can be compared, and no gate decides on them'
  return invalidField('baseline.evaluation_id', why, COMPILE_ERRORS.no_rows)
}

async function decide({ op, services, body, endOfCall }: MeasuredCall, sides: Sides): Promise<string> {
  const { candidate, baseline } = sides
  const rows = {
    candidate: await listComparedRows(op, candidate.evaluationId),
    baseline: await listComparedRows(op, baseline.evaluationId),
  }
  const comparing = { first: rows.baseline, second: rows.candidate, options: COMPARING }
  const { pairs, comparisons } = await services.evals.compare(op.tenantId, comparing, endOfCall())
  // Rows may be forgotten meanwhile.
  if (pairs.length === 0) throw noPairs()
  const gate = { gateId: newId('gat'), candidate, baseline, alpha: body.alpha ?? ALPHA, decidedAt: op.now() }
  const measured = decideEvaluations({ ...gate, rows, pairs, thresholds: thresholdsOf(body) })
  const { low, high } = comparisons[0]?.interval ?? { low: -1, high: 1 }
  const decided = { ...measured, outcome: { ...measured.outcome, interval: { low, high } } }
  const { keyId, secret } = await services.receiptSecrets.current(op.tenantId)
  const receipt = signGateReceipt(
    {
      gateId: gate.gateId,
      mode: 'evaluations',
      decision: decided.decision,
      registrationHash: registrationHash(decided.registration),
      dataRoot: decided.dataRoot,
      rows: pairs.length,
      candidateCid: candidate.cid,
      baselineCid: baseline.cid,
      evaluations: { candidate: candidate.evaluationId, baseline: baseline.evaluationId },
      resultsHash: decided.resultsHash,
      attempt: null,
      alpha: gate.alpha,
      level: gate.alpha,
      runtimeVersion: RUNTIME_VERSION,
      issuedAt: gate.decidedAt,
    },
    { macKey: { keyId, secret }, signingKey: services.signingKeys.current },
  )
  const namespace = namespaceForNew(op, { namespace: body.namespace_id ?? null, continued: candidate.namespace })
  await recordEvaluationGate(op, { ...gate, decided, receipt, namespace })
  return gate.gateId
}

async function openEvaluation(op: Operation, sides: GateBody, side: (typeof SIDES)[number]): Promise<OpenedSide> {
  const field = `${side}.evaluation_id`
  const id = sides[side]?.evaluation_id
  if (id === undefined) throw invalidField(field, 'is required: both sides of such a gate are evaluations')
  const { state, source, definition, namespace } = await findEvaluation(op, id).catch((error: unknown) => {
    throw KERNEL_ERRORS.not_found.matches(error)
      ? invalidField(field, 'no such evaluation', KERNEL_ERRORS.not_found)
      : error
  })
  if (source !== 'measured')
    throw invalidField(field, 'was imported from a log: its results are asserted, not measured')
  if (state !== 'succeeded') throw invalidField(field, `is ${state}: give one that succeeded`, COMPILE_ERRORS.not_ready)
  return { evaluationId: id, target: targetName(definition.target), cid: cidOf(definition.target), namespace }
}

function cidOf(target: TargetSpec): string | null {
  return target.kind === 'artifact' || target.kind === 'base' ? target.cid : null
}

/** Refuses what a gate on evaluations would ignore. */
function refuseOthers(body: GateBody): void {
  const why = 'must be absent beside evaluations'
  for (const field of OTHERS) if (body[field] !== undefined) throw invalidField(field, why)
  if (body.significance !== false)
    throw invalidField('significance', `${why}, which are tested by McNemar's exact test`)
  for (const side of SIDES) {
    const {
      artifact_id: artifact,
      k_score: score,
      axes,
      per_case: cases,
      regression_classes: classes,
    } = body[side] ?? {}
    const posted = { artifact_id: artifact, k_score: score, axes, per_case: cases, regression_classes: classes?.[0] }
    const found = Object.entries(posted).find(([, value]) => value !== undefined)
    if (found !== undefined) throw invalidField(`${side}.${found[0]}`, why)
  }
}
