import type { z } from 'zod'
import { VALIDATION_VERSION, validateManifest, type ManifestReport } from '../../../core/gateway/control/manifest.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../core/kernel/json/json.ts'
import { storeManifest } from '../../../db/gateway/control/store-manifest.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { receiptSignerOf } from './events.ts'
import { ManifestBody, ValidateAdapterManifestAnswer } from '../../../core/gateway/wire/control/manifests.ts'
import { GATEWAY_ERRORS } from '../../../core/gateway/errors.ts'
import { defineRoute } from '../services.ts'

const LISTED_FIELDS = 40

export const validateManifestRoute = defineRoute({
  method: 'post',
  path: '/v1/account/api-control-center/adapter-manifests/validate',
  operationId: 'validateAdapterManifest',
  group: 'accounts',
  summary: 'Check an adapter manifest, and keep it when it is valid',
  description:
    'The schemas are compiled, the fixture is run through the input schema and the redaction map, and no sensitive text may remain in it. An invalid manifest answers 422 with the whole report. A valid version never changes.',
  auth: 'key',
  scope: 'control:write',
  stores: 'records',
  namespace: 'refused',
  body: ManifestBody,
  answers: { 200: envelope('The report', ValidateAdapterManifestAnswer) },
  errors: ['manifest_invalid', 'duplicate', 'limit_reached', 'busy'],
}).handle(async ({ op, services, body }) => {
  const given = manifestIn(body)
  const report = await validateManifest(
    given,
    async (schema, value) => await services.schemaChecks.check(op.tenantId, schema, value),
  )
  if (report.manifest === null) {
    const named = report.problems.map(({ field, message }) => `${field}: ${message}`).join('; ')
    throw GATEWAY_ERRORS.manifest_invalid(named.slice(0, 1000), {
      details: { fields: report.problems, adapter_manifest_validation: presentReport(report) },
    })
  }
  const stored = await storeManifest(op, {
    manifest: report.manifest,
    hash: report.hash,
    report: presentReport(report),
    signer: await receiptSignerOf(services, op.tenantId),
    limits: services.limits,
  })
  return {
    status: 200,
    body: { adapter_manifest_validation: { ...stored.report, manifest_id: stored.id } },
  }
})

function manifestIn(body: z.output<typeof ManifestBody>): JsonObject {
  const inner = body.adapter_manifest ?? body.manifest
  if (isJsonObject(inner)) return inner
  const whole: unknown = body
  return whole as JsonObject
}

/** Presents the report on a manifest. */
function presentReport({ manifest, hash, problems, required, fixture }: ManifestReport): JsonObject {
  const fieldsOf = (schema: Json | undefined): readonly string[] => {
    const properties = isJsonObject(schema) ? schema['properties'] : undefined
    return isJsonObject(properties) ? Object.keys(properties).slice(0, LISTED_FIELDS) : []
  }
  return {
    ok: manifest !== null,
    version: VALIDATION_VERSION,
    adapter_state: manifest === null ? 'opaque' : 'manifest-declared',
    manifest_hash: hash,
    required_evidence: {
      required: [...required.present, ...required.missing],
      present: [...required.present],
      missing: [...required.missing],
    },
    problems: problems.map(({ field, message }) => ({ field, message })),
    normalized_manifest:
      manifest === null
        ? null
        : {
            adapter_id: manifest.adapter_id,
            adapter_version: manifest.adapter_version,
            channel_family: manifest.channel_family,
            direction: manifest.direction,
            input_fields: fieldsOf(manifest.input_schema),
            output_fields: fieldsOf(manifest.output_schema),
            redaction_fields: Object.keys(manifest.redaction_map),
            egress_destinations: [...manifest.egress_destinations],
          },
    fixture_redaction: { result: fixture.result, classes: [...fixture.classes] },
  }
}
