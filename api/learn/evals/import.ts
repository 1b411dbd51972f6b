import type { z } from 'zod'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { faultyLog, type LogPart } from '../../../core/learn/evals/logs/read/imported.ts'
import { EvalView, ImportLogForm, ImportLogSpec } from '../../../core/learn/wire/evals/evals.ts'
import { defaultNamespace, requireNamespace } from '../../../db/kernel/namespaces/bounds.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import type { Principal } from '../../../db/kernel/tenant/principal.ts'
import { requireAllowance } from '../../../db/kernel/storage/allowance.ts'
import { findEvaluation } from '../../../db/learn/evals/find-evaluation.ts'
import { importEvaluation } from '../../../db/learn/evals/import-evaluation.ts'
import { answerOnce, claimantOf, idempotencyKeyFrom } from '../../kernel/guard/idempotency.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { receiveUpload, type ReceivedUpload } from '../datasets/receive-upload.ts'
import { defineRoute, type CallFacts } from '../services.ts'
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
  idempotency: 'handler',
  multipart: ImportLogForm,
  answers: { 201: envelope('The evaluation as the log tells it', EvalView) },
  errors: [
    'invalid_eval_log',
    'limit_reached',
    'unsupported_media_type',
    'payload_too_large',
    'storage_allowance_used',
    'busy',
    'storage_full',
  ],
}).handle(
  async ({ op, services }) => {
    await requireAllowance(op, services.limits)
    throw KERNEL_ERRORS.unsupported_media_type('send the log as multipart/form-data')
  },
  async (call) => {
    const { op, services, request } = call
    const { limits } = services
    await requireAllowance(op, limits)
    const received = await receiveUpload(request, ImportLogSpec, services, op.tenantId)
    try {
      if (received.spec.namespace !== undefined) requireNamespace(op, received.spec.namespace)
      const id = await once(call, received, async (within) => await importLog(call, received, within))
      return { status: 201, body: presentEvaluation(await findEvaluation(op, id)) }
    } finally {
      await received.release()
    }
  },
)

type ImportCall = Pick<CallFacts, 'services' | 'request' | 'endOfCall'> & {
  readonly op: Operation
  readonly principal: Principal
}
type Received = ReceivedUpload<z.output<typeof ImportLogSpec>>

/** Reads a log and stores its evaluation. Returns the id. */
async function importLog({ services, endOfCall }: ImportCall, received: Received, op: Operation): Promise<string> {
  const { limits } = services
  const { name, namespace } = received.spec
  const bounds = {
    rows: limits.evaluation_rows,
    sizeBytes: limits.evaluation_prompt_bytes,
    depth: limits.json_depth,
    parts: limits.gateway_body_parts,
  }
  const files = await partsOf(received, limits.evaluation_body_bytes)
  const log = await services.evals.readLog(op.tenantId, { files, bounds }, endOfCall())
  return await importEvaluation(op, {
    namespace: namespace ?? defaultNamespace(op),
    name: name ?? log.name.slice(0, 200),
    log,
    limits,
  })
}

/** Does the work once for each `Idempotency-Key`, spec and files. Returns the id of its evaluation. */
async function once(
  { op, services, principal, request }: ImportCall,
  { spec, files }: Received,
  work: (op: Operation) => Promise<string>,
): Promise<string> {
  const key = idempotencyKeyFrom(request.headers['idempotency-key'])
  if (key === undefined) return await work(op)
  const sent = files.map(({ name, spooled }) => ({ name, sha256: spooled.sha256 }))
  const asked = { name: spec.name ?? null, namespace: spec.namespace ?? null, files: sent }
  const credential = claimantOf(principal)
  const kept = { op, route: 'importEvaluation', key, credential, asked, limits: services.limits }
  const { text } = await answerOnce(kept, async (claimed) => ({
    status: 201,
    text: await work(claimed.op),
    headers: {},
  }))
  return text
}

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
