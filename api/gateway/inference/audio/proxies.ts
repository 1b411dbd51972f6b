import { z } from 'zod'
import { GATEWAY_ERRORS } from '../../../../core/gateway/errors.ts'
import { targetOf } from '../../../../core/gateway/calls/target.ts'
import type { AudioKind } from '../../../../core/gateway/calls/providers.ts'
import { ModelName } from '../../../../core/gateway/wire/inference.ts'
import { isOneOf, KERNEL_ERRORS } from '../../../../core/kernel/errors.ts'
import { rawAnswer, rawDocument } from '../../../kernel/reply/answers.ts'
import { validateValue } from '../../../kernel/request/validate.ts'
import { defineRoute } from '../../services.ts'
import { answerCall, PLAIN_DIALECT } from '../../calls/answer-call.ts'
import type { InferenceCall } from '../../calls/open-call.ts'
import type { InferenceReply } from '../../calls/start-stream.ts'
import { INFERENCE, INFERENCE_ERRORS, jsonOf } from '../declaration.ts'
import { receiveForm } from './receive-form.ts'

/** Facts that the routes which call models of sound share. */
const AUDIO = { ...INFERENCE, method: 'post', group: 'audio' } as const
const AUDIO_ERRORS = [...INFERENCE_ERRORS.filter((code) => code !== 'no_provider_key'), 'not_supported'] as const
const UPLOAD_ERRORS = ['unsupported_media_type', 'payload_too_large', 'busy', 'storage_full', 'rate_limited'] as const
const NO_KEY =
  'Without a key for the provider the answer is 501 `not_supported`. Errors are in the form of this service; the SDK of OpenAI throws its own classes by their status.'

/** A provider's description of an own voice. */
const Voice = z.union([z.string().min(1).max(256), z.looseObject({ id: z.string() }).meta({ id: 'OwnVoice' })])

export const speechRoute = defineRoute({
  ...AUDIO,
  path: '/v1/audio/speech',
  operationId: 'createSpeech',
  summary: 'Speak a text',
  description: `In OpenAI's form, from a provider that has speech; bytes are passed on as they come, with the provider's media type. What the privacy policy replaces in \`input\` is spoken as its placeholder. The capture holds the text, the hash and the length of the sound, not the sound. ${NO_KEY}`,
  body: z
    .looseObject({
      model: ModelName,
      input: z.string().min(1).max(100_000).meta({ description: 'The text' }),
      voice: Voice.meta({ description: 'A voice of the provider, or with a key of your own one of yours' }),
      response_format: z.string().max(40).optional(),
      speed: z.number().optional(),
      stream_format: z.enum(['audio', 'sse']).optional(),
    })
    .meta({ id: 'SpeechRequest', example: { model: 'tts-1', input: 'Your parcel is on its way.', voice: 'alloy' } }),
  answers: { 200: rawAnswer('The sound, of the media type that the provider gives', 'application/octet-stream') },
  errors: AUDIO_ERRORS,
}).handle(async ({ services, principal, requestId, request, hangUp, body }) => {
  const call = { services, principal, requestId, request, hangUp, dialect: PLAIN_DIALECT }
  return await answerAudioCall({ ...call, plain: 'speech', body: jsonOf(body), target: targetOf(body.model) })
})

const Transcript = z.looseObject({ text: z.string() }).meta({ id: 'Transcript', description: 'As in transcriptions' })

const TranscriptionForm = z
  .object({
    file: z.string().meta({ override: { type: 'string', format: 'binary' }, description: 'The sound' }),
    model: ModelName,
    language: z.string().optional(),
    prompt: z.string().optional().meta({ description: 'A text before the sound' }),
    response_format: z.string().optional().meta({ description: '`json`, `text`, `srt`, `vtt`, `verbose_json`' }),
    temperature: z.string().optional(),
    stream: z.enum(['true', 'false']).optional().meta({ description: 'Answers with server-sent events' }),
  })
  .meta({ id: 'TranscriptionForm' })

const FormFields = z.looseObject({ model: ModelName })

function transcriptRoute(kind: Exclude<AudioKind, 'speech'>, operationId: string, summary: string) {
  return defineRoute({
    ...AUDIO,
    path: `/v1/audio/${kind}`,
    operationId,
    summary,
    description: (limits) =>
      `In OpenAI's form, as \`multipart/form-data\` of up to ${limits.audio_body_bytes} bytes, from a provider that has ${kind}. The file waits on the disk without a name until all fields are read, and goes on as a stream under a neutral name, with the fields that providers take. The capture holds the transcript, the hash and the length of the sound, not the sound. ${NO_KEY}`,
    multipart: TranscriptionForm,
    answers: { 200: rawDocument('The transcript', Transcript, 'text/plain') },
    errors: [...AUDIO_ERRORS, ...UPLOAD_ERRORS],
  }).handle(
    async () => {
      throw await Promise.resolve(KERNEL_ERRORS.unsupported_media_type('send the sound as multipart/form-data'))
    },
    async ({ services, principal, requestId, request, hangUp }) => {
      const { limits, streams } = services
      const leave = streams.enter(`audio uploads of ${principal.tenantId}`, limits.audio_uploads_per_tenant)
      try {
        const received = await receiveForm(request, services, principal.tenantId)
        const { fields, file } = received
        try {
          const { model } = validateValue(FormFields, fields, 'body')
          const call = { services, principal, requestId, request, hangUp, dialect: PLAIN_DIALECT }
          const reply = await answerAudioCall({ ...call, plain: kind, body: fields, file, target: targetOf(model) })
          void reply.over.then(async () => await received.release())
          return reply
        } catch (error) {
          await received.release()
          throw error
        }
      } finally {
        leave()
      }
    },
  )
}

export const transcriptionsRoute = transcriptRoute('transcriptions', 'createTranscription', 'Write down what is said')
export const translationsRoute = transcriptRoute(
  'translations',
  'createTranslation',
  'Write down in English what is said',
)

/** Answers a call of sound. Throws `not_supported` where no key for the provider is configured. */
async function answerAudioCall(call: InferenceCall): Promise<InferenceReply> {
  try {
    return await answerCall(call)
  } catch (error) {
    if (!isOneOf(error, [GATEWAY_ERRORS.no_provider_key])) throw error
    throw GATEWAY_ERRORS.not_supported(`no provider of sound is set up for this call: ${error.message}`, {
      cause: error,
    })
  }
}
