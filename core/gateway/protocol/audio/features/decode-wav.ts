import { containerOf, wavDataBytes, wavLayout } from '../containers.ts'

/** Sound as samples of one channel, from -1 to 1. */
export interface Samples {
  readonly rate: number
  readonly values: Float32Array
}

/** A reason why bytes cannot be decoded here. */
export interface Undecodable {
  readonly why: string
}

const INTEGER = 1
const FLOAT = 3
const MOST_CHANNELS = 64
const LEAST_RATE = 1000
const MOST_RATE = 768_000

type Reader = (bytes: Buffer, at: number) => number

/** Readers of a sample, by format and bits. */
const READERS: Readonly<Record<string, Reader>> = {
  [`${INTEGER}/8`]: (bytes, at) => (bytes.readUInt8(at) - 128) / 128,
  [`${INTEGER}/16`]: (bytes, at) => bytes.readInt16LE(at) / 2 ** 15,
  [`${INTEGER}/24`]: (bytes, at) => bytes.readIntLE(at, 3) / 2 ** 23,
  [`${INTEGER}/32`]: (bytes, at) => bytes.readInt32LE(at) / 2 ** 31,
  [`${FLOAT}/32`]: (bytes, at) => finite(bytes.readFloatLE(at)),
  [`${FLOAT}/64`]: (bytes, at) => finite(bytes.readDoubleLE(at)),
}

function finite(value: number): number {
  return Number.isFinite(value) ? value : 0
}

/** Decodes a WAV file of PCM samples; several channels become their mean. At most `mostS` seconds are read. */
export function decodeWav(bytes: Uint8Array, mostS: number): Samples | Undecodable {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const container = containerOf(file)
  if (container !== 'wav') {
    return {
      why: `is ${container === null ? 'in no container that is known here' : container}; WAV with PCM samples is decoded here`,
    }
  }
  const layout = wavLayout(file)
  if (layout === null) return { why: 'is a WAV file without the chunks fmt and data' }
  const { format, bitsPerSample, channels, sampleRate: rate } = layout
  const read = READERS[`${format}/${bitsPerSample}`]
  if (read === undefined) {
    return {
      why: `is a WAV file of format ${format} with ${bitsPerSample} bits; PCM of 8, 16, 24, 32 bits and floating point of 32, 64 are decoded here`,
    }
  }
  if (channels === 0 || channels > MOST_CHANNELS) return { why: `has ${channels} channels` }
  if (rate < LEAST_RATE || rate > MOST_RATE) return { why: `has ${rate} samples a second` }
  const sampleBytes = bitsPerSample / 8
  const count = Math.floor(wavDataBytes(layout, file.length) / (sampleBytes * channels))
  if (count > mostS * rate) return { why: `is longer than ${mostS} s` }
  const values = new Float32Array(count)
  for (let i = 0, at = layout.dataOffset; i < count; i++) {
    let sum = 0
    for (let channel = 0; channel < channels; channel++, at += sampleBytes) sum += read(file, at)
    values[i] = sum / channels
  }
  return { rate, values }
}
