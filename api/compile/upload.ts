import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { uploadBounds } from '../../core/compiler/intake/bounds.ts'
import type { Example } from '../../core/compiler/intake/example.ts'
import { examplesFromCsv, examplesFromJsonl } from '../../core/compiler/intake/sources.ts'
import { invalidField } from '../../core/errors.ts'
import { parseJsonText } from '../../core/json-text.ts'
import { isJsonObject } from '../../core/json.ts'
import type { Limits } from '../../core/tenancy/limits.ts'
import { decodeUtf8 } from '../../core/utf8.ts'
import type { Database } from '../../db/database.ts'
import { readParts, type FilePart } from '../kernel/request/multipart.ts'
import { tooLarge } from '../kernel/request/read-body.ts'
import { validateValue } from '../kernel/request/validate.ts'
import { storeStream, type StoredDataset } from './dataset.ts'
import { compileSpec, type CompileSpec } from './spec.ts'

/** An upload, read to its end. */
export interface UploadedCompile {
  readonly spec: CompileSpec
  readonly dataset: StoredDataset
}

/**
 * Reads a multipart body: the part `spec` and one file, whose rows go into the blob store while they arrive, so that
 * memory stays bounded whatever the size. Whatever fails first ends it, and then nothing of it stays behind. Throws
 * what is wrong with the parts, the spec or a row.
 */
export async function readUpload(request: IncomingMessage, db: Database, limits: Limits): Promise<UploadedCompile> {
  let spec: CompileSpec | undefined
  let dataset: StoredDataset | undefined
  const seen = new Set<'spec' | 'file'>()
  const bounds = { specBytes: limits.json_body_bytes, fileBytes: limits.upload_bytes }
  await readParts(request, bounds.specBytes + bounds.fileBytes, ['spec'], async (part) => {
    if (part.name === 'spec') {
      if (seen.has('spec')) throw invalidField('spec', 'is given twice')
      seen.add('spec')
      spec = readSpec(await collect(part.stream, bounds.specBytes), limits)
      return
    }
    if (seen.has('file')) throw invalidField(part.name, 'is a second file; send one')
    seen.add('file')
    const read = readerFor(part)
    const bytes = bounded(part.stream, part.name, bounds.fileBytes)
    dataset = await storeStream(db, read(bytes, uploadBounds(limits)), limits)
  })
  if (spec === undefined) throw invalidField('spec', 'is required')
  if (dataset === undefined) throw invalidField('file', 'is required', 'no_examples')
  return { spec, dataset }
}

function readSpec(bytes: Uint8Array, limits: Limits): CompileSpec {
  const value = parseJsonText(decodeUtf8(bytes, 'spec'), limits.json_depth, 'spec')
  if (isJsonObject(value) && Object.hasOwn(value, 'examples')) {
    throw invalidField('spec.examples', 'must be absent: the examples are in the file')
  }
  return validateValue(compileSpec(limits), value, 'spec')
}

async function collect(stream: Readable, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of bounded(stream, 'spec', maxBytes)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

type RowReader = (bytes: AsyncIterable<Uint8Array>, bounds: ReturnType<typeof uploadBounds>) => AsyncGenerator<Example>

/** How the rows of a file are read, told by its name, else by its media type. */
function readerFor(part: FilePart): RowReader {
  const filename = part.filename.toLowerCase()
  if (/\.(jsonl|ndjson)$/.test(filename)) return examplesFromJsonl
  if (filename.endsWith('.csv')) return examplesFromCsv
  if (/^application\/(x-)?(jsonl|ndjson|json-?lines)$/i.test(part.mediaType)) return examplesFromJsonl
  if (/^(text|application)\/csv$/i.test(part.mediaType)) return examplesFromCsv
  throw invalidField(part.name, 'must be a .jsonl or a .csv file', 'unsupported_media_type')
}

/** The bytes of a part; one beyond the limit is an error, not one that ends early. */
async function* bounded(stream: Readable, name: string, maxBytes: number): AsyncGenerator<Uint8Array> {
  let sizeBytes = 0
  // Left as it is when its reader stops: destroyed, it would report an error of its own before that of the reader.
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    if (!(chunk instanceof Uint8Array)) continue
    sizeBytes += chunk.length
    if (sizeBytes > maxBytes) throw tooLarge(name, maxBytes)
    yield chunk
  }
}
