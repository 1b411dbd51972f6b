import { containerOf, framesDurationMs, headerDurationMs, tagBytes, type AudioContainer } from './containers.ts'

/** The statements of a file of sound about itself. */
export interface MeasuredAudio {
  readonly container: AudioContainer | null
  readonly mime: string
  readonly sizeBytes: number
  readonly durationMs: number
  /** `header`: the file says it. `estimate`: by its size, at the bit rate of its first frame or at 32 KiB a second. */
  readonly durationSource: 'header' | 'estimate'
}

/** Measures sound that passes by. */
export interface AudioMeter {
  take(chunk: Uint8Array): void
  measured(mime?: string): MeasuredAudio
}

const WINDOW_BYTES = 64 * 1024
/** Sound without a header that is known: 16,000 samples a second of two bytes, and a little more. */
const ESTIMATED_BYTES_PER_S = 32 * 1024
/** Samples without a container, as OpenAI's speech has them: 24,000 a second of two bytes. */
const PCM_BYTES_PER_S = 48_000
const MIMES: Readonly<Record<AudioContainer, string>> = {
  wav: 'audio/wav',
  flac: 'audio/flac',
  ogg: 'audio/ogg',
  mp3: 'audio/mpeg',
  mp4: 'audio/mp4',
  webm: 'audio/webm',
}
const PCM = /^audio\/(pcm|l16)\b/i
const AUDIO = /^audio\/[\w.+-]{1,80}$/

/** Starts to measure. Of a file of any size its two ends are held. */
export function meterAudio(): AudioMeter {
  let sizeBytes = 0
  let first: Buffer = Buffer.alloc(0)
  let skippedBytes: number | null = null
  const head: Buffer[] = []
  let headBytes = 0
  const last: Buffer[] = []
  let lastBytes = 0

  /** Keeps what is behind the tag; `from` is the place of the bytes in the file. */
  const keep = (bytes: Buffer, from: number, skip: number): void => {
    const wanted = bytes.subarray(Math.max(0, skip - from)).subarray(0, WINDOW_BYTES - headBytes)
    if (wanted.length === 0) return
    head.push(Buffer.from(wanted))
    headBytes += wanted.length
  }
  return {
    take(chunk) {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
      if (skippedBytes === null) {
        first = Buffer.concat([first, bytes])
        skippedBytes = tagBytes(first)
        if (skippedBytes !== null) keep(first, 0, skippedBytes)
      } else if (headBytes < WINDOW_BYTES) keep(bytes, sizeBytes, skippedBytes)
      sizeBytes += bytes.length
      last.push(Buffer.from(bytes.subarray(-WINDOW_BYTES)))
      lastBytes += Math.min(bytes.length, WINDOW_BYTES)
      for (let [oldest] = last; oldest !== undefined && lastBytes - oldest.length >= WINDOW_BYTES; [oldest] = last) {
        last.shift()
        lastBytes -= oldest.length
      }
    },
    measured(mime = '') {
      const begin = skippedBytes === null ? first : Buffer.concat(head)
      const ends = { head: begin, tail: Buffer.concat(last), skippedBytes: skippedBytes ?? 0, sizeBytes }
      const container = containerOf(begin)
      const told = headerDurationMs(container, ends)
      const bytesPerS = PCM.test(mime) ? PCM_BYTES_PER_S : ESTIMATED_BYTES_PER_S
      const guessed = (container === 'mp3' ? framesDurationMs(ends) : null) ?? (sizeBytes / bytesPerS) * 1000
      const given = mime.split(';')[0]?.trim().toLowerCase() ?? ''
      return {
        container,
        mime: container === null ? (AUDIO.test(given) ? given : 'application/octet-stream') : MIMES[container],
        sizeBytes,
        durationMs: Math.round(told ?? guessed),
        durationSource: told === null ? 'estimate' : 'header',
      }
    },
  }
}
