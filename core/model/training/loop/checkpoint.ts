import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { DomainError } from '../../../kernel/errors.ts'
import { MODEL_ERRORS } from '../../errors.ts'
import type { Sha256 } from '../../../kernel/json/json.ts'
import type { Moments } from '../optimizer/adamw.ts'
import { FitHistory } from './history.ts'

const MAGIC = 'SVCTRAIN'
const VERSION = 2
const PREFIX_BYTES = MAGIC.length + 8
const DIGEST_BYTES = 32
const MOST_HEADER_BYTES = 256 * 1024 * 1024

const Header = z.object({
  job: z.string(),
  step: z.int().min(0),
  parameters: z.int().min(0),
  best: z.object({ step: z.int(), risk: z.number() }).nullable(),
  looksWithoutGain: z.int().min(0),
  usefulTokens: z.number().min(0),
  trainingSeconds: z.number().min(0),
  history: FitHistory,
})

/**
 * All state that the next step depends on. It holds no random generator: each epoch's order has its own stream, so
 * `step` determines the position in it.
 */
export interface Checkpoint {
  /** Hash of the inputs that determine the outcome: base, rows and hyper-parameters. */
  readonly job: Sha256
  /** Steps that are done. */
  readonly step: number
  readonly values: Float32Array
  readonly moments: Moments
  /** The values with the lowest risk of the validation rows so far; null before the first look. */
  readonly best: { readonly step: number; readonly risk: number; readonly values: Float32Array } | null
  readonly looksWithoutGain: number
  readonly usefulTokens: number
  readonly trainingSeconds: number
  readonly history: FitHistory
}

/**
 * A checkpoint as bytes: `SVCTRAIN`, version and header length (uint32, little-endian), header (JSON, padded with spaces
 * to a multiple of 4), values, first and second moments, best values if there are any (float32, little-endian), SHA-256
 * of all that.
 */
export function writeCheckpoint(checkpoint: Checkpoint): Uint8Array<ArrayBuffer> {
  const { values, moments, best, ...rest } = checkpoint
  const header = { ...rest, parameters: values.length, best: best && { step: best.step, risk: best.risk } }
  const text = Buffer.from(JSON.stringify(header))
  const headerBytes = Math.ceil(text.length / 4) * 4
  const arrays = [values, moments.first, moments.second, ...(best === null ? [] : [best.values])]
  const bytes = new Uint8Array(PREFIX_BYTES + headerBytes + arrays.length * values.byteLength + DIGEST_BYTES)
  bytes.set(Buffer.from(MAGIC))
  const view = new DataView(bytes.buffer)
  view.setUint32(MAGIC.length, VERSION, true)
  view.setUint32(MAGIC.length + 4, headerBytes, true)
  bytes.fill(0x20, PREFIX_BYTES, PREFIX_BYTES + headerBytes)
  bytes.set(text, PREFIX_BYTES)
  let at = PREFIX_BYTES + headerBytes
  for (const array of arrays) {
    bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), at)
    at += array.byteLength
  }
  bytes.set(digest(bytes.subarray(0, at)), at)
  return bytes
}

/**
 * Reads a checkpoint of the job with this hash and number of parameters. Throws `invalid_checkpoint` for damaged bytes
 * and for a checkpoint of another job.
 */
export function readCheckpoint(bytes: Uint8Array, job: Sha256, parameters: number): Checkpoint {
  const end = bytes.length - DIGEST_BYTES
  if (end < PREFIX_BYTES || Buffer.from(bytes.subarray(0, MAGIC.length)).toString('latin1') !== MAGIC) {
    throw invalid('is none')
  }
  if (!digest(bytes.subarray(0, end)).equals(bytes.subarray(end))) throw invalid('is damaged: its digest differs')
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const version = view.getUint32(MAGIC.length, true)
  if (version !== VERSION) throw invalid(`has version ${version}, and ${VERSION} is known`)
  const headerBytes = view.getUint32(MAGIC.length + 4, true)
  if (headerBytes > Math.min(MOST_HEADER_BYTES, end - PREFIX_BYTES)) throw invalid('has a header that does not fit')
  const header = parseHeader(bytes.subarray(PREFIX_BYTES, PREFIX_BYTES + headerBytes))
  if (header.job !== job) throw invalid('belongs to a job with another base, other rows or other hyper-parameters')
  const count = header.best === null ? 3 : 4
  const start = PREFIX_BYTES + headerBytes
  if (header.parameters !== parameters || end - start !== count * 4 * parameters) throw invalid('has another size')
  const arrayAt = (index: number): Float32Array =>
    new Float32Array(bytes.slice(start + index * 4 * parameters, start + (index + 1) * 4 * parameters).buffer)
  const { best, parameters: _, ...rest } = header
  return {
    ...rest,
    job,
    values: arrayAt(0),
    moments: { first: arrayAt(1), second: arrayAt(2) },
    best: best && { ...best, values: arrayAt(3) },
  }
}

function parseHeader(bytes: Uint8Array): z.infer<typeof Header> {
  try {
    return Header.parse(JSON.parse(Buffer.from(bytes).toString('utf8')))
  } catch (cause) {
    throw invalid('has a header that cannot be read', cause)
  }
}

function digest(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest()
}

function invalid(problem: string, cause?: unknown): DomainError {
  return MODEL_ERRORS.invalid_checkpoint(`the checkpoint ${problem}`, { cause })
}
