import { COMPILE_ERRORS } from '../../../../core/compile/errors.ts'
import { longestLine } from '../../../../core/compile/rows/table/open-table.ts'
import { BatchSpec, MOST_INPUTS } from '../../../../core/compile/wire/batches.ts'
import { countRows, HeldRows, type GivenRows } from '../../../../core/compile/wire/given-rows.ts'
import { invalidField } from '../../../../core/kernel/errors.ts'
import { sha256 } from '../../../../core/kernel/json/json.ts'
import {
  readable,
  receiveFile,
  releaseReceived,
  type FileReceiver,
  type ReceivedFile,
} from '../../submit/received-file.ts'
import { receiveSpecAndFile } from '../../submit/spec-and-file.ts'
import { batchBounds, type BatchCall, type SentFile } from './open-session.ts'

/** A batch as it was sent; release it in the end. */
export interface ReceivedBatch {
  readonly spec: BatchSpec
  readonly sent: SentFile
  readonly release: () => Promise<void>
}

/** Takes the inputs of a JSON body. Throws `too_many_rows`, `no_rows`. */
export async function receiveInputs(call: BatchCall, spec: BatchSpec, inputs: GivenRows): Promise<ReceivedBatch> {
  if (countRows(inputs) > MOST_INPUTS) {
    throw invalidField('inputs', `holds more than ${MOST_INPUTS}; send a file`, COMPILE_ERRORS.too_many_rows)
  }
  const receiver = receiverOf(call)
  const json = inputs instanceof HeldRows ? inputs.json : Buffer.from(JSON.stringify(inputs))
  const received = await receiveFile(blocksOf(json), 'json', receiver, call.services.limits.run_batch_bytes)
  return await toReadable(spec, received, receiver, true)
}

/**
 * Reads a multipart body: the part `spec` and one file, in either order. The file waits in the spool. Throws what is wrong
 * with the parts, the spec, and the file as a whole.
 */
export async function receiveUpload(call: BatchCall): Promise<ReceivedBatch> {
  const receiver = receiverOf(call)
  const { run_batch_bytes: maxBytes } = call.services.limits
  const { spec, received } = await receiveSpecAndFile(call.request, BatchSpec, receiver, maxBytes)
  try {
    if (spec === undefined) throw invalidField('spec', 'is required')
    if (received === undefined) throw invalidField('file', 'is required', COMPILE_ERRORS.no_rows)
    return await toReadable(spec, received, receiver)
  } catch (error) {
    await releaseReceived(received)
    throw error
  }
}

function receiverOf({ services, caller }: BatchCall): FileReceiver {
  const { limits, intake, spool } = services
  return { limits, intake, spool, caller, lineBytes: longestLine(batchBounds(limits)) }
}

async function toReadable(
  spec: BatchSpec,
  received: ReceivedFile,
  receiver: FileReceiver,
  isInline = false,
): Promise<ReceivedBatch> {
  const file = await readable(received, spec.mapping ?? {}, receiver, 'inputs')
  const hash = received.kind === 'text' ? received.spooled.sha256 : sha256(received.bytes)
  return { spec, sent: { readable: file, hash, isInline }, release: file.release }
}

/** The JSON of a list, in pieces. */
async function* blocksOf(json: Uint8Array): AsyncGenerator<Uint8Array> {
  yield json
}
