import type { IncomingMessage } from 'node:http'
import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import { invalidField } from '../../../core/kernel/errors.ts'
import { isJsonObject, type Json } from '../../../core/kernel/json/json.ts'
import type { Limits } from '../../../core/compile/limits.ts'
import { isMapped, type TableMapping } from '../../../core/compile/rows/table/mapping.ts'
import { readParts, type FilePart } from '../../kernel/request/multipart.ts'
import { validateValue } from '../../kernel/request/validate.ts'
import { checkStream, type SpooledDataset } from './dataset.ts'
import { uploadSpec, type CompileSpec } from '../../../core/compile/wire/jobs/spec.ts'
import {
  bounded,
  formatOf,
  peek,
  readable,
  receiveFile,
  releaseReceived,
  type FileReceiver,
  type ReceivedFile,
} from './received-file.ts'
import { peekRow } from './peek-row.ts'
import { readSpec } from './spec-and-file.ts'
import type { SpoolBounds } from '../../kernel/request/spool.ts'

/** An upload, read to its end. Its rows wait in the spool: release them. */
export interface UploadedCompile {
  readonly spec: CompileSpec
  readonly dataset: SpooledDataset
}

/** The services that reading an upload needs. */
export interface UploadReader extends FileReceiver {
  readonly bounds: SpoolBounds
  /** Looks at the spec as soon as it is there: before the file is read when the spec comes first. */
  readonly checkSpec: (spec: CompileSpec) => Promise<void>
}

/** The part `spec`: the compile, and how its file is read. */
interface GivenSpec {
  readonly spec: CompileSpec
  readonly mapping: TableMapping
}

/**
 * Reads a multipart body: the part `spec` and one file, in either order. Lines of examples are checked while they arrive;
 * other files wait in the spool as they were sent, since what their columns are shows at their end. The checked rows wait
 * there too, so memory stays bounded whatever the size, and nothing reaches the blob store before all of the upload is
 * known to be right. The first failure ends it, and then nothing of it stays behind. Throws the error of the
 * parts, the spec, the file or a row.
 */
export async function readUpload(request: IncomingMessage, reader: UploadReader): Promise<UploadedCompile> {
  const { limits, checkSpec } = reader
  let given: Promise<GivenSpec> | undefined
  let received: ReceivedFile | undefined
  let dataset: SpooledDataset | undefined
  let hasFile = false
  try {
    await readParts(request, limits.json_body_bytes + limits.upload_bytes, ['spec'], async (part) => {
      if (part.name === 'spec') {
        if (given !== undefined) throw invalidField('spec', 'is given twice')
        given = takeSpec(part, limits, checkSpec)
        await given
        return
      }
      if (hasFile) throw invalidField(part.name, 'is a second file; send one')
      hasFile = true
      // A spec that came first is settled before the first row is read.
      const known = await given
      const format = formatOf(part)
      const { head, all } = await peek(bounded(part.stream, part.name, limits.upload_bytes))
      const plain =
        format === 'jsonl' && known !== undefined && !isMapped(known.mapping) && isNarrow(head) ? known : undefined
      const rows = plain === undefined ? { mayBeExamples: false, all } : await peekRow(all)
      if (plain !== undefined && rows.mayBeExamples) dataset = await checkLines(rows.all, plain, reader)
      else received = await receiveFile(rows.all, format, reader, limits.upload_bytes)
    })
    if (given === undefined) throw invalidField('spec', 'is required')
    const { spec, mapping } = await given
    if (received !== undefined) dataset = await checkFile(received, { spec, mapping }, reader)
    if (dataset === undefined) throw invalidField('file', 'is required', COMPILE_ERRORS.no_examples)
    return { spec, dataset }
  } catch (error) {
    await dataset?.release()
    throw error
  } finally {
    await releaseReceived(received)
  }
}

/** True for bytes of an encoding that has one byte for each ASCII character. */
function isNarrow(head: Buffer): boolean {
  return !head.includes(0) && head[0] !== 0xff && head[0] !== 0xfe
}

async function checkLines(
  bytes: AsyncGenerator<Uint8Array>,
  { spec: { tolerances } }: GivenSpec,
  { limits, intake, spool, caller, bounds }: UploadReader,
): Promise<SpooledDataset> {
  const file = { format: 'jsonl', mapping: {}, isStreamed: true, tolerances } as const
  return await checkStream(
    intake.upload(file, () => bytes, caller),
    { spool, bounds, limits },
  )
}

async function checkFile(
  received: ReceivedFile,
  { spec: { tolerances }, mapping }: GivenSpec,
  reader: UploadReader,
): Promise<SpooledDataset> {
  const { limits, intake, spool, caller, bounds } = reader
  const { file, read, release } = await readable(received, mapping, reader, 'examples')
  try {
    return await checkStream(intake.upload({ ...file, tolerances }, read, caller), { spool, bounds, limits })
  } finally {
    await release()
  }
}

async function takeSpec(
  part: FilePart,
  limits: Limits,
  checkSpec: (spec: CompileSpec) => Promise<void>,
): Promise<GivenSpec> {
  const { mapping = {}, ...spec } = toSpec(await readSpec(part.stream, limits), limits)
  await checkSpec(spec)
  return { spec, mapping }
}

function toSpec(value: Json, limits: Limits) {
  if (isJsonObject(value) && Object.hasOwn(value, 'examples')) {
    throw invalidField('spec.examples', 'must be absent: the examples are in the file')
  }
  return validateValue(uploadSpec(limits), value, 'spec')
}
