import { hash } from 'node:crypto'
import { endianness } from 'node:os'
import { readBaseTokenizer } from '../../../../model/files/base-tokenizer.ts'
import { readBaseConfig } from '../../../../model/files/inspect-base.ts'
import type { Tokenizer } from '../../../../model/tokenizer/tokenizer.ts'
import { serveTasks } from '../../../../kernel/threads/serve-tasks.ts'
import { decodeWav, type Undecodable } from './decode-wav.ts'
import { logMel, MEL_RATE } from './log-mel.ts'
import { resample } from './resample.ts'

/** A sound as a file, and the features that are asked for. */
interface MelTask {
  readonly bytes: Uint8Array
  readonly bins: number
  readonly mostS: number
}

/** Features of a sound, without their values. */
export interface MelFeatures {
  readonly durationMs: number
  readonly sampleRate: number
  readonly frames: number
  readonly bins: number
  /** Of the values as 32-bit floating point numbers, little-endian, bin by bin. Hexadecimal. */
  readonly sha256: string
  readonly mean: number
}

/** Features, or why there are none. */
export type MelResult = MelFeatures | Undecodable

/** A text, and the folder of the base whose tokenizer reads it. */
interface TokenTask {
  readonly directory: string
  readonly text: string
}

/** The tokens of a text. */
export interface TextTokens {
  readonly count: number
  /** The first ones. */
  readonly sample: readonly number[]
}

/** The tasks of the thread. */
export interface MelTasks {
  readonly features: { readonly input: MelTask; readonly output: MelResult }
  readonly tokens: { readonly input: TokenTask; readonly output: TextTokens }
}

const SAMPLE = 16
/** The tokenizer that was used last: one takes as long to load as many texts to read. */
let last: { readonly directory: string; readonly tokenizer: Tokenizer } | undefined

async function tokens({ directory, text }: TokenTask): Promise<TextTokens> {
  if (last?.directory !== directory) {
    const { tokenizer } = await readBaseTokenizer(directory, await readBaseConfig(directory))
    last = { directory, tokenizer }
  }
  const ids = last.tokenizer.encode(text, { asPlainText: true })
  return { count: ids.length, sample: ids.slice(0, SAMPLE) }
}

function features({ bytes, bins, mostS }: MelTask): MelResult {
  const samples = decodeWav(bytes, mostS)
  if ('why' in samples) return samples
  const { values, frames } = logMel(resample(samples, MEL_RATE), bins)
  return {
    durationMs: Math.round((samples.values.length / samples.rate) * 1000),
    sampleRate: samples.rate,
    frames,
    bins,
    sha256: hash('sha256', littleEndian(values)),
    mean: Number((values.reduce((sum, value) => sum + value, 0) / values.length).toFixed(6)),
  }
}

function littleEndian({ buffer, byteOffset, byteLength }: Float32Array): Buffer {
  const bytes = Buffer.from(buffer, byteOffset, byteLength)
  return endianness() === 'LE' ? bytes : Buffer.from(bytes).swap32()
}

serveTasks<MelTasks>({ features, tokens })
