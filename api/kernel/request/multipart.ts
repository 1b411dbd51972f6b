import type { IncomingMessage } from 'node:http'
import { Transform, type Readable } from 'node:stream'
import busboy from '@fastify/busboy'
import { KERNEL_ERRORS, invalidField, type DomainError } from '../../../core/kernel/errors.ts'
import { discardBody } from '../connections/unread-bodies.ts'
import { tooLarge } from './read-body.ts'

/** One part of a multipart body, as it comes in. */
export interface FilePart {
  readonly name: string
  /** Empty when the part names none. */
  readonly filename: string
  readonly mediaType: string
  readonly stream: Readable
}

/** Room for the lines between the parts and for parts that are ignored. */
const FRAME_BYTES = 64 * 1024
const MOST_PARTS = 10
/** The parser stops at the next piece: until then each boundary in the bytes makes a part. */
const PIECE_BYTES = 4096

/**
 * Hands the parts of a multipart body that are files or are called one of `names` to `take`, each while it arrives;
 * other fields are ignored. The whole body has at most `maxBytes`, and the lines between the parts beside them. Returns when every part was taken whole. Whatever fails first ends the reading: all parts
 * are cut off, and the error is thrown when `take` is done with them. The rest of the body is dropped unread.
 */
export async function readParts(
  request: IncomingMessage,
  maxBytes: number,
  names: readonly string[],
  take: (part: FilePart) => Promise<void>,
  mostParts = MOST_PARTS,
): Promise<void> {
  const mostBytes = maxBytes + FRAME_BYTES
  if (Number(request.headers['content-length'] ?? 0) > mostBytes) throw tooLarge('body', maxBytes)
  const form = openForm(request, names, mostParts)
  const streams: Readable[] = []
  const taken: Promise<void>[] = []
  const { promise: whole, resolve, reject } = Promise.withResolvers<void>()
  const pieces = inPieces(mostBytes, () => fail(tooLarge('body', maxBytes)))
  const fail = (error: unknown) => {
    reject(error)
    pieces.destroy()
    for (const stream of streams) stream.destroy(new Error('another part of the body failed', { cause: error }))
  }
  const breakOff = (cause: unknown) => fail(brokenBody(cause))
  form.on('file', (name, stream, filename, _encoding, mediaType) => {
    // The parser reports a truncated body on the part's stream without ending it, perhaps before a reader listens.
    stream.on('error', breakOff)
    streams.push(stream)
    const work = take({ name, filename: filename ?? '', mediaType, stream })
    taken.push(work)
    work.catch(fail)
  })
  for (const limit of ['filesLimit', 'fieldsLimit', 'partsLimit'] as const) {
    form.on(limit, () => fail(invalidField('body', 'has too many parts')))
  }
  const hangUp = () => {
    if (!request.complete) breakOff(new Error('the caller hung up'))
  }
  form.on('error', breakOff)
  form.on('finish', resolve)
  request.on('error', breakOff)
  request.on('close', hangUp)
  request.pipe(pieces).pipe(form)
  try {
    await whole
    await Promise.all(taken)
  } finally {
    request.unpipe(pieces)
    discardBody(request)
    await Promise.allSettled(taken)
  }
}

/** Hands bytes on in small pieces, and none after it was destroyed. Calls `onOver` in place of those beyond `mostBytes`. */
function inPieces(mostBytes: number, onOver: () => void): Transform {
  let sizeBytes = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sizeBytes += chunk.length
      if (sizeBytes > mostBytes) {
        onOver()
        return
      }
      for (let at = 0; at < chunk.length; at += PIECE_BYTES) this.push(chunk.subarray(at, at + PIECE_BYTES))
      done()
    },
  })
}

function openForm(request: IncomingMessage, names: readonly string[], mostParts: number) {
  const contentType = request.headers['content-type'] ?? ''
  try {
    return new busboy.Busboy({
      headers: { ...request.headers, 'content-type': contentType },
      limits: { files: Math.max(names.length + 2, mostParts - 2), fields: mostParts - 2, parts: mostParts },
      // As a file a part comes in bytes; as a field it would be decoded, and what is not UTF-8 replaced.
      isPartAFile: (name, mediaType, filename) =>
        names.includes(name ?? '') || filename !== undefined || mediaType === 'application/octet-stream',
    })
  } catch (cause) {
    throw invalidField('content-type', 'names no boundary', KERNEL_ERRORS.unsupported_media_type, cause)
  }
}

function brokenBody(cause: unknown): DomainError {
  return invalidField('body', 'is not a complete multipart body', KERNEL_ERRORS.validation_failed, cause)
}
