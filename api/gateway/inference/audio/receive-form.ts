import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { meterAudio, type MeasuredAudio } from '../../../../core/gateway/protocol/audio/meter.ts'
import type { SentFile } from '../../../../core/gateway/protocol/audio/write-form.ts'
import { invalidField, KERNEL_ERRORS } from '../../../../core/kernel/errors.ts'
import type { Json, JsonObject } from '../../../../core/kernel/json/json.ts'
import { decodeUtf8 } from '../../../../core/kernel/json/utf8.ts'
import { readParts, type FilePart } from '../../../kernel/request/multipart.ts'
import { tooLarge } from '../../../kernel/request/read-body.ts'
import type { SpooledRows } from '../../../kernel/request/spool.ts'
import type { GatewayServices } from '../../services.ts'

/** Fields that providers take; the others of a body are left out. */
const TAKEN = [
  'model',
  'language',
  'prompt',
  'response_format',
  'temperature',
  'stream',
  'chunking_strategy',
  'chunking_strategy[type]',
  'chunking_strategy[threshold]',
  'chunking_strategy[prefix_padding_ms]',
  'chunking_strategy[silence_duration_ms]',
] as const
/** The same, of which there may be several. */
const LISTS = ['timestamp_granularities[]', 'include[]', 'known_speaker_names[]', 'known_speaker_references[]'] as const
/** Fields that are ours. */
const OWN = ['namespace', 'corpus_namespace', 'svc_retention', 'retention', 'no_store'] as const
const FILE = 'file'
const MOST_PARTS = 40
/** Bytes of all fields: references of speakers are sounds of some seconds. */
const MOST_FIELD_BYTES = 8 * 1024 * 1024
/** Uploads of one tenant that may wait, in multiples of the largest. */
const WAITING_UPLOADS = 2
const ENDINGS = new Set('flac mp3 mp4 mpeg mpga m4a ogg oga opus wav webm aac'.split(' '))

/** A received body. Release its file in the end. */
interface ReceivedForm {
  readonly fields: JsonObject
  readonly file: SentFile
  release(): Promise<void>
}

/**
 * Reads a multipart body; its file waits on the disk without a name, since fields behind it decide where it goes. Throws
 * `payload_too_large`, `busy`, `storage_full`, and `validation_failed` for fields that are wrong or missing.
 */
export async function receiveForm(
  request: IncomingMessage,
  { limits, spool }: Pick<GatewayServices, 'limits' | 'spool'>,
  caller: string,
): Promise<ReceivedForm> {
  const maxBytes = limits.audio_body_bytes
  const fields: Record<string, Json> = {}
  let spooled: SpooledRows | undefined
  let measured: { readonly audio: MeasuredAudio; readonly filename: string } | undefined
  let isFileSeen = false
  let fieldBytes = 0

  const takeFile = async ({ filename, mediaType, stream }: FilePart): Promise<void> => {
    if (isFileSeen) throw invalidField(FILE, 'is sent twice')
    isFileSeen = true
    const meter = meterAudio()
    const metered = async function* (): AsyncGenerator<Uint8Array> {
      for await (const chunk of bytesOf(stream)) {
        meter.take(chunk)
        yield chunk
      }
    }
    spooled = await spool.write(metered(), {
      tenantId: `audio/${caller}`,
      uploadBytes: maxBytes,
      tenantBytes: WAITING_UPLOADS * maxBytes,
      refuse: () => KERNEL_ERRORS.busy('you have too many uploads under way; try again shortly', { retryAfterS: 5 }),
    })
    if (spooled.sizeBytes === 0) throw invalidField(FILE, 'is empty')
    measured = { audio: meter.measured(mediaType), filename }
  }
  const takeField = async ({ name, stream }: FilePart): Promise<void> => {
    const pieces: Uint8Array[] = []
    for await (const piece of bytesOf(stream)) {
      fieldBytes += piece.length
      if (fieldBytes > MOST_FIELD_BYTES) throw tooLarge(name, MOST_FIELD_BYTES)
      pieces.push(piece)
    }
    const text = decodeUtf8(Buffer.concat(pieces), name)
    const known = fields[name]
    if (LISTS.some((list) => list === name)) fields[name] = Array.isArray(known) ? [...known, text] : [text]
    else if (known === undefined) fields[name] = name === 'stream' ? isTrue(text) : text
    else throw invalidField(name, 'is sent twice')
  }
  const names: readonly string[] = [...TAKEN, ...LISTS, ...OWN]
  try {
    await readParts(
      request,
      maxBytes,
      [...names, FILE],
      async (part) => {
        if (part.name === FILE) await takeFile(part)
        else if (names.includes(part.name)) await takeField(part)
        else part.stream.resume()
      },
      MOST_PARTS,
    )
    if (spooled === undefined || measured === undefined) throw invalidField(FILE, 'is required: send a sound as a file')
    const rows: SpooledRows = spooled
    const { audio, filename } = measured
    const file = { ...audio, sha256: rows.sha256, ending: endingOf(audio, filename), read: () => rows.read() }
    return { fields, file, release: async () => await rows.release() }
  } catch (error) {
    await spooled?.release()
    throw error
  }
}

function isTrue(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  throw invalidField('stream', 'must be true or false')
}

/** By the bytes; a file of an unknown kind keeps the ending of its name, where that is one of a sound. */
function endingOf({ container }: MeasuredAudio, filename: string): string {
  const given = filename.toLowerCase().split('.').at(-1) ?? ''
  if (container === 'mp4' && given === 'm4a') return given
  return container ?? (ENDINGS.has(given) ? given : 'bin')
}

async function* bytesOf(stream: Readable): AsyncGenerator<Uint8Array> {
  // Left as it is when its reader stops: destroyed, it would report an error of its own before that of the reader.
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) if (chunk instanceof Uint8Array) yield chunk
}
