import { hash } from 'node:crypto'
import { z } from 'zod'
import { HOP, MEL_RATE, WINDOW } from '../../../../core/gateway/protocol/audio/features/log-mel.ts'
import { findBase, listBases } from '../../../../core/model/files/find-base.ts'
import { MODEL_ERRORS } from '../../../../core/model/errors.ts'
import { invalidField, KERNEL_ERRORS } from '../../../../core/kernel/errors.ts'
import { findMedium } from '../../../../db/gateway/captures/recording/find-medium.ts'
import type { Operation } from '../../../../db/kernel/operation.ts'
import { envelope } from '../../../kernel/reply/answers.ts'
import { tooLarge } from '../../../kernel/request/read-body.ts'
import { defineRoute, type GatewayServices } from '../../services.ts'

const VERSION = 'svc-audio-tokenize-1'
const TOKENIZER = 'log-mel-slaney'
const DEFAULT_MODEL = 'openai/whisper-large-v3'
const MOST_TEXT_CHARS = 32_768

const Sha = z.string().nullable().meta({ description: 'SHA-256, hexadecimal' })

export const tokenizeAudioRoute = defineRoute({
  method: 'post',
  path: '/v1/audio/tokenize',
  operationId: 'tokenizeAudio',
  group: 'audio',
  summary: 'Compute the features that Whisper reads',
  description: (limits) =>
    `Takes a sound as base64, or a stored file by its handle \`media:<sha256>\`; paths and addresses are refused. WAV files with PCM samples are decoded, resampled to 16,000 samples a second and made into log-mel features: windows of ${WINDOW} samples every ${HOP}, without padding to 30 seconds, of 128 bins for \`large-v3\` and \`turbo\` and 80 for other models. Other containers get 415 \`unsupported_media_type\`. A sound has at most ${limits.audio_tokenize_s} seconds and ${limits.audio_tokenize_bytes} bytes of JSON. With \`text\` its tokens are counted where \`model\` is a base model that is installed here; otherwise \`text_token_count\` is null and \`text_token_reason\` says why.`,
  auth: 'key',
  scope: 'gateway:call',
  namespace: 'bounded',
  stores: 'bounded',
  bodyLimit: 'audio_tokenize_bytes',
  body: z
    .looseObject({
      audio_base64: z.string().min(1).optional(),
      media: z
        .string()
        .regex(/^media:[0-9a-f]{64}$/, { error: 'must be a handle media:<sha256> of POST /v1/capture/media' })
        .optional(),
      model: z.string().min(1).max(200).default(DEFAULT_MODEL),
      max_bytes: z
        .int()
        .min(1)
        .max(50 * 1024 * 1024)
        .optional()
        .meta({ description: 'A bound of your own' }),
      with_mel: z.boolean().default(true),
      with_text_tokens: z.boolean().default(true),
      text: z.string().max(MOST_TEXT_CHARS).optional().meta({ description: 'The transcript' }),
    })
    .refine(
      ({ audio_base64: base64, media, path, uri }) =>
        path !== undefined || uri !== undefined || (base64 === undefined) !== (media === undefined),
      {
        path: ['audio_base64'],
        error: 'or media is required, and not both',
      },
    )
    .meta({
      id: 'TokenizeAudioRequest',
      example: { media: `media:${'0'.repeat(64)}`, model: DEFAULT_MODEL },
      override: { oneOf: [{ required: ['audio_base64'] }, { required: ['media'] }] },
    }),
  answers: {
    200: envelope(
      'The features',
      z.object({
        kind: z.literal('audio'),
        tokenizer: z.string(),
        model: z.string(),
        media_uri: z.string().nullable(),
        duration_ms: z.int().nullable(),
        sample_rate: z.int().nullable().meta({ description: 'Of the file' }),
        mel_frame_count: z.int().nullable(),
        mel_feature_dim: z.int().nullable(),
        mel_sha256: Sha.meta({ description: 'Of the values as 32-bit floats, little-endian, bin by bin' }),
        mel_mean: z.number().nullable(),
        text_token_count: z.int().nullable(),
        text_token_sample: z.array(z.int()),
        text_token_reason: z.string().nullable().meta({ description: 'Why there is no count' }),
        text_sha256: Sha,
        audio_sha256: z.string(),
        version: z.string(),
      }),
    ),
  },
  errors: ['unsupported_media_type', 'payload_too_large', 'not_found', 'busy'],
}).handle(async ({ op, services, principal, body }) => {
  for (const name of ['path', 'uri'] as const) {
    if (body[name] !== undefined) throw invalidField(name, 'is not taken: send audio_base64 or media')
  }
  const { bytes, mediaUri } = await readSound(op, body, services.limits.capture_media_bytes)
  const audioSha256 = hash('sha256', bytes)
  const mel = body.with_mel ? await featuresOf(services, principal.tenantId, { bytes, model: body.model }) : null
  const text = await countTokens(services, principal.tenantId, body)
  return {
    status: 200,
    body: {
      kind: 'audio',
      tokenizer: TOKENIZER,
      model: body.model,
      media_uri: mediaUri,
      duration_ms: mel?.durationMs ?? null,
      sample_rate: mel?.sampleRate ?? null,
      mel_frame_count: mel?.frames ?? null,
      mel_feature_dim: mel?.bins ?? null,
      mel_sha256: mel?.sha256 ?? null,
      mel_mean: mel?.mean ?? null,
      text_token_count: text.count,
      text_token_sample: [...text.sample],
      text_token_reason: text.reason,
      text_sha256: body.text === undefined ? null : hash('sha256', body.text),
      audio_sha256: audioSha256,
      version: VERSION,
    },
  }
})

