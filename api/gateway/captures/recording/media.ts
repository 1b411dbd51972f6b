import type { Readable } from 'node:stream'
import {
  recordCall,
  type CallRecorder,
  type CallRules,
} from '../../../../core/gateway/captures/recording/record-call.ts'
import {
  endingOf,
  handleOf,
  kindOf,
  mediumOf,
  payloadHash,
  readDataUri,
  type Medium,
} from '../../../../core/gateway/captures/recording/media.ts'
import type { NewCapture } from '../../../../core/gateway/captures/capture.ts'
import {
  redactMedium,
  redactTexts,
  type Redacted,
  type Stored,
} from '../../../../core/gateway/captures/recording/redact-texts.ts'
import { audioOfFile } from '../../../../core/gateway/captures/recording/audio-facts.ts'
import { meterAudio } from '../../../../core/gateway/protocol/audio/meter.ts'
import { GATEWAY_ERRORS } from '../../../../core/gateway/errors.ts'
import { CaptureNamespace } from '../../../../core/gateway/wire/captures/fields.ts'
import {
  MultimodalAnswer,
  MultimodalBody,
  StoreMediaAnswer,
  StoreMediaForm,
} from '../../../../core/gateway/wire/captures/logs.ts'
import { invalidField, KERNEL_ERRORS } from '../../../../core/kernel/errors.ts'
import { newTimedId } from '../../../../core/kernel/ids.ts'
import { storeMedia, type MediaOfCaptures } from '../../../../db/gateway/captures/recording/store-media.ts'
import type { Operation } from '../../../../db/kernel/operation.ts'
import { envelope } from '../../../kernel/reply/answers.ts'
import { readParts } from '../../../kernel/request/multipart.ts'
import type { ReplyHeaders } from '../../../kernel/route.ts'
import { defineRoute, type GatewayServices } from '../../services.ts'
import { requireAccess } from '../access.ts'
import { jsonOf, refusedBy, requireKept, STORE_ERRORS, STORES } from './logs.ts'
import { asksNothingKept, commitAll, recorderOf, rulesIn } from './record.ts'

/** Names of parts that are read as files; eight parts at most are. */
const PART_NAMES = ['namespace', 'input', 'file', 'files', 'image', 'audio', 'video', 'media']
const MOST_FILES = 8
const MOST_TEXT_BYTES = 64 * 1024
const MEDIA_NAMESPACE = 'media'

export const storeMediaRoute = defineRoute({
  method: 'post',
  path: '/v1/capture/media',
  operationId: 'storeMedia',
  summary: 'Store files as captures',
  description:
    'Takes `multipart/form-data` with up to eight files, 16 MiB in all, and the fields `namespace` (default `media`) and `input`. Equal bytes are stored once; the handle `media:<sha256>` names them within your account. Each file is a capture of its own. Names of files, and files that are texts, are redacted as the namespace says before they are stored, and refused where it blocks; a namespace with `metadata_only` keeps neither.',
  group: 'captures',
  auth: 'key',
  scope: 'capture:write',
  namespace: 'bounded',
  stores: 'blobs',
  multipart: StoreMediaForm,
  answers: { 201: envelope('The stored files', StoreMediaAnswer) },
  errors: [
    ...STORE_ERRORS,
    'unsupported_media_type',
    'payload_too_large',
    'storage_allowance_used',
    'retention_conflict',
    'rate_limited',
  ],
}).handle(
  async () => {
    throw await Promise.resolve(KERNEL_ERRORS.unsupported_media_type('send the files as multipart/form-data'))
  },
  async ({ op, principal, services, request }) => {
    const { limits, streams } = services
    const leave = streams.enter(`uploads of ${op.tenantId}`, limits.capture_uploads_per_tenant)
    try {
      const { fields, media } = await receive(request, limits.capture_media_bytes)
      const { data: namespace, error } = CaptureNamespace.safeParse(fields['namespace'] ?? MEDIA_NAMESPACE)
      if (error) throw invalidField('namespace', 'must be lower-case letters, digits and dashes, at most 63')
      await requireAccess({ op, principal }, 'capture:write', namespace)
      if (media.length === 0) throw invalidField('file', 'is required: send a file')
      const recorder = recorderOf({ op, principal }, namespace)
      const rules = await rulesIn(services, recorder)
      requireKept(rules, asksNothingKept(request, {}))
      const stored = media.map((medium) => storedOf(redactMedium(medium, rules)))
      const input = fields['input'] === undefined ? undefined : storedOf(redactTexts([fields['input']], rules)).value[0]
      const captures = stored.map((file) => captureOfFile(recorder, rules, op.now(), file, fields['input'] ?? ''))
      const files = rules.keepsText
        ? stored.map(({ value: medium }, i) => ({ captureId: captures[i]?.facts.id ?? '', place: 0, medium }))
        : []
      const headers = await commitWith(services, op, { captures, files, namespace })
      return {
        status: 201,
        body: {
          namespace,
          count: stored.length,
          blobs: stored.map(({ value: medium }) => ({
            is_stored: rules.keepsText,
            uri: handleOf(medium),
            hash: medium.sha256,
            bytes: medium.bytes.length,
            mime: medium.mime,
            kind: kindOf(medium.mime),
            ext: endingOf(medium.mime),
            name: medium.name,
            filename: medium.filename,
          })),
          event_ids: captures.map(({ facts }) => facts.id),
          fields: { namespace, ...(input !== undefined && { input }) },
        },
        headers: {
          ...headers,
          'x-svc-capture-media-kinds': [...new Set(stored.map(({ value: { mime } }) => kindOf(mime)))].join(','),
        },
      }
    } finally {
      leave()
    }
  },
)

