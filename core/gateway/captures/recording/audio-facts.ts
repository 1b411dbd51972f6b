import type { JsonObject } from '../../../kernel/json/json.ts'
import type { CallRecord } from '../../record/call-record.ts'
import { isAudioKind } from '../../calls/providers.ts'
import { audioOfCall } from '../../protocol/audio/detect.ts'
import type { MeasuredAudio } from '../../protocol/audio/meter.ts'

/** The sound of a capture. Its bytes are not stored, unless the capture is of a file. */
export interface CaptureAudio {
  /** `message`: in the messages of a model's call; `file`: a stored file; else the kind of the call. */
  readonly kind: 'speech' | 'transcriptions' | 'translations' | 'message' | 'file'
  readonly blocks: number
  readonly mime: string | null
  /** Bytes of the first sound; null for one by address. */
  readonly bytes: number | null
  readonly sha256: string | null
  readonly durationMs: number | null
  readonly durationSource: 'header' | 'estimate' | null
  /** Sounds that are given by address, whose address alone is hashed. */
  readonly addresses: number
  /** Characters of the transcript; 0 without one. */
  readonly transcriptChars: number
}

/** Rate at which the length of a sound in a message is estimated. */
const ESTIMATED_BYTES_PER_S = 32 * 1024

/** The sound of a finished call; null for one without. `texts` are the stored texts of the call. */
export function audioOf(
  record: CallRecord,
  texts: { readonly prompt: string; readonly response: string },
): CaptureAudio | null {
  const { plain, sent, spoken, outputHash, isStreamed } = record
  if (isAudioKind(plain)) {
    const file = plain === 'speech' ? spoken : fileIn(sent)
    if (file === null) return null
    const sha256 = 'sha256' in file ? file.sha256 : isStreamed ? null : outputHash
    const { prompt, response } = texts
    return { ...factsOf(file, plain), sha256, transcriptChars: (plain === 'speech' ? prompt : response).length }
  }
  const found = plain === null ? audioOfCall(sent) : null
  const [first] = found?.blocks ?? []
  if (found === null || first === undefined) return null
  const bytes = first.source === 'base64' ? Math.floor((first.base64Chars * 3) / 4) : null
  return {
    kind: 'message',
    blocks: found.total,
    mime: first.mime,
    bytes,
    sha256: first.sha256,
    durationMs: bytes === null ? null : Math.round((bytes / ESTIMATED_BYTES_PER_S) * 1000),
    durationSource: bytes === null ? null : 'estimate',
    addresses: found.blocks.filter(({ source }) => source === 'url').length,
    transcriptChars: found.transcript.length,
  }
}

/** The sound of a stored file. */
export function audioOfFile(measured: MeasuredAudio, sha256: string): CaptureAudio {
  return { ...factsOf(measured, 'file'), sha256, transcriptChars: 0 }
}

function factsOf(
  {
    mime,
    sizeBytes,
    durationMs,
    durationSource,
  }: Pick<MeasuredAudio, 'mime' | 'sizeBytes' | 'durationMs' | 'durationSource'>,
  kind: CaptureAudio['kind'],
) {
  return { kind, blocks: 1, mime, bytes: sizeBytes, durationMs, durationSource, addresses: 0 }
}

/** Returns the facts that `fileFacts` left in the body. */
function fileIn(sent: JsonObject): (Omit<MeasuredAudio, 'container'> & { readonly sha256: string }) | null {
  const file = sent['file']
  if (file === undefined || file === null || typeof file !== 'object' || Array.isArray(file)) return null
  const { sha256, mime, bytes, duration_ms: durationMs, duration_source: source } = file as JsonObject
  if (typeof sha256 !== 'string' || typeof mime !== 'string' || typeof bytes !== 'number') return null
  return {
    sha256: sha256.replace('sha256:', ''),
    mime,
    sizeBytes: bytes,
    durationMs: typeof durationMs === 'number' ? durationMs : 0,
    durationSource: source === 'header' ? 'header' : 'estimate',
  }
}
