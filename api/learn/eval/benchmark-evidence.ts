import { hashJson, type Json, type JsonObject } from '../../../core/kernel/json/json.ts'
import { EVIDENCE_LANES, MATRIX_SPEC, OWN_LANE, reportPath } from '../../../core/learn/plans/benchmarks/lanes.ts'
import { validateMatrix } from '../../../core/learn/plans/benchmarks/validate-matrix.ts'
import { LEARN_ERRORS } from '../../../core/learn/errors.ts'
import {
  BenchmarkEvidenceAnswer,
  EvidenceMatrix,
  EvidenceTemplateAnswer,
  EvidenceVerdict,
} from '../../../core/learn/wire/evidence.ts'
import { findSigned, type SignedEvidence } from '../../../db/learn/evidence/find-signed.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { framed } from '../plan-frame.ts'
import { defineRoute } from '../services.ts'

const BLOCKERS = ['public_reports_not_published', 'api_baselines_not_measured'] as const

export const getBenchmarkEvidenceRoute = defineRoute({
  method: 'get',
  path: '/v1/eval/benchmark-evidence',
  operationId: 'getBenchmarkEvidence',
  group: 'eval',
  summary: 'Show what there is of benchmark evidence',
  description:
    'The lanes that evidence has to cover. The lane of the own artifact is measured from the newest artifact in force, by what was signed of it; nothing else is claimed. This service publishes no claim, so `public_claim_ready` is false.',
  auth: 'key',
  scope: 'eval:read',
  namespace: 'bounded',
  answers: { 200: envelope('The lanes, and what is missing', BenchmarkEvidenceAnswer) },
}).handle(async ({ op }) => {
  const signed = await findSigned(op)
  const lanes = EVIDENCE_LANES.map(({ id, label, fields }) => {
    const values = id === OWN_LANE && signed !== null ? valuesOf(signed) : {}
    const basis = Object.keys(values).length > 0 ? ('measured' as const) : ('missing' as const)
    const required = Object.keys(fields)
    return {
      id,
      label,
      basis,
      required_fields: required,
      missing_fields: required.filter((name) => !(name in values)),
      values,
    }
  })
  const measured = lanes.filter(({ basis }) => basis === 'measured').length
  const { ok, failures } = validateMatrix(template(op.now(), lanes), null)
  const blockers = [...(signed === null ? ['no_signed_artifact'] : []), ...BLOCKERS]
  const data = {
    spec: MATRIX_SPEC,
    local_contract_ok: signed !== null,
    public_claim_ready: false as const,
    counts: { lanes: lanes.length, measured, missing: lanes.length - measured },
    required_artifacts: EVIDENCE_LANES.map(({ id }) => reportPath(id)),
    optional_reports: [],
    provider_matrix_validation: { ok, failures: [...failures] },
    lanes,
    blockers,
  }
  const facts = {
    surface: 'benchmark-evidence' as const,
    spec: MATRIX_SPEC,
    stage: 'collect',
    status: 'needs_evidence',
    requirements: blockers,
    proofs: signed === null ? [] : [signed.artifactHash],
  }
  return { status: 200, body: framed(op, facts, data) }
})

export const getEvidenceTemplateRoute = defineRoute({
  method: 'get',
  path: '/v1/eval/benchmark-evidence/template',
  operationId: 'getEvidenceTemplate',
  group: 'eval',
  summary: 'Get an empty matrix of benchmark evidence',
  auth: 'key',
  scope: 'eval:read',
  namespace: 'none: it is the same in every namespace',
  answers: { 200: envelope('The matrix, with null for each field to fill in', EvidenceTemplateAnswer) },
}).handle(async ({ op }) => ({
  status: 200,
  body: framed(
    op,
    { surface: 'benchmark-evidence-template' as const, spec: MATRIX_SPEC, stage: 'collect', status: 'ready' },
    { template: template(op.now(), []) },
  ),
}))

export const validateEvidenceRoute = defineRoute({
  method: 'post',
  path: '/v1/eval/benchmark-evidence/validate',
  operationId: 'validateBenchmarkEvidence',
  group: 'eval',
  summary: 'Validate a matrix of benchmark evidence',
  description:
    'Every fault is named as `<lane>:<field>:<reason>` in `details.failures`. The own lane is `measured` when it names an artifact of the tenant and repeats what was signed; every other lane is `asserted`. Nothing is stored or published.',
  auth: 'key',
  scope: 'eval:read',
  namespace: 'bounded',
  stores: 'bounded',
  body: EvidenceMatrix,
  answers: { 200: envelope('The matrix has no fault', EvidenceVerdict) },
  errors: ['benchmark_evidence_incomplete'],
}).handle(async ({ op, body }) => {
  const hash = ownHash(body)
  const signed = hash === null ? null : await findSigned(op, hash)
  const { ok, failures, lanes } = validateMatrix(body, signed)
  if (!ok) {
    throw LEARN_ERRORS.benchmark_evidence_incomplete(`the matrix has ${failures.length} faults: ${failures[0] ?? ''}`, {
      details: { failures: [...failures], lanes: lanes.map((lane) => ({ ...lane })) },
    })
  }
  return {
    status: 200,
    body: { public_claim_ready: false, lanes: lanes.map((lane) => ({ ...lane })), secret_values_included: false },
  }
})

/** The artifact hash of the own lane, as signed ones are written. */
function ownHash({ lanes }: JsonObject): string | null {
  if (!Array.isArray(lanes)) return null
  for (const lane of lanes) {
    if (lane === null || typeof lane !== 'object' || Array.isArray(lane)) continue
    const { lane: id, artifact_hash: hash } = { lane: null, artifact_hash: null, ...lane }
    if (id === OWN_LANE && typeof hash === 'string') return `sha256:${hash.replace(/^sha256:/, '')}`
  }
  return null
}

function valuesOf({ artifactHash, kScore, sizeBytes, receipt }: SignedEvidence): JsonObject {
  return { artifact_hash: artifactHash, k_score: kScore, size_bytes: sizeBytes, receipt_hash: hashJson(receipt) }
}

/** A matrix with what is known of its lanes, and null for the rest. */
function template(now: Date, known: readonly { readonly id: string; readonly values: JsonObject }[]): JsonObject {
  const lanes = EVIDENCE_LANES.map(({ id, fields }): JsonObject => {
    const empty: readonly (readonly [string, Json])[] = Object.keys(fields).map((name) => [name, null])
    return { lane: id, ...Object.fromEntries(empty), ...known.find((lane) => lane.id === id)?.values }
  })
  return {
    spec: MATRIX_SPEC,
    secret_values_included: false,
    generated_at: now.toISOString(),
    methodology: { dataset_version: null, scoring: null, raw_data_policy: 'no raw prompts and no raw outputs' },
    publication: {
      leaderboard_url: null,
      report_paths: Object.fromEntries(EVIDENCE_LANES.map(({ id }) => [id, reportPath(id)])),
      reproducer_command: null,
      reproducer_command_sha256: null,
      freshness_expires_at: null,
    },
    lanes,
  }
}
