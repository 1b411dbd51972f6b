import { handleOf, mediumOf, readDataUri, type Medium } from '../../../../core/gateway/captures/recording/media.ts'
import { GATEWAY_ERRORS } from '../../../../core/gateway/errors.ts'
import { MultimodalAnswer, MultimodalBody } from '../../../../core/gateway/wire/captures/logs.ts'
import { invalidField } from '../../../../core/kernel/errors.ts'
import { newTimedId } from '../../../../core/kernel/ids.ts'
import type { Sha256 } from '../../../../core/kernel/json/json.ts'
import { canonicalHash } from '../../../../core/kernel/json/json-pieces.ts'
import { withKnownTerms } from '../../../../db/gateway/forgotten/known-terms.ts'
import { envelope } from '../../../kernel/reply/answers.ts'
import { defineRoute } from '../../services.ts'
import { requireAccess } from '../access.ts'
import { jsonOf, refusedBy, requireKept, STORE_ERRORS, STORES } from './logs.ts'
import { asksNothingKept, recorderOf, rulesIn } from './record.ts'
import { commitWith, storedOf, type Storing } from './store-files.ts'

export const storeMultimodalRoute = defineRoute({
  ...STORES,
  path: '/v1/captures/multimodal',
  operationId: 'storeMultimodal',
  summary: 'Store an image, a sound, a use of a tool or turns as a capture',
  description:
    'The hash is SHA-256 over the RFC 8785 form of the payload, every member at every depth; one that is sent is checked. The bytes of `data_uri` are stored as a file, and its handle stands in the payload in their place.',
  bodyLimit: 'capture_media_bytes',
  stores: 'blobs',
  body: MultimodalBody,
  answers: { 201: envelope('The stored capture', MultimodalAnswer) },
  errors: [...STORE_ERRORS, 'capture_hash_mismatch', 'retention_conflict'],
})
  .authorize(async ({ op, principal, body }) => {
    await requireAccess({ op, principal }, 'capture:write', body.namespace)
  })
  .handle(async ({ op, principal, services, request, body }) => {
    const { hash: given } = body
    const hash: Sha256 = `sha256:${await canonicalHash(jsonOf(body.payload))}`
    if (given !== undefined && !hash.endsWith(given)) {
      throw GATEWAY_ERRORS.capture_hash_mismatch('hash: is not the SHA-256 of the payload in its RFC 8785 form', {
        details: { fields: [{ field: 'hash', message: 'is not that of the payload' }], computed: hash },
      })
    }
    const recorder = recorderOf({ op, principal }, body.namespace)
    const asksNothing = asksNothingKept(request, {})
    const { data_uri: dataUri } = body.payload
    const medium = dataUri === undefined ? null : mediumIn(dataUri)
    return await withKnownTerms(async (isAgain) => {
      const rules = await rulesIn(services, recorder, isAgain)
      requireKept(rules, asksNothing)
      return await storePayload({ op, services, recorder, rules }, { body, hash, medium })
    })
  })

async function storePayload(
  { op, services, recorder, rules }: Storing,
  {
    body,
    hash,
    medium: given,
  }: { readonly body: MultimodalBody; readonly hash: Sha256; readonly medium: Medium | null },
) {
  const { namespace } = recorder
  const file = given === null ? null : storedOf(await services.largeGate.redactMedium(op.tenantId, given, rules))
  const medium = file?.value ?? null
  const at = op.now()
  const { data_uri: _bytes, ...rest } = body.payload
  const turns = (rest.turns ?? []).map(({ role, content }) => `${role}: ${content}`)
  const recorded = await services.largeGate.recordCall(
    recorder,
    {
      id: newTimedId('cap', at),
      at,
      source: 'multimodal',
      kind: body.kind,
      provider: null,
      model: null,
      prompt: [...(rest.tool_name === undefined ? [] : [rest.tool_name]), ...turns].join('\n\n'),
      response: '',
      body: {
        ...jsonOf(rest),
        payload_hash: hash,
        ...(medium !== null && { media: [handleOf(medium)] }),
        ...(body.redaction_receipt !== undefined && { redaction_receipt: body.redaction_receipt }),
      },
      answer: null,
      latencyUs: null,
      conversationId: null,
      fileClasses: file ?? undefined,
    },
    rules,
  )
  if (recorded.kind === 'blocked') throw refusedBy(recorded.classes)
  const { capture } = recorded
  const keepsFile = medium !== null && rules.keepsText
  const files = keepsFile ? [{ captureId: capture.facts.id, place: 0, medium }] : []
  const { forgotten } = rules
  const { headers, bytes } = await commitWith(services, op, { captures: [capture], files, namespace, forgotten })
  return {
    status: 201,
    body: {
      namespace,
      capture_id: capture.facts.id,
      kind: body.kind,
      hash,
      raw_stored: keepsFile,
      bytes_written: bytes + (keepsFile ? medium.bytes.length : 0),
      version: 'svc-multimodal-1',
    },
    headers,
  } as const
}

function mediumIn(dataUri: string): Medium {
  const read = readDataUri(dataUri)
  if (read === null || read.bytes.length === 0) throw invalidField('payload.data_uri', 'is not valid base64')
  return mediumOf({ name: 'data_uri', filename: '', mediaType: read.mime, bytes: read.bytes })
}
