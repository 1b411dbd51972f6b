import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import { KERNEL_ERRORS, invalidField } from '../../../core/kernel/errors.ts'
import { parseJsonText } from '../../../core/kernel/json/json-text.ts'
import { isJsonObject } from '../../../core/kernel/json/json.ts'
import type { Limits } from '../../../core/compile/limits.ts'
import { decodeUtf8 } from '../../../core/kernel/json/utf8.ts'
import type { Intake } from '../intake/intake.ts'
import type { UploadFormat } from '../intake/intake-task.ts'
import { readParts, type FilePart } from '../../kernel/request/multipart.ts'
import { tooLarge } from '../../kernel/request/read-body.ts'
import { validateValue } from '../../kernel/request/validate.ts'
import { checkStream, type SpooledDataset } from './dataset.ts'
import { compileSpec, type CompileSpec } from '../../../core/compile/wire/jobs/spec.ts'
import type { SpoolBounds, UploadSpool } from './spool.ts'

/** An upload, read to its end. Its rows wait in the spool: release them. */
export interface UploadedCompile {
  readonly spec: CompileSpec
  readonly dataset: SpooledDataset
}

/** The services that reading an upload needs. */
export interface UploadReader {
  readonly limits: Limits
  readonly intake: Intake
  readonly spool: UploadSpool
  /** The key by which uploads take turns in their thread. */
  readonly caller: string
  readonly bounds: SpoolBounds
  /** Looks at the spec as soon as it is there: before the file is read when the spec comes first. */
  readonly checkSpec: (spec: CompileSpec) => Promise<void>
}

/**
 * Reads a multipart body: the part `spec` and one file, in either order. The checked rows wait in the spool, so memory
 * stays bounded whatever the size, and nothing reaches the blob store before all of the upload is known to be right.
 * Whatever fails first ends it, and then nothing of it stays behind. Throws what is wrong with the parts, the spec or a
 * row.
 */
export async function readUpload(request: IncomingMessage, reader: UploadReader): Promise<UploadedCompile> {
  const { limits, intake, spool, caller, checkSpec } = reader
  const bounds = { ...reader.bounds, uploadBytes: limits.upload_bytes }
  let spec: Promise<CompileSpec> | undefined
  let dataset: SpooledDataset | undefined
  let hasFile = false
  try {
    await readParts(request, limits.json_body_bytes + limits.upload_bytes, ['spec'], async (part) => {
      if (part.name === 'spec') {
        if (spec !== undefined) throw invalidField('spec', 'is given twice')
        spec = takeSpec(part, limits, checkSpec)
        await spec
        return
      }
      if (hasFile) throw invalidField(part.name, 'is a second file; send one')
      hasFile = true
      const format = formatOf(part)
      // A spec that came first is settled before the first row is read.
      await spec
      const bytes = bounded(part.stream, part.name, limits.upload_bytes)
      dataset = await checkStream(intake.upload(format, bytes, caller), { spool, bounds, limits })
    })
    if (spec === undefined) throw invalidField('spec', 'is required')
    if (dataset === undefined) throw invalidField('file', 'is required', COMPILE_ERRORS.no_examples)
    return { spec: await spec, dataset }
  } catch (error) {
    await dataset?.release()
    throw error
  }
}

async function takeSpec(
  part: FilePart,
  limits: Limits,
  checkSpec: (spec: CompileSpec) => Promise<void>,
): Promise<CompileSpec> {
  const spec = readSpec(await collect(part.stream, limits.upload_spec_bytes), limits)
  await checkSpec(spec)
  return spec
}

function readSpec(bytes: Uint8Array, limits: Limits): CompileSpec {
  const value = parseJsonText(decodeUtf8(bytes, 'spec'), limits.json_depth, 'spec', limits.public_json_parts)
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

/** Returns the format of an uploaded file by its name, else by its media type. */
function formatOf(part: FilePart): UploadFormat {
  const filename = part.filename.toLowerCase()
  if (/\.(jsonl|ndjson)$/.test(filename)) return 'jsonl'
  if (filename.endsWith('.csv')) return 'csv'
  if (/^application\/(x-)?(jsonl|ndjson|json-?lines)$/i.test(part.mediaType)) return 'jsonl'
  if (/^(text|application)\/csv$/i.test(part.mediaType)) return 'csv'
  throw invalidField(part.name, 'must be a .jsonl or a .csv file', KERNEL_ERRORS.unsupported_media_type)
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
