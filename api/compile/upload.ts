import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import busboy from '@fastify/busboy'
import { uploadBounds } from '../../core/compiler/intake/bounds.ts'
import type { Example } from '../../core/compiler/intake/example.ts'
import { examplesFromCsv, examplesFromJsonl } from '../../core/compiler/intake/sources.ts'
import { DomainError, invalidField } from '../../core/errors.ts'
import type { Limits } from '../../core/tenancy/limits.ts'
import type { Database } from '../../db/database.ts'
import { parseJsonText } from '../kernel/request/json-text.ts'
import { validateValue } from '../kernel/request/validate.ts'
import { storeStream, type StoredDataset } from './dataset.ts'
import { CompileSpec } from './spec.ts'

/** An upload, read to its end. */
export interface UploadedCompile {
  readonly spec: CompileSpec
  readonly dataset: StoredDataset
}

/**
 * Reads a multipart body: the field `spec` and one file, whose rows go into the blob store while they arrive, so that
 * memory stays bounded whatever the size. Throws what is wrong with the parts, the spec or a row; the spec first.
 */
export async function readUpload(request: IncomingMessage, db: Database, limits: Limits): Promise<UploadedCompile> {
  const form = openForm(request, limits)
  let spec: CompileSpec | undefined
  let dataset: Promise<StoredDataset> | undefined
  await new Promise<void>((resolve, reject) => {
    // Whatever fails first ends the reading; the rest of the body is let go by without being looked at.
    form.on('field', (name, value, _nameTruncated, isCut) => {
      if (name !== 'spec') return
      try {
        if (isCut) throw new DomainError('payload_too_large', 'spec: is too large')
        spec = validateValue(CompileSpec, parseJsonText(value, limits.json_depth), 'spec')
      } catch (error) {
        reject(error)
      }
    })
    form.on('file', (name, stream, filename, _encoding, mimeType) => {
      dataset = storeFile(stream, { name, filename, mimeType }, db, limits)
      dataset.catch(reject)
    })
    for (const limit of ['filesLimit', 'fieldsLimit', 'partsLimit'] as const) {
      form.on(limit, () => reject(invalidField('body', 'has more parts than `spec` and one file')))
    }
    const broken = (cause: unknown) => reject(brokenBody(cause))
    form.on('error', broken)
    request.on('error', broken)
    request.on('close', () => {
      if (!request.complete) broken(new Error('the caller hung up'))
    })
    form.on('finish', resolve)
    request.pipe(form)
  }).finally(() => {
    request.unpipe(form)
    request.resume()
  })
  if (spec === undefined) throw invalidField('spec', 'is required')
  if (dataset === undefined) throw invalidField('file', 'is required', 'no_examples')
  return { spec, dataset: await dataset }
}

function brokenBody(cause: unknown): DomainError {
  return new DomainError('validation_failed', 'the multipart body is broken', {
    details: { fields: [{ field: 'body', message: 'is not a whole multipart body' }] },
    cause,
  })
}

function openForm(request: IncomingMessage, limits: Limits) {
  const contentType = request.headers['content-type'] ?? ''
  try {
    return new busboy.Busboy({
      headers: { ...request.headers, 'content-type': contentType },
      limits: { files: 1, fields: 8, parts: 10, fieldSize: limits.json_body_bytes, fileSize: limits.upload_bytes },
    })
  } catch (error) {
    throw new DomainError('unsupported_media_type', 'the multipart body names no boundary', { cause: error })
  }
}

async function storeFile(
  stream: Readable,
  part: { readonly name: string; readonly filename: string; readonly mimeType: string },
  db: Database,
  limits: Limits,
): Promise<StoredDataset> {
  const read = readerFor(part)
  return await storeStream(db, read(wholeFile(stream, limits), uploadBounds(limits)), limits)
}

type RowReader = (bytes: AsyncIterable<Uint8Array>, bounds: ReturnType<typeof uploadBounds>) => AsyncGenerator<Example>

/** How the rows of a file are read, told by its name, else by its media type. */
function readerFor(part: { readonly name: string; readonly filename: string; readonly mimeType: string }): RowReader {
  const filename = (part.filename ?? '').toLowerCase()
  if (/\.(jsonl|ndjson)$/.test(filename)) return examplesFromJsonl
  if (filename.endsWith('.csv')) return examplesFromCsv
  if (/^application\/(x-)?(jsonl|ndjson|json-?lines)$/i.test(part.mimeType)) return examplesFromJsonl
  if (/^(text|application)\/csv$/i.test(part.mimeType)) return examplesFromCsv
  throw invalidField(part.name, 'must be a .jsonl or a .csv file', 'unsupported_media_type')
}

/** The bytes of a file part; a file beyond the limit is an error, not a file that ends early. */
async function* wholeFile(stream: Readable, limits: Limits): AsyncGenerator<Uint8Array> {
  let isCut = false
  stream.on('limit', () => {
    isCut = true
  })
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    if (chunk instanceof Uint8Array) yield chunk
  }
  if (isCut) {
    throw new DomainError('payload_too_large', `the file is larger than ${limits.upload_bytes} bytes`, {
      details: { max_bytes: limits.upload_bytes },
    })
  }
}
