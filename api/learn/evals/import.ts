import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { readLog } from '../../../core/learn/evals/logs/read/read-log.ts'
import { faultyLog, type LogPart } from '../../../core/learn/evals/logs/read/imported.ts'
import { EvalView, ImportLogForm, ImportLogSpec } from '../../../core/learn/wire/evals/evals.ts'
import { boundsOf } from '../../../db/kernel/namespaces/bounds.ts'
import { findEvaluation } from '../../../db/learn/evals/find-evaluation.ts'
import { importEvaluation } from '../../../db/learn/evals/import-evaluation.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { receiveUpload, type ReceivedUpload } from '../datasets/receive-upload.ts'
import { defineRoute } from '../services.ts'
import { presentEvaluation } from './present.ts'

export const importEvalRoute = defineRoute({
  method: 'post',
  path: '/v1/evals/import',
  operationId: 'importEvaluation',
  group: 'evals',
  summary: 'Import the log of another tool as an asserted evaluation',
  description: (limits) =>
    `Multipart with an \`.eval\` file of Inspect (0.3.285), or the results and samples of lm-evaluation-harness (0.4) as files or in a zip: at most ${limits.evaluation_body_bytes} bytes, ${limits.evaluation_prompt_bytes} inflated, and ${limits.evaluation_rows} rows. It is listed and compared like any other with \`source: asserted\`; its figures are those of the log, and nothing takes them as measured. A faulty log answers 400 with the file, member or line.`,
  auth: 'key',
  scope: 'eval:write',
  namespace: 'bounded',
  stores: 'blobs',
  multipart: ImportLogForm,
  answers: { 201: envelope('The evaluation as the log tells it', EvalView) },
  errors: ['invalid_eval_log', 'limit_reached', 'unsupported_media_type', 'payload_too_large', 'busy', 'storage_full'],
}).handle(
  async () => {
    throw await Promise.resolve(KERNEL_ERRORS.unsupported_media_type('send the log as multipart/form-data'))
  },
  async ({ op, services, request }) => {
    const { limits } = services
    const received = await receiveUpload(request, ImportLogSpec, services, op.tenantId)
    try {
      const { name, namespace } = received.spec
      const parts = await partsOf(received, limits.evaluation_body_bytes)
      const bounds = { rows: limits.evaluation_rows, sizeBytes: limits.evaluation_prompt_bytes }
      const log = await readLog(parts, bounds)
      const id = await importEvaluation(op, {
        namespace: namespace ?? boundsOf(op)?.[0] ?? 'default',
        name: name ?? log.name.slice(0, 200),
        log,
        limits,
      })
      return { status: 201, body: presentEvaluation(await findEvaluation(op, id)) }
    } finally {
      await received.release()
    }
  },
)

async function partsOf({ files }: ReceivedUpload<unknown>, mostBytes: number): Promise<readonly LogPart[]> {
  const sizeBytes = files.reduce((sum, { spooled }) => sum + spooled.sizeBytes, 0)
  const [first] = files
  if (sizeBytes > mostBytes) throw faultyLog(first?.name ?? 'file', `the log has more than ${mostBytes} bytes`)
  const parts: LogPart[] = []
  for (const { name, spooled } of files) {
    const chunks: Uint8Array[] = []
    for await (const chunk of spooled.read()) chunks.push(chunk)
    parts.push({ name, bytes: Buffer.concat(chunks) })
  }
  return parts
}
