import type { Readable } from 'node:stream'
import {
  recordCall,
  type CallRecorder,
  type CallRules,
} from '../../../../core/gateway/captures/recording/record-call.ts'
import { endingOf, handleOf, kindOf, mediumOf, type Medium } from '../../../../core/gateway/captures/recording/media.ts'
import { redactTexts, type Stored } from '../../../../core/gateway/captures/recording/redact-texts.ts'
import { audioOfFile } from '../../../../core/gateway/captures/recording/audio-facts.ts'
import { meterAudio } from '../../../../core/gateway/protocol/audio/meter.ts'
import { CaptureNamespace } from '../../../../core/gateway/wire/captures/fields.ts'
import { StoreMediaAnswer, StoreMediaForm } from '../../../../core/gateway/wire/captures/logs.ts'
import { invalidField, KERNEL_ERRORS } from '../../../../core/kernel/errors.ts'
import { newTimedId } from '../../../../core/kernel/ids.ts'
import { withKnownTerms } from '../../../../db/gateway/forgotten/known-terms.ts'
import { envelope } from '../../../kernel/reply/answers.ts'
import { readParts } from '../../../kernel/request/multipart.ts'
import { defineRoute } from '../../services.ts'
import { requireAccess } from '../access.ts'
import { refusedBy, requireKept, STORE_ERRORS } from './logs.ts'
import { asksNothingKept, recorderOf, rulesIn } from './record.ts'
import { commitWith, storedOf, type Storing } from './store-files.ts'

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
  errors: [...STORE_ERRORS, 'unsupported_media_type', 'payload_too_large', 'retention_conflict', 'rate_limited'],
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
      const asksNothing = asksNothingKept(request, {})
      return await withKnownTerms(async (isAgain) => {
        const rules = await rulesIn(services, recorder, isAgain)
        requireKept(rules, asksNothing)
        return await storeFiles({ op, services, recorder, rules }, media, fields['input'])
      })
    } finally {
      leave()
    }
  },
)

async function storeFiles(
  { op, services, recorder, rules }: Storing,
  media: readonly Medium[],
  givenInput: string | undefined,
) {
  const { namespace } = recorder
  const stored: Stored<Medium>[] = []
  for (const medium of media) {
    stored.push(storedOf(await services.largeGate.redactMedium(op.tenantId, medium, rules)))
  }
  const input = givenInput === undefined ? undefined : storedOf(redactTexts([givenInput], rules)).value[0]
  const captures = stored.map((file) => captureOfFile(recorder, rules, op.now(), file, givenInput ?? ''))
  const files = rules.keepsText
    ? stored.map(({ value: medium }, i) => ({ captureId: captures[i]?.facts.id ?? '', place: 0, medium }))
    : []
  const { headers } = await commitWith(services, op, { captures, files, namespace, forgotten: rules.forgotten })
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
  } as const
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

function captureOfFile(recorder: CallRecorder, rules: CallRules, at: Date, file: Stored<Medium>, input: string) {
  const { value: medium } = file
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
      fileClasses: file,
    },
    rules,
  )
  if (recorded.kind === 'blocked') throw refusedBy(recorded.classes)
  return recorded.capture
}
