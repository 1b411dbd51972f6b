import { createHash } from 'node:crypto'
import { DTYPE_BYTES, parseHeader, PREFIX_BYTES, readHeaderSize, type FileLabel, type TensorEntry } from './header.ts'
import { countElements, type TensorData } from '../tensors.ts'
import { widenElements } from './widen-elements.ts'

/** Bytes that are read at one position: a file, or a member of an archive in memory. */
export interface ByteSource {
  readonly sizeBytes: number
  /** Fills `into` from `offset`; answers how many bytes there were. */
  read(into: Uint8Array, offset: number): Promise<number>
}

/** A multiple of every element's size. */
const CHUNK_BYTES = 4 * 1024 * 1024

/** The tensors that a safetensors file states, checked against its size. Throws the label's code. */
export async function readTensorEntries(source: ByteSource, label: FileLabel): Promise<readonly TensorEntry[]> {
  const prefix = await readExactly(source, 0, Math.min(PREFIX_BYTES, source.sizeBytes), label)
  const headerBytes = readHeaderSize(prefix, source.sizeBytes, label)
  return parseHeader(await readExactly(source, PREFIX_BYTES, headerBytes, label), source.sizeBytes, label)
}

/**
 * Reads one tensor into float32 memory of its own, piece by piece, and hashes its bytes as they are stored on the way.
 * Throws the label's code when the file has become shorter, or for a value that is not finite.
 */
export async function readTensor(
  source: ByteSource,
  entry: TensorEntry,
  label: FileLabel,
): Promise<{ readonly tensor: TensorData; readonly digest: string }> {
  const data = new Float32Array(new SharedArrayBuffer(countElements(entry.shape) * 4))
  const hash = createHash('sha256')
  const size = DTYPE_BYTES[entry.dtype]
  for await (const { bytes, at } of eachChunk(source, entry, label)) {
    hash.update(bytes)
    const from = at / size
    const piece = data.subarray(from, from + bytes.length / size)
    widenElements(entry.dtype, bytes, piece)
    if (!areFinite(piece)) throw label.error(`${label.file}: tensor ${entry.name} holds a value that is not finite`)
  }
  return { tensor: { shape: entry.shape, data }, digest: hash.digest('hex') }
}

// A plain loop: every weight of a base passes through it.
function areFinite(values: Float32Array): boolean {
  for (let i = 0; i < values.length; i++) if (!Number.isFinite(values[i])) return false
  return true
}

/** Returns the digest of a tensor's bytes, without decoding them. Throws as `readTensor`. */
export async function hashTensor(source: ByteSource, entry: TensorEntry, label: FileLabel): Promise<string> {
  const hash = createHash('sha256')
  for await (const { bytes } of eachChunk(source, entry, label)) hash.update(bytes)
  return hash.digest('hex')
}

/** The pieces of a tensor in order; the bytes of one are overwritten by the next. */
async function* eachChunk(
  source: ByteSource,
  { offset, sizeBytes }: TensorEntry,
  label: FileLabel,
): AsyncGenerator<{ readonly bytes: Uint8Array<ArrayBuffer>; readonly at: number }> {
  const buffer = new Uint8Array(Math.min(CHUNK_BYTES, sizeBytes))
  for (let at = 0; at < sizeBytes; at += CHUNK_BYTES) {
    const bytes = buffer.subarray(0, Math.min(CHUNK_BYTES, sizeBytes - at))
    await fill(source, bytes, offset + at, label)
    yield { bytes, at }
  }
}

async function readExactly(source: ByteSource, offset: number, length: number, label: FileLabel): Promise<Uint8Array> {
  const bytes = new Uint8Array(length)
  await fill(source, bytes, offset, label)
  return bytes
}

async function fill(source: ByteSource, bytes: Uint8Array, offset: number, label: FileLabel): Promise<void> {
  let done = 0
  while (done < bytes.length) {
    const count = await source.read(bytes.subarray(done), offset + done)
    if (count === 0) throw label.error(`${label.file}: ends before byte ${offset + bytes.length}`)
    done += count
  }
}
