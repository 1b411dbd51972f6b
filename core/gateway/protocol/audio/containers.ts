/** Containers of sound that are recognised by their first bytes. */
export type AudioContainer = 'wav' | 'flac' | 'ogg' | 'mp3' | 'mp4' | 'webm'

/** The beginning and the end of a file. */
interface AudioEnds {
  /** From the first byte behind a tag of ID3 on. */
  readonly head: Buffer
  readonly tail: Buffer
  /** Bytes of the file before `head`. */
  readonly skippedBytes: number
  readonly sizeBytes: number
}

/** The container of a file by its first bytes; null for one that is not known. */
export function containerOf(head: Buffer): AudioContainer | null {
  const mark = head.toString('latin1', 0, 4)
  if ((mark === 'RIFF' || mark === 'RF64') && head.toString('latin1', 8, 12) === 'WAVE') return 'wav'
  if (mark === 'fLaC') return 'flac'
  if (mark === 'OggS') return 'ogg'
  if (head.toString('latin1', 4, 8) === 'ftyp') return 'mp4'
  if (head.length >= 4 && head.readUInt32BE(0) === 0x1a45dfa3) return 'webm'
  return frameAt(head, 0) === null ? null : 'mp3'
}

/** Returns the length that the headers of a file tell, milliseconds; null where they tell none. */
export function headerDurationMs(container: AudioContainer | null, ends: AudioEnds): number | null {
  switch (container) {
    case 'wav':
      return wavMs(ends)
    case 'flac':
      return flacMs(ends.head)
    case 'ogg':
      return oggMs(ends)
    case 'mp3':
      return mp3Ms(ends.head)
    default:
      return null
  }
}

/** Returns the length at the bit rate of the first frame of an MP3, milliseconds; null for another container. */
export function framesDurationMs({ head, sizeBytes, skippedBytes }: AudioEnds): number | null {
  const frame = frameAt(head, 0)
  return frame === null ? null : ((sizeBytes - skippedBytes) * 8) / (frame.bitRate / 1000)
}

/** Bytes of a tag of ID3v2 at the beginning of a file, 0 without one; null while more bytes are needed to tell. */
export function tagBytes(first: Buffer): number | null {
  if (first.length < 10) return null
  if (first.toString('latin1', 0, 3) !== 'ID3') return 0
  // Seven bits a byte (ID3v2.4, 3.1); a footer repeats the header.
  const size = [6, 7, 8, 9].reduce((sum, at) => sum * 128 + (first.readUInt8(at) & 0x7f), 0)
  return 10 + size + (first.readUInt8(5) & 0x10 ? 10 : 0)
}

/** Where the sound of a WAV file is, and its form. */
interface WavLayout {
  /** 1: integers, 3: floating point. */
  readonly format: number
  readonly channels: number
  readonly sampleRate: number
  readonly bitsPerSample: number
  readonly dataOffset: number
  /** As the file says; a file that was written while it was made says 0 or the largest number. */
  readonly dataBytes: number
}

const EXTENSIBLE = 0xfffe

/** Reads the chunks of a WAV file up to its sound; null when they are not within `head`. */
export function wavLayout(head: Buffer): WavLayout | null {
  let form: Omit<WavLayout, 'dataOffset' | 'dataBytes'> | null = null
  for (let at = 12; at + 8 <= head.length;) {
    const name = head.toString('latin1', at, at + 4)
    const size = head.readUInt32LE(at + 4)
    const body = at + 8
    if (name === 'data') return form && { ...form, dataOffset: body, dataBytes: size }
    if (name === 'fmt ' && size >= 16 && body + size <= head.length) {
      const tag = head.readUInt16LE(body)
      const format = tag === EXTENSIBLE && size >= 26 ? head.readUInt16LE(body + 24) : tag
      form = {
        format,
        channels: head.readUInt16LE(body + 2),
        sampleRate: head.readUInt32LE(body + 4),
        bitsPerSample: head.readUInt16LE(body + 14),
      }
    }
    at = body + size + (size % 2)
  }
  return null
}

/** Bytes of sound in a WAV file of this size. */
export function wavDataBytes({ dataOffset, dataBytes }: WavLayout, sizeBytes: number): number {
  const left = Math.max(0, sizeBytes - dataOffset)
  return dataBytes === 0 || dataBytes > left ? left : dataBytes
}