/** Throws `privacy_policy_blocked`. */
function storedOf<T>(redacted: Redacted<T>): Stored<T> {
  if (redacted.kind === 'blocked') throw refusedBy(redacted.classes)
  return redacted
}

/** Commits captures with their files; without files, as other captures. */
async function commitWith(
  services: GatewayServices,
  op: Operation,
  { captures, files, namespace }: Omit<MediaOfCaptures, 'limits'> & { readonly captures: readonly NewCapture[] },
): Promise<ReplyHeaders> {
  if (files.length === 0) return await commitAll(services, op, captures, namespace)
  let headers: ReplyHeaders = {}
  await storeMedia(op, { namespace, files, limits: services.limits }, async (db) => {
    headers = await commitAll(services, { ...op, db }, captures, namespace)
  })
  return headers
}

/** Reads the parts of a body into memory, all together within a bound. */
async function receive(request: Parameters<typeof readParts>[0], maxBytes: number) {
  const fields: Record<string, string> = {}
  const media: Medium[] = []
  let left = maxBytes
  const gather = async (stream: Readable, most: number): Promise<Buffer> => {
    const pieces: Buffer[] = []
    let size = 0
    for await (const piece of stream as AsyncIterable<Buffer>) {
      size += piece.length
      left -= piece.length
      if (size > most || left < 0) throw KERNEL_ERRORS.payload_too_large(`more than ${maxBytes} bytes`)
      pieces.push(piece)
    }
    return Buffer.concat(pieces)
  }
  await readParts(request, maxBytes, PART_NAMES, async (part) => {
    if ((part.name === 'namespace' || part.name === 'input') && part.filename === '') {
      fields[part.name] = (await gather(part.stream, MOST_TEXT_BYTES)).toString('utf8')
      return
    }
    const bytes = await gather(part.stream, maxBytes)
    if (bytes.length === 0) throw invalidField(part.name, 'is an empty file')
    if (media.length === MOST_FILES) throw invalidField('file', `is sent more than ${MOST_FILES} times`)
    media.push(mediumOf({ ...part, bytes }))
  })
  return { fields, media }
}

function audioOfMedium({ bytes, mime, sha256 }: Medium) {
  const meter = meterAudio()
  meter.take(bytes)
  return audioOfFile(meter.measured(mime), sha256.slice('sha256:'.length))
}

function captureOfFile(
  recorder: CallRecorder,
  rules: CallRules,
  at: Date,
  { value: medium, classes: fileClasses }: Stored<Medium>,
  input: string,
) {
  const recorded = recordCall(
    recorder,
    {
      id: newTimedId('cap', at),
      at,
      source: 'media',
      kind: kindOf(medium.mime),
      provider: null,
      model: null,
      prompt: input,
      response: '',
      body: { input, media: [handleOf(medium)] },
      answer: null,
      latencyUs: null,
      audio: kindOf(medium.mime) === 'audio' ? audioOfMedium(medium) : null,
      conversationId: null,
      fileClasses,
    },
    rules,
  )
  if (recorded.kind === 'blocked') throw refusedBy(recorded.classes)
  return recorded.capture
}

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
  errors: [...STORE_ERRORS, 'capture_hash_mismatch', 'storage_allowance_used', 'retention_conflict'],
})
  .authorize(async ({ op, principal, body }) => {
    await requireAccess({ op, principal }, 'capture:write', body.namespace)
  })
  .handle(async ({ op, principal, services, request, body }) => {
    const { kind, hash: given } = body
    const payload = jsonOf(body.payload)
    const hash = payloadHash(payload)
    if (given !== undefined && !hash.endsWith(given)) {
      throw GATEWAY_ERRORS.capture_hash_mismatch('hash: is not the SHA-256 of the payload in its RFC 8785 form', {
        details: { fields: [{ field: 'hash', message: 'is not that of the payload' }], computed: hash },
      })
    }
    const recorder = recorderOf({ op, principal }, body.namespace)
    const rules = await rulesIn(services, recorder)
    requireKept(rules, asksNothingKept(request, {}))
    const { data_uri: dataUri, ...rest } = body.payload
    const file = dataUri === undefined ? null : storedOf(redactMedium(mediumIn(dataUri), rules))
    const medium = file?.value ?? null
    const at = op.now()
    const turns = (rest.turns ?? []).map(({ role, content }) => `${role}: ${content}`)
    const recorded = recordCall(
      recorder,
      {
        id: newTimedId('cap', at),
        at,
        source: 'multimodal',
        kind,
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
        fileClasses: file?.classes ?? [],
      },
      rules,
    )
    if (recorded.kind === 'blocked') throw refusedBy(recorded.classes)
    const { capture } = recorded
    const { namespace } = recorder
    const keepsFile = medium !== null && rules.keepsText
    const files = keepsFile ? [{ captureId: capture.facts.id, place: 0, medium }] : []
    const headers = await commitWith(services, op, { captures: [capture], files, namespace })
    return {
      status: 201,
      body: {
        namespace,
        capture_id: capture.facts.id,
        kind,
        hash,
        raw_stored: keepsFile,
        bytes_written: Buffer.byteLength(JSON.stringify(capture.content)) + (keepsFile ? medium.bytes.length : 0),
        version: 'svc-multimodal-1',
      },
      headers,
    }
  })

function mediumIn(dataUri: string): Medium {
  const read = readDataUri(dataUri)
  if (read === null || read.bytes.length === 0) throw invalidField('payload.data_uri', 'is not valid base64')
  return mediumOf({ name: 'data_uri', filename: '', mediaType: read.mime, bytes: read.bytes })
}
