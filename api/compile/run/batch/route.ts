import { Readable } from 'node:stream'
import { z } from 'zod'
import {
  BATCH_ID_HEADER,
  BATCH_LEFT_OUT_HEADER,
  BATCH_ROWS_HEADER,
  BatchBody,
  BatchForm,
  BatchView,
  type BatchSpec,
} from '../../../../core/compile/wire/batches.ts'
import { BatchId } from '../../../../core/kernel/wire/ids.ts'
import { getBatch } from '../../../../db/compile/batches/find-batch.ts'
import { envelope, rawAnswer } from '../../../kernel/reply/answers.ts'
import { defineRoute } from '../../services.ts'
import { openSession, type BatchCall } from './open-session.ts'
import { presentBatch } from './present-batch.ts'
import { receiveInputs, receiveUpload, type ReceivedBatch } from './receive-batch.ts'
import { streamRows } from './stream-rows.ts'

const MEDIA_TYPES = { jsonl: 'application/jsonl; charset=utf-8', csv: 'text/csv; charset=utf-8' } as const
/** A caller who takes no byte for this long is disconnected, milliseconds; it continues where it was. */
const SILENT_MS = 600_000
/** Bytes that wait for a slow reader, beside one chunk. */
const WAITING_BYTES = 256 * 1024

export const runBatchRoute = defineRoute({
  method: 'post',
  path: '/v1/run/batch',
  operationId: 'runBatch',
  group: 'run',
  summary: 'Run every row of a file',
  description: (limits) =>
    `Takes up to ${limits.run_batch_rows} rows as a file (CSV, JSON lines, a list of JSON, a workbook) or as \`inputs\`, and streams the answers in their order, as fast as they are read. CSV repeats the columns of the input and adds \`row\`, \`output\`, \`abstained\`, \`confidence\`, \`unlike_examples\`, \`failed_checks\`, \`error_code\` and \`error\`; JSON lines have the members of \`POST /v1/run\`, and a last line \`{"batch": …}\`. A broken row has its error in its place, and the rest is answered. Each answered row costs as much as a run; a row with an error costs nothing. When the quota ends, the row in whose place it ended has the code \`quota_exhausted\`, and nothing after it is charged. To continue after a lost connection, repeat the call with the same \`Idempotency-Key\` or with \`batch_id\` (header \`${BATCH_ID_HEADER}\`), the same input, and \`from_row\`: rows that were settled are not charged again. Rows of a version that runs on a base are generated.`,
  auth: 'key',
  scope: 'run',
  namespace: 'bounded',
  stores: 'bounded',
  bodyLimit: 'inline_body_bytes',
  longLists: ['inputs'],
  idempotency: 'handler',
  body: BatchBody,
  multipart: BatchForm,
  answers: {
    200: rawAnswer(
      `The rows: \`application/jsonl\`, or \`text/csv\` where \`format\`, \`Accept\` or the input say so; the headers \`${BATCH_ID_HEADER}\` and \`${BATCH_ROWS_HEADER}\` name the batch and count its rows, and \`${BATCH_LEFT_OUT_HEADER}\` counts the rows of a table that it leaves out: titles above it, and repeated headers`,
      'application/jsonl',
    ),
  },
  errors: [
    'not_found',
    'no_rows',
    'too_many_rows',
    'example_too_large',
    'unsupported_media_type',
    'batch_differs',
    'batch_row_ahead',
    'batch_continued',
    'quota_exhausted',
    'invalid_archive',
    'invalid_cid',
    'base_mismatch',
    'base_not_installed',
    'base_does_not_fit',
    'rate_limited',
    'busy',
    'storage_full',
  ],
}).handle(
  async (call) => {
    const { inputs, ...spec } = call.body
    return await answer(call, async () => await receiveInputs(call, spec, inputs))
  },
  async (call) => await answer(call, async () => await receiveUpload(call)),
)

export const getBatchRoute = defineRoute({
  method: 'get',
  path: '/v1/run/batch/{id}',
  operationId: 'getRunBatch',
  group: 'run',
  summary: 'Show a batch of runs',
  description: (limits) =>
    `Its figures, how far it is settled, and its receipt once it is done. Kept for ${limits.run_batch_days} days after its last row, or after the quota's reset when the quota stopped it.`,
  auth: 'key',
  scope: 'run',
  namespace: 'bounded',
  params: z.object({ id: BatchId }),
  answers: { 200: envelope('The batch', BatchView) },
}).handle(async ({ op, params }) => ({ status: 200, body: presentBatch(await getBatch(op, params.id)) }))

async function answer(call: BatchCall, receive: () => Promise<ReceivedBatch>) {
  const { services, op } = call
  const leave = services.streams.enter(`batches of ${op.tenantId}`, services.limits.run_batches_per_tenant)
  let received: ReceivedBatch | undefined
  try {
    received = await receive()
    const { spec, sent, release } = received
    const session = await openSession(call, spec satisfies BatchSpec, sent)
    const signal = call.endOfCall()
    const end = () => {
      session.run.end()
      leave()
      // The file is closed either way.
      release().catch(() => undefined)
    }
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
    const { batch } = session
    const rows = unlessSilent(streamRows(call, session, signal), () => stream.destroy(new Error('no row is taken')))
    const stream: Readable = Readable.from(rows, { objectMode: false, highWaterMark: WAITING_BYTES })
    return {
      status: 200 as const,
      raw: { kind: 'stream' as const, stream },
      headers: {
        'Content-Type': MEDIA_TYPES[batch.format],
        'Cache-Control': 'private, no-store, no-transform',
        'X-Accel-Buffering': 'no',
        [BATCH_ID_HEADER]: batch.id,
        [BATCH_ROWS_HEADER]: String(batch.rows),
        [BATCH_LEFT_OUT_HEADER]: String(session.run.facts.leftOut),
      },
    }
  } catch (error) {
    leave()
    await received?.release()
    throw error
  }
}

/** Passes rows on, and ends the call of a reader who takes none for too long. */
async function* unlessSilent(
  rows: AsyncGenerator<Uint8Array | string>,
  disconnect: () => void,
): AsyncGenerator<Uint8Array | string> {
  const timer = setTimeout(disconnect, SILENT_MS).unref()
  try {
    for await (const row of rows) {
      timer.refresh()
      yield row
    }
  } finally {
    clearTimeout(timer)
  }
}
