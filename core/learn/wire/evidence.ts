import { z } from 'zod'
import { JsonValue } from '../../kernel/wire/values.ts'
import { MATRIX_SPEC } from '../plans/benchmarks/lanes.ts'
import { planFrame } from './plan-frame.ts'

const LaneState = z
  .object({
    id: z.string(),
    label: z.string(),
    basis: z.enum(['measured', 'asserted', 'missing']),
    required_fields: z.array(z.string()),
    missing_fields: z.array(z.string()),
    values: z.record(z.string(), JsonValue).meta({ description: 'What a signed evaluation of the tenant says' }),
  })
  .meta({ id: 'EvidenceLane' })

/** Answer of `GET /v1/eval/benchmark-evidence`. */
export const BenchmarkEvidenceAnswer = planFrame(
  'benchmark-evidence',
  z.object({
    spec: z.literal(MATRIX_SPEC),
    local_contract_ok: z.boolean(),
    public_claim_ready: z.literal(false).meta({ description: 'This service publishes no claim: reports are asserted' }),
    counts: z.object({ lanes: z.int(), measured: z.int(), missing: z.int() }),
    required_artifacts: z.array(z.string()),
    optional_reports: z.array(z.string()),
    provider_matrix_validation: z.object({ ok: z.boolean(), failures: z.array(z.string()) }),
    lanes: z.array(LaneState),
    blockers: z.array(z.string()),
  }),
).meta({ id: 'BenchmarkEvidence' })

/** Answer of `GET /v1/eval/benchmark-evidence/template`. */
export const EvidenceTemplateAnswer = planFrame(
  'benchmark-evidence-template',
  z.object({ template: z.record(z.string(), JsonValue) }),
).meta({ id: 'EvidenceTemplate' })

/** Body of `POST /v1/eval/benchmark-evidence/validate`: a matrix. */
export const EvidenceMatrix = z.record(z.string(), JsonValue).meta({
  id: 'EvidenceMatrix',
  example: { spec: MATRIX_SPEC, secret_values_included: false, lanes: [] },
})

/** The verdict on a matrix without a fault; one with faults is the error `benchmark_evidence_incomplete`. */
export const EvidenceVerdict = z
  .object({
    public_claim_ready: z.literal(false).meta({ description: 'This service publishes no claim: reports are asserted' }),
    lanes: z.array(
      z.object({ id: z.string(), basis: z.enum(['measured', 'asserted', 'missing']) }).meta({ id: 'EvidenceBasis' }),
    ),
    secret_values_included: z.literal(false),
  })
  .meta({ id: 'EvidenceVerdict' })
