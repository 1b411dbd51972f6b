import { z } from 'zod'
import { ATTESTATION_KINDS } from '../../../core/compile/wire/artifacts/capability.ts'
import { SHAPES } from '../../../core/evidence/cc/shapes.ts'
import { CC_CHECKS, CC_STATES } from '../../../core/evidence/cc/verdict.ts'
import { CC_SPEC, verifyReport } from '../../../core/evidence/cc/verify-report.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { AnyJson } from '../../../core/ledger/wire/fields.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'

const COMPUTES = 'none: it computes from the request alone'
const limit = { name: 'cc', limit: 'planning_calls_per_ip_minute', windowS: 60, counts: 'calls' } as const

const Hex = z
  .string()
  .regex(/^(?:[0-9a-fA-F]{2})+$/, { error: 'must be an even number of hex digits' })
  .max(1024)
  .transform((text) => text.toLowerCase())

export const listCcKindsRoute = defineRoute({
  method: 'get',
  path: '/v1/cc/kinds',
  operationId: 'listCcKinds',
  group: 'registry',
  summary: 'List the kinds of attestation report',
  auth: 'key',
  scope: 'artifacts:read',
  namespace: COMPUTES,
  answers: {
    200: envelope(
      'The kinds, and which of them are verified here',
      z.object({
        spec: z.literal(CC_SPEC),
        kinds: z.array(z.enum(ATTESTATION_KINDS)),
        verifiable: z
          .array(z.enum(ATTESTATION_KINDS))
          .meta({ description: 'Kinds whose roots the operator has pinned' }),
      }),
    ),
  },
  errors: [],
}).handle(async ({ services: { ccRoots } }) => ({
  status: 200,
  body: {
    spec: CC_SPEC,
    kinds: [...ATTESTATION_KINDS],
    verifiable: ATTESTATION_KINDS.filter((kind) => kind !== 'pccs' && ccRoots[kind] !== undefined),
  },
}))

export const getCcShapeRoute = defineRoute({
  method: 'get',
  path: '/v1/cc/shape/{kind}',
  operationId: 'getCcShape',
  group: 'registry',
  summary: 'Show the fields of a kind of attestation report',
  auth: 'key',
  scope: 'artifacts:read',
  namespace: COMPUTES,
  params: z.object({ kind: z.string().meta({ example: 'snp-report' }) }),
  answers: {
    200: envelope(
      'The fields',
      z.object({
        kind: z.string(),
        shape: z.object({
          required: z.array(z.string()),
          types: z.record(z.string(), z.string()).meta({ description: '`hexN` is N hex digits' }),
        }),
      }),
    ),
  },
  errors: ['not_found'],
}).handle(async ({ params: { kind } }) => {
  const known = ATTESTATION_KINDS.find((each) => each === kind)
  if (known === undefined) throw KERNEL_ERRORS.not_found(`no such kind of report: ${ATTESTATION_KINDS.join(', ')}`)
  return { status: 200, body: { kind, shape: { required: Object.keys(SHAPES[known]), types: { ...SHAPES[known] } } } }
})

const Options = z
  .object({
    nonce: Hex.refine((text) => text.length >= 16 && text.length <= 1024, { error: 'must have 8 bytes or more' })
      .optional()
      .meta({ description: 'The nonce that the report was asked with, as hex digits', override: { minLength: 16 } }),
    measurement: z
      .union([Hex, z.record(z.string().regex(/^\d{1,2}$/), Hex)])
      .optional()
      .meta({ description: 'The expected measurement; of an enclave a text is register 0, or registers by number' }),
  })
  .meta({ id: 'CcExpectations' })

export const verifyCcReportRoute = defineRoute({
  method: 'post',
  path: '/v1/cc/verify',
  operationId: 'verifyCcReport',
  group: 'registry',
  summary: 'Verify an attestation report',
  description:
    '`verified` is true only after signature, chain to a root that the operator pins, validity, nonce and measurement. ' +
    'Fields alone give `shape_ok`. `raw` holds the bytes of the report in base64, and `certificates` the VCEK and what ' +
    'stands between it and the root.',
  auth: 'key',
  scope: 'artifacts:read',
  namespace: COMPUTES,
  stores: 'bounded',
  limit,
  body: z.object({
    kind: z.string().max(64),
    report: z.record(z.string(), AnyJson),
    opts: Options.optional(),
  }),
  answers: {
    200: envelope(
      'The verdict',
      z.object({
        spec: z.literal(CC_SPEC),
        kind: z.string(),
        state: z.enum(CC_STATES),
        verified: z.boolean(),
        verifier: z.string().nullable(),
        reason: z.string(),
        fields_checked: z.array(z.string()),
        missing: z.array(z.string()).optional(),
        field: z.string().optional(),
        expected: z.string().optional(),
        checks: z.partialRecord(z.enum(CC_CHECKS), z.boolean()),
        decoded: z.record(z.string(), AnyJson).optional().meta({ description: 'What the bytes say' }),
        report_hash: z.string().meta({ description: 'SHA-256 of the RFC 8785 form of the report' }),
        timestamp: z.iso.datetime(),
      }),
    ),
  },
  errors: [],
}).handle(async ({ op, services, body }) => {
  const now = op.now()
  const verdict = await verifyReport(
    { kind: body.kind, report: body.report, expected: body.opts ?? {} },
    services.ccRoots,
    now,
  )
  const { problem, decoded } = verdict
  return {
    status: 200,
    body: {
      spec: CC_SPEC,
      kind: verdict.kind,
      state: verdict.state,
      verified: verdict.verified,
      verifier: verdict.verifier,
      reason: verdict.reason,
      fields_checked: [...verdict.fieldsChecked],
      ...(problem?.reason === 'missing_fields' && { missing: [...problem.missing] }),
      ...(problem?.reason === 'bad_field_type' && { field: problem.field, expected: problem.expected }),
      checks: { ...verdict.checks },
      ...(decoded !== undefined && { decoded }),
      report_hash: verdict.reportHash,
      timestamp: now.toISOString(),
    },
  }
})