function wavMs({ head, sizeBytes }: AudioEnds): number | null {
  const layout = wavLayout(head)
  if (layout === null) return null
  const bytesPerS = (layout.sampleRate * layout.channels * layout.bitsPerSample) / 8
  return bytesPerS === 0 ? null : (wavDataBytes(layout, sizeBytes) / bytesPerS) * 1000
}

/** STREAMINFO follows the mark (RFC 9639, 8.2). A total of 0 samples is unknown. */
function flacMs(head: Buffer): number | null {
  if (head.length < 26) return null
  const rate = head.readUIntBE(18, 3) >> 4
  const samples = (head.readUInt8(21) & 0x0f) * 2 ** 32 + head.readUInt32BE(22)
  return rate === 0 || samples === 0 ? null : (samples / rate) * 1000
}

/** The position of the last page, in samples at the rate of the first one (RFC 3533, RFC 7845). */
function oggMs({ head, tail }: AudioEnds): number | null {
  if (head.length < 28) return null
  const body = 27 + head.readUInt8(26)
  const isOpus = head.toString('latin1', body, body + 8) === 'OpusHead'
  const isVorbis = head.toString('latin1', body, body + 7) === '\u{1}vorbis'
  if (head.length < body + 16 || (!isOpus && !isVorbis)) return null
  const rate = isOpus ? 48_000 : head.readUInt32LE(body + 12)
  const preSkip = isOpus ? head.readUInt16LE(body + 10) : 0
  for (let at = tail.lastIndexOf('OggS'); at >= 0; at = at === 0 ? -1 : tail.lastIndexOf('OggS', at - 1)) {
    if (at + 14 > tail.length) continue
    const position = tail.readBigInt64LE(at + 6)
    // -1: no packet ends on the page.
    if (position >= 0n) return rate === 0 ? null : (Math.max(0, Number(position) - preSkip) / rate) * 1000
  }
  return null
}

const BIT_RATES_1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
const BIT_RATES_2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
const RATES = [44_100, 48_000, 32_000]

interface MpegFrame {
  readonly bitRate: number
  readonly sampleRate: number
  readonly samples: number
  /** Bytes of side information, behind which an encoder writes its count of frames. */
  readonly sideBytes: number
}

/** The header of a frame of MPEG audio, layer III. */
function frameAt(bytes: Buffer, at: number): MpegFrame | null {
  if (at + 4 > bytes.length) return null
  const word = bytes.readUInt32BE(at)
  const version = (word >>> 19) & 3
  const rateIndex = (word >>> 10) & 3
  const kbit = (version === 3 ? BIT_RATES_1 : BIT_RATES_2)[(word >>> 12) & 15]
  const rate = RATES[rateIndex]
  const isLayer3 = ((word >>> 17) & 3) === 1
  if (word >>> 21 !== 0x7ff || version === 1 || !isLayer3 || !kbit || rate === undefined) return null
  const isMono = ((word >>> 6) & 3) === 3
  const isFirst = version === 3
  return {
    bitRate: kbit * 1000,
    sampleRate: isFirst ? rate : version === 2 ? rate / 2 : rate / 4,
    samples: isFirst ? 1152 : 576,
    sideBytes: isFirst ? (isMono ? 17 : 32) : isMono ? 9 : 17,
  }
}

/** The count of frames that an encoder left in the first one: `Xing` or `Info`, and `VBRI` of Fraunhofer's. */
function mp3Ms(head: Buffer): number | null {
  const frame = frameAt(head, 0)
  if (frame === null) return null
  const msOf = (frames: number): number => ((frames * frame.samples) / frame.sampleRate) * 1000
  const xing = 4 + frame.sideBytes
  const mark = head.toString('latin1', xing, xing + 4)
  if ((mark === 'Xing' || mark === 'Info') && head.length >= xing + 12 && (head.readUInt32BE(xing + 4) & 1) === 1) {
    return msOf(head.readUInt32BE(xing + 8))
  }
  if (head.toString('latin1', 36, 40) === 'VBRI' && head.length >= 54) return msOf(head.readUInt32BE(50))
  return null
}
