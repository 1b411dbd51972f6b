import { z } from 'zod'
import { Ed25519Block } from '../../../ledger/keys/sealed-document.ts'
import { Plan } from '../../../kernel/wire/tenant.ts'
import { ArtifactId } from '../../../kernel/wire/ids.ts'
import { JsonValue } from '../../../kernel/wire/values.ts'

const ControlView = z
  .object({
    id: z.string(),
    title: z.string(),
    state: z.enum(['met', 'not_met']),
    evidence: z.string().meta({ description: 'The evidence found for this package' }),
    maps_to: z.array(z.string()).meta({ description: 'Clauses that require it' }),
  })
  .meta({ id: 'Control' })

const AttestationView = z
  .object({
    spec: z.literal('svc-compliance-attestation-v1'),
    bundle_id: z.string(),
    tenant_id: z.string(),
    generated_at: z.iso.datetime(),
    zip_sha256: z.string().meta({ description: 'Digest of the bytes of `b64_zip`' }),
    files: z.array(z.object({ name: z.string(), sha256: z.string(), bytes: z.int() })),
    signature_ed25519: Ed25519Block,
  })
  .meta({ id: 'ComplianceAttestation', description: 'The signed statement: Ed25519 over its RFC 8785 form' })

/** The facts of a compliance package. */
export const ComplianceFacts = z.object({
  spec: z.literal('svc-compliance-package-v1'),
  bundle_id: z.string(),
  generated_at: z.iso.datetime(),
  tenant: z.object({
    id: z.string(),
    name: z.string(),
    email: z.string().nullable(),
    plan: Plan,
    region: z.string(),
    created_at: z.iso.datetime(),
  }),
  org: z.object({ members: z.record(z.string(), z.int()).meta({ description: 'Active members by role' }) }),
  counts: z.object({
    concepts: z.int(),
    compile_jobs: z.int(),
    receipts_signed: z.int(),
    audit_events: z.int(),
  }),
  controls: z.array(ControlView),
  subprocessors: z
    .array(z.object({ name: z.string(), purpose: z.string() }))
    .meta({ description: 'Recipients of data in the current configuration' }),
  receipts: z.array(
    z.object({
      artifact_id: ArtifactId,
      name: z.string(),
      archive_hash: z.string(),
      k_score: z.number(),
      created_at: z.iso.datetime(),
      receipt: JsonValue,
    }),
  ),
  audit_log: z.array(
    z.object({ at: z.iso.datetime(), actor: z.string(), op: z.string(), target: z.string().nullable() }),
  ),
  attestation: AttestationView,
})

/** Answer of `GET /v1/account/compliance-package`. */
export const GetCompliancePackageAnswer = ComplianceFacts.extend({
  b64_zip: z.string().meta({ description: 'The zip, in base64' }),
})
