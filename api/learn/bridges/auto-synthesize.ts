import type { z } from 'zod'
import { compileSpec, type CompileSpec } from '../../../core/compile/wire/jobs/spec.ts'
import { invalidField, KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { LEARN_ERRORS } from '../../../core/learn/errors.ts'
import type { Limits } from '../../../core/learn/limits.ts'
import { READY_ROWS } from '../../../core/learn/traffic/cluster.ts'
import { AutoSynthesizeAnswer, autoSynthesizeBody } from '../../../core/learn/wire/bridges.ts'
import { findClusters, type Cluster } from '../../../db/learn/traffic/list-clusters.ts'
import { approvedCaptures } from '../../../db/learn/traffic/read-examples.ts'
import { recordClusterCompile } from '../../../db/learn/traffic/record-compile.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { presentAccepted } from '../../compile/jobs/present-accepted.ts'
import { submitFromCaptures } from '../../compile/submit/sources/from-captures.ts'
import { requireIntake, SUBMIT_ERRORS } from '../../compile/submit/submit.ts'
import { requireAccess } from '../../gateway/captures/access.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { commonText } from '../common-text.ts'
import { defineRoute } from '../services.ts'

const ROUTE = 'autoSynthesize'

export const autoSynthesizeRoute = defineRoute({
  method: 'post',
  path: '/v1/bridges/auto-synthesize',
  operationId: ROUTE,
  group: 'bridges',
  summary: 'Compile the approved captures of a cluster',
  description:
    'Starts a compile of the approved captures of the cluster, as `POST /v1/compile` with `from_captures` does: with the same examples, evidence and skips. It needs four approved captures, and takes the newest where there are very many. The job lies in their namespace. Answers 202 at once; with an `Idempotency-Key` once.',
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
    await requireIntake(call, ROUTE, 0)
    const cluster = await oneCluster(op, body)
    const { namespace, signature } = cluster
    const ids = await approvedCaptures(op, cluster, limits.cluster_examples)
    if (ids.length < READY_ROWS) throw tooFew(cluster, ids.length)
    const spec = await specOf(op, body, namespace, limits)
    const created = await submitFromCaptures(call, {
      route: ROUTE,
      spec,
      source: { namespace, ids },
      // Captures that were approved since the first call do not make a repeated one another.
      asked: { namespace, template_hash: body.template_hash },
    })
    const { job } = created
    await recordClusterCompile(op, { jobId: job.id, namespace, signature })
    return {
      status: 202,
      body: {
        ...presentAccepted(created),
        template_hash: signature,
        namespace,
        task: job.task,
        observations: ids.length,
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

function tooFew({ rows }: Cluster, approved: number) {
  return LEARN_ERRORS.too_few_observations(
    `template_hash: ${approved} captures are approved, and a compile needs ${READY_ROWS}: approve more of them`,
    { details: { approved, observed: rows, needed: READY_ROWS } },
  )
}

type Asked = z.output<ReturnType<typeof autoSynthesizeBody>>

/** The compile of a cluster. Its task is what the calls have in common, which quotes no single call. */
async function specOf(op: Operation, body: Asked, namespace: string, limits: Limits): Promise<CompileSpec> {
  const { name, task, template_hash: signature, k_score_floor: floor } = body
  const parts = [name, task ?? (await commonText(op, namespace, signature))]
  return compileSpec(limits).parse({
    task: parts
      .filter((part) => part !== undefined && part !== '')
      .join(': ')
      .slice(0, limits.task_chars),
    mode: 'async',
    ...(floor !== undefined && { k_score_floor: floor }),
  })
}
