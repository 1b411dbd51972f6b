import { z } from 'zod'
import { planDataBudget } from '../../../core/learn/distill/data-budget.ts'
import { judgeTeachers } from '../../../core/learn/distill/teacher-class.ts'
import { TEACHER_SAMPLES } from '../../../core/learn/distill/relabel.ts'
import { trainRowsOf } from '../../../core/learn/distill/train-ratio.ts'
import { CapturesPreviewAnswer, LEAST_PAIRS } from '../../../core/learn/wire/distill/captures.ts'
import { CaptureNamespace } from '../../../core/gateway/wire/captures/fields.ts'
import { defaultNamespace, requireNamespace } from '../../../db/kernel/namespaces/bounds.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { listBudgetPoints } from '../../../db/learn/distill/find-run.ts'
import { surveyCaptures } from '../../../db/learn/distill/survey-captures.ts'
import { requireAccess } from '../../gateway/captures/access.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'

export const previewCapturesRoute = defineRoute({
  method: 'get',
  path: '/v1/distill/from-captures/preview',
  operationId: 'previewDistillFromCaptures',
  group: 'distill',
  summary: 'Show what a distillation of a namespace would use',
  description:
    'Clusters of alike calls, who answered them and under which terms, costs, and what more captures would bring by the runs so far. Starts nothing.',
  auth: 'key',
  scope: 'distill:read',
  namespace: 'bounded',
  query: z.object({
    namespace: CaptureNamespace.optional().meta({
      description: "Whose captures; `default` when absent, or the key's own",
    }),
    target_k: z.coerce.number().min(0).max(1).default(0.8).meta({ description: 'The K-score that is aimed for' }),
  }),
  answers: { 200: envelope('What there is', CapturesPreviewAnswer) },
  errors: ['forbidden'],
})
  .authorize(async ({ op, principal, query }) => {
    await requireAccess({ op, principal }, 'capture:read', namespaceOf(op, query.namespace))
  })
  .handle(async ({ op, services, query: { namespace: named, target_k: target } }) => {
    const namespace = namespaceOf(op, named)
    requireNamespace(op, namespace)
    const { total, clusters, models, priced } = await surveyCaptures(op, {
      namespace,
      statuses: ['pending', 'approved'],
    })
    const best = clusters.find(({ signature }) => signature !== null)?.count ?? 0
    const isSpecialist = total >= services.limits.specialist_calls
    const mean = priced.count === 0 ? null : priced.micros / priced.count / 1e6
    const learned = trainRowsOf(total)
    return {
      status: 200,
      body: {
        namespace,
        total_captures: total,
        top_clusters: clusters.map(({ signature, count }) => ({ template_hash: signature ?? 'untagged', count })),
        mode_hint: isSpecialist ? 'specialist' : 'recipe',
        recipe_eligible: best >= LEAST_PAIRS,
        specialist_eligible: isSpecialist,
        ...judgeTeachers(models),
        teacher_source_policy: 'any',
        policy_enforced: false,
        cost: {
          compile_units: services.limits.quota_units_per_compile,
          capture_mean_usd: mean,
          priced_captures: priced.count,
          teacher_samples_per_row: TEACHER_SAMPLES,
          teacher_usd_at_most: mean === null ? null : learned * TEACHER_SAMPLES * mean,
          formula: 'rows to learn from x teacher_samples_per_row x capture_mean_usd',
        },
        data_budget: planDataBudget(await listBudgetPoints(op, namespace), { target, current: learned }),
      },
    }
  })

function namespaceOf(op: Operation, named: string | undefined): string {
  return named ?? defaultNamespace(op)
}
