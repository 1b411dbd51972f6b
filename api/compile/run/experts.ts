import { z } from 'zod'
import { type ExpertMeasures, measureExperts } from '../../../core/compile/artifacts/experts/measure-experts.ts'
import { isCid } from '../../../core/compile/archive/cid.ts'
import { inCoreTurns } from '../../../core/kernel/threads/core-turns.ts'
import { evenShare } from '../../../core/kernel/threads/cores.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { hashJson } from '../../../core/kernel/json/json.ts'
import { requireCompute } from '../../../db/compile/compute/allowance.ts'
import { recordUnpaidCompute } from '../../../db/compile/compute/record-compute.ts'
import { findByCid, openArchive } from '../../../db/compile/artifacts/find-artifact.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'
import { ARCHIVE_ERRORS, loadStored } from '../submit/archive.ts'

/** Rows of an evaluation that a call answers, twice. */
const MOST_ROWS = 100

const ExpertView = z
  .object({ layer: z.int(), expert_id: z.int(), count: z.int(), pct: z.number() })
  .meta({ id: 'ExpertActivation', description: '`pct` is of the decisions of its layer, in percent' })

const Answer = z.object({
  artifact_id: z.string(),
  is_moe: z.boolean(),
  reason: z
    .enum(['artifact_is_dense_not_moe', 'no_evaluation_rows'])
    .optional()
    .meta({ description: 'Why there are no figures' }),
  num_experts: z.int().optional().meta({ description: 'Of each sparse layer' }),
  num_experts_per_tok: z.int().optional(),
  layers: z.array(z.int()).optional().meta({ description: 'The layers that have experts' }),
  rows: z
    .int()
    .optional()
    .meta({ description: `Held-out rows that were answered, at most ${MOST_ROWS}` }),
  total_decisions: z.int().optional(),
  expert_activations: z.array(ExpertView).optional(),
  prune_threshold: z.number().optional(),
  prune_candidates: z.array(ExpertView).optional(),
  pruned_size_pct_reduction: z.number().optional().meta({ description: "Of the base's parameters, in percent" }),
  accuracy: z.number().optional().meta({ description: 'Share of the rows that are right with all experts' }),
  pruned_accuracy: z.number().optional().meta({ description: 'The same with the candidates masked' }),
  changed_answers: z.int().optional(),
  estimated_kscore_impact: z
    .number()
    .nullable()
    .optional()
    .meta({ description: 'K-score that is lost; null where no row is right with all experts' }),
  estimated_kscore_impact_source: z.literal('measured_by_masking').optional(),
  analysis_sha256: z.string().optional(),
})

export const analyzeExpertsRoute = defineRoute({
  method: 'post',
  path: '/v1/experts',
  operationId: 'analyzeExperts',
  group: 'run',
  summary: 'Count the experts of an artifact, and measure what pruning costs',
  description:
    'Answers the held-out rows of an adapter on a mixture of experts and counts which experts each token chose. Experts ' +
    'below the threshold are then masked in the router and the rows answered again: the figures are measured, not estimated. ' +
    'Nothing is changed in the artifact. Calls of all accounts take turns, and their time counts as unpaid compute.',
  auth: 'key',
  scope: 'run',
  namespace: 'bounded',
  stores: 'bounded',
  limit: { name: 'experts', limit: 'planning_calls_per_ip_minute', windowS: 60, counts: 'calls' },
  body: z.object({
    artifact_path: z.string().min(1).max(128).meta({ description: 'Id or CID of an artifact' }),
    threshold: z
      .number()
      .min(0)
      .max(1)
      .default(0.01)
      .meta({ description: "Share of a layer's decisions below which an expert is a candidate" }),
  }),
  answers: { 200: envelope('The experts', Answer) },
  errors: [
    ...ARCHIVE_ERRORS,
    'not_found',
    'invalid_archive',
    'base_mismatch',
    'base_not_installed',
    'base_does_not_fit',
    'model_busy',
    'request_timeout',
    'busy',
    'compute_exhausted',
  ],
}).handle(async ({ op, services, body, hangUp }) => {
  const artifact = await openArchive(op, await findId(op, body.artifact_path))
  const dense = { artifact_id: artifact.id, is_moe: false, reason: 'artifact_is_dense_not_moe' } as const
  if (artifact.recipeKind !== 'lora') return { status: 200, body: dense }
  const { limits, now } = services
  await requireCompute(op, { tenantId: op.tenantId, limits, now: now() })
  const { recipe: opened, content } = await loadStored(op, artifact)
  if (opened.kind !== 'lora') return { status: 200, body: dense }
  const rows = content.evals.rows.slice(0, MOST_ROWS)
  const subject = {
    opened,
    rows,
    equality: content.equality ?? { spec: 'svc-equality-1' as const, rules: [] },
    threshold: body.threshold,
  }
  const signal = hangUp()
  const measures = await inCoreTurns(
    services.longLane,
    {
      share: evenShare(op.tenantId),
      signal,
      onTurn: async (ms) => await recordUnpaidCompute(op, { ms, now: now() }),
    },
    async (turns) => {
      // What others of the tenant used while this call waited counts too.
      await requireCompute(op, { tenantId: op.tenantId, limits, now: now() })
      return await services.bases.use(
        opened.recipe.base,
        async (open) => await measureExperts(open, subject, { signal, turns }),
      )
    },
  )
  if (measures === null) return { status: 200, body: dense }
  return { status: 200, body: { artifact_id: artifact.id, is_moe: true, ...present(measures, artifact.kScore, body) } }
})

/** The newest artifact with a CID, or the id itself. Throws `not_found`. */
async function findId(op: Operation, path: string): Promise<string> {
  if (!isCid(path)) return path
  const [newest] = await findByCid(op, path)
  if (newest === undefined) throw KERNEL_ERRORS.not_found('no artifact has this CID')
  return newest.id
}

function present(measures: ExpertMeasures, kScore: number, { threshold }: { readonly threshold: number }) {
  const { experts, rows, activations, prunable, accuracy, prunedAccuracy } = measures
  const sizes = { num_experts: experts.count, num_experts_per_tok: experts.perToken, layers: [...experts.layers] }
  if (rows === 0) return { ...sizes, reason: 'no_evaluation_rows' as const, rows }
  const view = ({ layer, expert, count, share }: ExpertMeasures['activations'][number]) => ({
    layer,
    expert_id: expert,
    count,
    pct: percent(share),
  })
  const figures = {
    ...sizes,
    rows,
    total_decisions: activations.reduce((sum, { count }) => sum + count, 0),
    expert_activations: activations.map(view),
    prune_threshold: threshold,
    prune_candidates: prunable.map(view),
    pruned_size_pct_reduction: percent(measures.prunedShare),
    accuracy,
    pruned_accuracy: prunedAccuracy,
    changed_answers: measures.changedAnswers,
    // K is the accuracy times what depends on the other axes, which the mask leaves as they are.
    estimated_kscore_impact: accuracy === 0 ? null : round4(kScore * (1 - prunedAccuracy / accuracy)),
    estimated_kscore_impact_source: 'measured_by_masking' as const,
  }
  return { ...figures, analysis_sha256: hashJson(figures) }
}

function percent(share: number): number {
  return Math.round(share * 10_000) / 100
}

function round4(value: number): number {
  return Math.round(value * 10_000) / 10_000
}
