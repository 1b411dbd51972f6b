import { Readable } from 'node:stream'
import type { z } from 'zod'
import {
  buildCompliancePackage,
  type CompliancePackage,
  type Subprocessor,
} from '../../../db/overview/account/compliance/build-package.ts'
import { streamedEnvelope } from '../../kernel/reply/answers.ts'
import { ComplianceFacts, GetCompliancePackageAnswer } from '../../../core/overview/wire/account/compliance-package.ts'
import { defineRoute, type OverviewServices } from '../services.ts'

export const getCompliancePackageRoute = defineRoute({
  method: 'get',
  path: '/v1/account/compliance-package',
  operationId: 'getCompliancePackage',
  group: 'accounts',
  summary: 'Download the evidence of how the tenant’s data is protected, as a signed zip',
  description:
    'Each control is derived from the current configuration and rows; a control without evidence is `not_met`. The zip holds the whole audit log with its checkpoints, the receipts of all artifacts and the keys that check them; the answer itself holds the newest hundred of each.',
  auth: 'key',
  scope: 'account:export',
  namespace: 'refused',
  answers: {
    200: streamedEnvelope('The package', GetCompliancePackageAnswer),
  },
  errors: ['payload_too_large', 'busy'],
}).handle(async ({ services, op, requestId }) => {
  const subprocessors = subprocessorsOf(services)
  const made = await buildCompliancePackage(op, {
    limits: services.limits,
    region: services.settings.region,
    publicUrl: services.settings.publicUrl,
    signingKeys: services.signingKeys,
    subprocessors,
  })
  try {
    const facts = ComplianceFacts.parse(presentFacts(made, subprocessors))
    return { status: 200, ...streamPackage(made, { request_id: requestId, ...facts }) }
  } catch (error) {
    await made.close()
    throw error
  }
})

function presentFacts(
  made: CompliancePackage,
  subprocessors: readonly Subprocessor[],
): z.input<typeof ComplianceFacts> {
  return {
    spec: 'svc-compliance-package-v1',
    bundle_id: made.bundleId,
    generated_at: made.generatedAt.toISOString(),
    tenant: { ...made.tenant },
    org: { members: { ...made.members } },
    counts: { ...made.counts },
    controls: made.controls.map((control) => ({ ...control, maps_to: [...control.maps_to] })),
    subprocessors: subprocessors.map(({ name, purpose }) => ({ name, purpose })),
    receipts: made.receipts.map((receipt) => ({
      artifact_id: receipt.artifactId,
      name: receipt.name,
      archive_hash: receipt.archiveHash,
      k_score: receipt.kScore,
      created_at: receipt.createdAt.toISOString(),
      receipt: receipt.receipt,
    })),
    audit_log: made.auditLog.map(({ at, actor, action, target }) => ({
      at: at.toISOString(),
      actor,
      op: action,
      target: target ?? null,
    })),
    attestation: { ...made.attestation, files: made.attestation.files.map((file) => ({ ...file })) },
  }
}

/** Bytes of the zip that become one piece of base64: a multiple of three, so that the pieces can be joined. */
const PIECE_BYTES = 48 * 1024

/** The answer with the zip as its last member, which is never in memory as a whole. */
function streamPackage(made: CompliancePackage, facts: Record<string, unknown>) {
  const head = `${JSON.stringify({ ok: true, ...facts }).slice(0, -1)},"b64_zip":"`
  const tail = '"}'
  async function* pieces(): AsyncGenerator<string> {
    yield head
    for await (const bytes of made.zip.read(PIECE_BYTES)) yield bytes.toString('base64')
    yield tail
  }
  const stream = Readable.from(pieces(), { objectMode: false })
  stream.once('close', () => void made.close().catch(() => undefined))
  const lengthBytes = Buffer.byteLength(head) + 4 * Math.ceil(made.zip.sizeBytes / 3) + tail.length
  return { raw: { kind: 'stream' as const, stream, lengthBytes }, headers: { 'Cache-Control': 'no-store' } }
}

/** Returns the configured processors to which the service sends data. */
function subprocessorsOf({ settings, processor }: OverviewServices): readonly Subprocessor[] {
  const { teacher } = settings
  return [
    ...(processor === null ? [] : [{ name: 'Stripe', purpose: 'Takes payments: address, plan, tax fields' }]),
    ...(teacher === undefined
      ? []
      : [{ name: teacher.model, purpose: 'A model that compiles ask for answers, with examples' }]),
    ...(settings.isMailConfigured ? [{ name: 'SMTP relay', purpose: 'Delivers mails to members' }] : []),
  ]
}
