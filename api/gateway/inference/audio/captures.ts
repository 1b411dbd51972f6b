import { z } from 'zod'
import type { CaptureAudio } from '../../../../core/gateway/captures/recording/audio-facts.ts'
import { transcriptOf, type StoredTexts } from '../../../../core/gateway/captures/recording/audio-texts.ts'
import { findAudio } from '../../../../core/gateway/protocol/audio/detect.ts'
import { CaptureNamespace } from '../../../../core/gateway/wire/captures/fields.ts'
import type { Json } from '../../../../core/kernel/json/json.ts'
import { listAudio, type AudioCapture } from '../../../../db/gateway/captures/recording/list-audio.ts'
import { envelope } from '../../../kernel/reply/answers.ts'
import { requireAccess } from '../../captures/access.ts'
import { defineRoute } from '../../services.ts'

const HEAD_CHARS = 200

export const listAudioCapturesRoute = defineRoute({
  method: 'get',
  path: '/v1/audio/captures',
  operationId: 'listAudioCaptures',
  group: 'audio',
  summary: 'List captures with sound, newest first',
  description:
    'Calls of speech, transcriptions and translations, calls of models with sound in their messages, and stored files of sound. Forgotten captures and those without content are left out.',
  auth: 'key',
  scope: 'capture:read',
  orScopes: ['lake:read'],
  namespace: 'bounded',
  query: z.object({
    namespace: CaptureNamespace.optional(),
    limit: z.coerce.number().int().min(1).max(500).default(100),
  }),
  answers: {
    200: envelope(
      'The captures',
      z.object({
        tenant_id: z.string(),
        namespace: z.string().nullable().meta({ description: 'Null for all' }),
        count: z.int(),
        captures: z.array(
          z
            .object({
              event_id: z.string(),
              tenant_id: z.string(),
              namespace: z.string(),
              created_at: z.iso.datetime(),
              media_kind: z.enum(['speech', 'transcriptions', 'translations', 'message', 'file']),
              media_mime: z.string().nullable(),
              media_bytes: z.int().nullable(),
              media_hash: z
                .string()
                .nullable()
                .meta({ description: 'SHA-256 of the first sound; null for an address' }),
              duration_ms: z.int().nullable(),
              duration_source: z.enum(['header', 'estimate']).nullable(),
              audio_block_count: z.int(),
              audio_urls_hashed: z.int().meta({ description: 'Sounds by address, of which the address is hashed' }),
              transcript_present: z.boolean(),
              transcript_chars: z.int(),
              transcript_truncated: z.boolean().meta({ description: 'True when `transcript_head` is not all of it' }),
              transcript_head: z.string(),
            })
            .meta({ id: 'AudioCapture' }),
        ),
        version: z.string(),
      }),
    ),
  },
  errors: ['forbidden'],
})
  .authorize(async ({ op, principal, query }) => {
    await requireAccess({ op, principal }, 'capture:read', query.namespace)
  })
  .handle(async ({ op, query }) => {
    const rows = await listAudio(op, query)
    return {
      status: 200,
      body: {
        tenant_id: op.tenantId,
        namespace: query.namespace ?? null,
        count: rows.length,
        captures: rows.map((row) => present(row, op.tenantId)),
        version: 'svc-audio-captures-1',
      },
    }
  })

/** The stored texts of a row. */
export function textsOf({ audio, prompt, response, body, fixedOutput }: AudioCapture): StoredTexts {
  return { audio: audio as CaptureAudio, prompt, response, body: body as Json, fixedOutput }
}

function present(row: AudioCapture, tenantId: string) {
  const texts = textsOf(row)
  const { audio } = texts
  const transcript = transcriptOf(texts)
  const head = transcript.slice(0, HEAD_CHARS).toWellFormed()
  return {
    event_id: row.id,
    tenant_id: tenantId,
    namespace: row.namespace,
    created_at: new Date(row.at).toISOString(),
    media_kind: audio.kind,
    media_mime: audio.mime,
    media_bytes: audio.bytes,
    media_hash: audio.sha256,
    duration_ms: audio.durationMs,
    duration_source: audio.durationSource,
    audio_block_count: audio.blocks,
    audio_urls_hashed: audio.addresses,
    transcript_present: audio.transcriptChars > 0,
    transcript_chars: audio.transcriptChars,
    transcript_truncated: audio.transcriptChars > head.length,
    transcript_head: head,
  }
}

export const detectAudioRoute = defineRoute({
  method: 'post',
  path: '/v1/audio/capture-detect',
  operationId: 'detectAudio',
  group: 'audio',
  summary: 'Find the sounds in a message',
  description:
    'Recognises `input_audio`, `audio` with a source, `inlineData` and data URLs in texts, up to 64 in a message, and transcripts beside them. Nothing is stored.',
  auth: 'key',
  scope: 'gateway:call',
  namespace: 'none: it looks at the message of the call alone',
  stores: 'bounded',
  bodyLimit: 'gateway_body_bytes',
  body: z
    .object({
      message: z.looseObject({ role: z.string().max(64) }).meta({ description: 'A message in any dialect' }),
    })
    .meta({
      id: 'DetectAudioRequest',
      example: {
        message: {
          role: 'user',
          content: [{ type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } }],
        },
      },
    }),
  answers: {
    200: envelope(
      'What is found',
      z.object({
        is_audio: z.boolean(),
        audio_blocks: z.array(
          z
            .object({
              kind: z.enum(['input_audio', 'audio', 'inline_data', 'data_url']),
              mime: z.string(),
              source: z.enum(['base64', 'url']),
              audio_sha256: z.string().nullable().meta({ description: 'Null for what is no base64' }),
              url_sha256: z.string().nullable(),
              base64_chars: z.int(),
              raw_truncated: z.boolean(),
              format: z.string().nullable(),
            })
            .meta({ id: 'AudioBlock' }),
        ),
        transcript_present: z.boolean(),
        total_audio: z.int(),
        version: z.string(),
      }),
    ),
  },
}).handle(async ({ body }) => {
  const { blocks, total, transcript } = findAudio([body.message as Json])
  return await Promise.resolve({
    status: 200,
    body: {
      is_audio: total > 0,
      audio_blocks: blocks.map((block) => ({
        kind: block.kind,
        mime: block.mime,
        source: block.source,
        audio_sha256: block.sha256,
        url_sha256: block.urlSha256,
        base64_chars: block.base64Chars,
        raw_truncated: block.isTruncated,
        format: block.format,
      })),
      transcript_present: transcript !== '',
      total_audio: total,
      version: 'svc-audio-detect-1',
    },
  })
})