interface SoundAsked {
  readonly audio_base64?: string | undefined
  readonly media?: string | undefined
  readonly max_bytes?: number | undefined
}

/** The bytes of a sound. Throws `validation_failed`, `not_found` and `payload_too_large`. */
async function readSound(op: Operation, { audio_base64: base64, media, max_bytes: bound }: SoundAsked, most: number) {
  if (base64 !== undefined) {
    if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(base64)) throw invalidField('audio_base64', 'must be base64')
    const bytes = Buffer.from(base64, 'base64')
    if (bytes.length > (bound ?? Number.POSITIVE_INFINITY)) throw tooLarge('audio_base64', bound ?? 0)
    return { bytes, mediaUri: null }
  }
  const bytes = await findMedium(op, `sha256:${media?.slice('media:'.length) ?? ''}`, most)
  if (bytes.length > (bound ?? Number.POSITIVE_INFINITY)) throw tooLarge('media', bound ?? 0)
  return { bytes, mediaUri: media ?? null }
}

/** Whisper's large models of the third generation read 128 bins, the others 80. */
function binsOf(model: string): number {
  return /large-v3|turbo/.test(model) ? 128 : 80
}

async function featuresOf(
  { melThreads }: GatewayServices,
  caller: string,
  { bytes, model }: { readonly bytes: Uint8Array; readonly model: string },
) {
  const made = await melThreads.compute(caller, { bytes, bins: binsOf(model) })
  if ('why' in made) throw invalidField('audio', made.why, KERNEL_ERRORS.unsupported_media_type)
  return made
}

interface CountedTokens {
  readonly count: number | null
  readonly sample: readonly number[]
  readonly reason: string | null
}

async function countTokens(
  { settings, melThreads }: GatewayServices,
  caller: string,
  {
    text,
    model,
    with_text_tokens: isWanted,
  }: { readonly text?: string | undefined; readonly model: string; readonly with_text_tokens: boolean },
): Promise<CountedTokens> {
  const none = (reason: string): CountedTokens => ({ count: null, sample: [], reason })
  if (!isWanted) return none('not asked for')
  if (text === undefined) return none('the call has no text')
  try {
    const directory = await findBase(model, settings.baseFolders)
    return { ...(await melThreads.tokens(caller, { directory, text })), reason: null }
  } catch (error) {
    if (!MODEL_ERRORS.unknown_base_model.matches(error)) throw error
    return none(`no tokenizer of ${model} is installed here`)
  }
}

export const checkAudioTokenizerRoute = defineRoute({
  method: 'get',
  path: '/v1/audio/tokenize/doctor',
  operationId: 'checkAudioTokenizer',
  group: 'audio',
  summary: 'Say what can be decoded here',
  description: 'Computes the features of a tenth of a second of silence on the way.',
  auth: 'public',
  scope: undefined,
  limit: { name: 'audio_doctor', limit: 'checks_per_ip_minute', windowS: 60, counts: 'calls', isOfProcess: true },
  answers: {
    200: envelope(
      'The state',
      z.object({
        ready: z.boolean(),
        error: z.string().nullable(),
        implementation: z.string(),
        decodes: z.array(
          z.object({ container: z.string(), encodings: z.array(z.string()) }).meta({ id: 'DecodedContainer' }),
        ),
        recognises: z.array(z.string()).meta({ description: 'Containers that are known and not decoded' }),
        features: z.object({ sample_rate: z.int(), window: z.int(), hop: z.int(), bins: z.array(z.int()) }),
        text_tokenizers: z.array(z.string()).meta({ description: 'Base models that are installed here' }),
        limits: z.object({ seconds: z.int(), bytes: z.int() }),
        version: z.string(),
      }),
    ),
  },
}).handle(async ({ services }) => {
  const { settings, limits } = services
  const error = await selfTest(services)
  const bases = await listBases(settings.baseFolders)
  return {
    status: 200,
    body: {
      ready: error === null,
      error,
      implementation: 'typescript',
      decodes: [{ container: 'wav', encodings: ['pcm_u8', 'pcm_s16', 'pcm_s24', 'pcm_s32', 'float32', 'float64'] }],
      recognises: ['flac', 'ogg', 'mp3', 'mp4', 'webm'],
      features: { sample_rate: MEL_RATE, window: WINDOW, hop: HOP, bins: [80, 128] },
      text_tokenizers: bases.map(({ name }) => name),
      limits: { seconds: limits.audio_tokenize_s, bytes: limits.audio_tokenize_bytes },
      version: VERSION,
    },
  }
})

async function selfTest({ melThreads }: GatewayServices): Promise<string | null> {
  try {
    const made = await melThreads.compute('doctor', { bytes: silence(MEL_RATE / 10), bins: 80 })
    if ('why' in made) return made.why
    return made.frames === 10 ? null : `${made.frames} frames in place of 10`
  } catch (error) {
    if (KERNEL_ERRORS.busy.matches(error)) return error.message
    throw error
  }
}

/** A WAV file of so many samples of silence. */
function silence(samples: number): Buffer {
  const file = Buffer.alloc(44 + 2 * samples)
  file.write('RIFF', 0, 'latin1')
  file.writeUInt32LE(36 + 2 * samples, 4)
  file.write('WAVEfmt ', 8, 'latin1')
  file.writeUInt32LE(16, 16)
  file.writeUInt16LE(1, 20)
  file.writeUInt16LE(1, 22)
  file.writeUInt32LE(MEL_RATE, 24)
  file.writeUInt32LE(2 * MEL_RATE, 28)
  file.writeUInt16LE(2, 32)
  file.writeUInt16LE(16, 34)
  file.write('data', 36, 'latin1')
  file.writeUInt32LE(2 * samples, 40)
  return file
}
