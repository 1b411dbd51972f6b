import { compileSpec, type CompileSpec } from '../../../core/compile/wire/jobs/spec.ts'
import { requestTexts } from '../../../core/gateway/captures/texts.ts'
import { templateText } from '../../../core/gateway/captures/template.ts'
import { invalidField, KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { LEARN_ERRORS } from '../../../core/learn/errors.ts'
import type { Limits } from '../../../core/learn/limits.ts'
import { READY_ROWS } from '../../../core/learn/traffic/cluster.ts'
import { exampleOf, type ApprovedCapture, type CaptureExample } from '../../../core/learn/traffic/examples.ts'
import { AutoSynthesizeAnswer, autoSynthesizeBody } from '../../../core/learn/wire/bridges.ts'
import { findClusters, type Cluster } from '../../../db/learn/traffic/list-clusters.ts'
import { readApproved } from '../../../db/learn/traffic/read-examples.ts'
import { recordClusterCompile } from '../../../db/learn/traffic/record-compile.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { presentAccepted } from '../../compile/jobs/present-accepted.ts'
import { SUBMIT_ERRORS, submitInline } from '../../compile/submit/submit.ts'
import { requireAccess } from '../../gateway/captures/access.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'

const ROUTE = 'autoSynthesize'
/** Characters of a task that is made of a template. */
const TASK_CHARS = 400

export const autoSynthesizeRoute = defineRoute({
  method: 'post',
  path: '/v1/bridges/auto-synthesize',
  operationId: ROUTE,
  group: 'bridges',
  summary: 'Compile the approved captures of a cluster',
  description:
    'Starts a compile, as `POST /v1/compile` does, whose examples are the approved captures of the cluster: the newest turn of the user, and the answer, or the `fixed_output` of a review. It needs four of them. The job belongs to the namespace of the captures. Answers 202 at once; with an `Idempotency-Key` once.',
  auth: 'key',
  scope: 'compile:write',
  namespace: 'bounded',
  idempotency: 'handler',
  stores: 'blobs',
  body: autoSynthesizeBody,
  answers: { 202: envelope('The compile is accepted', AutoSynthesizeAnswer) },
  errors: ['too_few_observations', 'forbidden', 'busy', ...SUBMIT_ERRORS],
})
  .authorize(async ({ op, principal, body }) => {
    await requireAccess({ op, principal }, 'capture:read', body.namespace)
  })
  .handle(async (call) => {
    const { op, services, body } = call
    const { limits } = services
    const cluster = await oneCluster(op, body)
    const approved = await readApproved(op, cluster, limits.cluster_examples)
    const examples = compileExamples(approved, limits)
    if (examples.length < READY_ROWS) throw tooFew(cluster, examples.length)
    const spec = specOf(body, cluster, approved, limits)
    const { job } = await submitInline(call, { route: ROUTE, spec, examples, unlabelled: [] })
    const captureIds = examples.map(({ id }) => id)
    const { namespace, signature } = cluster
    await recordClusterCompile(op, { jobId: job.id, namespace, signature, captureIds })
    return {
      status: 202,
      body: {
        ...presentAccepted(job.id),
        template_hash: signature,
        namespace,
        task: spec.task,
        observations_used: examples.length,
      },
    }
  })

/** The cluster of a template. Throws `not_found`, and `validation_failed` where several namespaces have it. */
async function oneCluster(
  op: Operation,
  { template_hash: signature, namespace }: { readonly template_hash: string; readonly namespace?: string | undefined },
): Promise<Cluster> {
  const [cluster, ...others] = await findClusters(op, { signature, namespace })
  if (cluster === undefined) throw KERNEL_ERRORS.not_found('no captures of the last 30 days have this template_hash')
  if (others.length === 0) return cluster
  const names = [cluster, ...others].map((each) => each.namespace)
  throw invalidField('namespace', `is required: this template has captures in ${names.join(', ')}`)
}

/** Approved captures as rows of a compile; those beyond the size of an example are left out. */
function compileExamples(approved: readonly ApprovedCapture[], limits: Limits): readonly CaptureExample[] {
  return approved
    .map((capture) => exampleOf(capture))
    .filter((example) => Buffer.byteLength(JSON.stringify(example)) <= limits.example_bytes)
}

function tooFew({ rows, approved }: Cluster, usable: number) {
  return LEARN_ERRORS.too_few_observations(
    `template_hash: ${usable} approved captures can be examples, and a compile needs ${READY_ROWS}: approve more of them`,
    { details: { approved, observed: rows, usable, needed: READY_ROWS } },
  )
}

/** The compile of a cluster. Its task is what the calls have in common, which quotes no single call. */
function specOf(
  body: {
    readonly name?: string | undefined
    readonly task?: string | undefined
    readonly k_score_floor?: number | undefined
  },
  { namespace }: Cluster,
  [newest]: readonly ApprovedCapture[],
  limits: Limits,
): CompileSpec {
  const { name, task, k_score_floor: floor } = body
  const common = task ?? commonText(newest).slice(0, TASK_CHARS)
  const spec = compileSpec(limits).parse({
    task: [name, common]
      .filter((part) => part !== undefined && part !== '')
      .join(': ')
      .slice(0, limits.task_chars),
    mode: 'async',
    ...(floor !== undefined && { k_score_floor: floor }),
  })
  return { ...spec, corpus_namespace: namespace }
}

function commonText(capture: ApprovedCapture | undefined): string {
  if (capture === undefined) return ''
  const texts = requestTexts(capture.body ?? {})
  const source = texts.lastUser === '' ? { system: '', lastUser: capture.prompt } : texts
  return (templateText(source) ?? '').trim().replaceAll('\n', ' ').toWellFormed()
}
