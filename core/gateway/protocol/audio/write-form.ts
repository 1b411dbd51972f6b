import { randomBytes } from 'node:crypto'
import type { Json, JsonObject } from '../../../kernel/json/json.ts'
import type { StreamedBody } from '../upstream/upstream.ts'
import type { MeasuredAudio } from './meter.ts'

/** A sound that a call sends. */
export interface SentFile extends MeasuredAudio {
  /** `sha256:…` of its bytes. */
  readonly sha256: string
  readonly ending: string
  read(): AsyncIterable<Uint8Array>
}

/** Returns the facts that are kept of a sound that was sent. */
export function fileFacts({ sha256, mime, sizeBytes, durationMs, durationSource }: SentFile): JsonObject {
  return { sha256, mime, bytes: sizeBytes, duration_ms: durationMs, duration_source: durationSource }
}

/**
 * Writes the fields of a body and a file as `multipart/form-data`. Lists are fields of one name. The boundary is random, and not
 * that of the caller: what redaction puts into a field could otherwise be made to end it. The file's own name stays here,
 * since it may hold a name of a person.
 */
export function writeForm(body: JsonObject, file: SentFile): StreamedBody {
  const boundary = `svc-${randomBytes(16).toString('hex')}`
  const fields = Object.entries(body).flatMap(([name, value]) => {
    const values: readonly Json[] = Array.isArray(value) ? (value as readonly Json[]) : [value]
    return values.map(
      (each) => part(boundary, `name="${name}"`) + (typeof each === 'string' ? each : JSON.stringify(each)),
    )
  })
  const head = part(boundary, `name="file"; filename="audio.${file.ending}"`, file.mime)
  const before = Buffer.from([...fields.map((field) => `${field}\r\n`), head].join(''))
  const after = Buffer.from(`\r\n--${boundary}--\r\n`)
  return {
    mediaType: `multipart/form-data; boundary=${boundary}`,
    sizeBytes: before.length + file.sizeBytes + after.length,
    async *read() {
      yield before
      yield* file.read()
      yield after
    },
  }
}

function part(boundary: string, disposition: string, mediaType?: string): string {
  const type = mediaType === undefined ? '' : `Content-Type: ${mediaType}\r\n`
  return `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n${type}\r\n`
}
