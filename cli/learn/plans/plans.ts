import { findArtifactId } from '../../compile/artifact-id.ts'
import { blockersInWords } from '../../../core/learn/plans/blockers.ts'
import { BrokerAnswer } from '../../../core/learn/wire/cloud/broker.ts'
import { DeployPlanAnswer, DeployTargetsAnswer } from '../../../core/learn/wire/cloud/deploy.ts'
import { ReadinessAnswer } from '../../../core/learn/wire/cloud/readiness.ts'
import { OnPolicyAnswer } from '../../../core/learn/wire/distill/onpolicy.ts'
import { DistillStrategyAnswer } from '../../../core/learn/wire/distill/strategy.ts'
import { TrainerDoctorAnswer } from '../../../core/learn/wire/distill/doctors.ts'
import type { CliContext } from '../../context.ts'
import { formatFacts, formatTable, formatTime, plainText } from '../../terminal/table.ts'

/** Options of `svc distill onpolicy`. */
export interface OnPolicyFlags {
  readonly dataset?: string
  readonly pairs?: string
  readonly namespace?: string
  readonly student?: string
  readonly teacher: string
  readonly maxSteps?: number
  readonly beta?: number
  readonly lmbda?: number
  readonly temperature?: number
  readonly maxNewTokens?: number
  readonly warmup?: number
  readonly seed?: number
  readonly floor?: number
}

/** `svc distill onpolicy`. */
export async function distilOnPolicy(context: CliContext, flags: OnPolicyFlags): Promise<void> {
  const client = await context.client()
  const { dataset, pairs, student, maxSteps, maxNewTokens, warmup, floor, ...same } = flags
  const json = {
    ...same,
    ...(dataset !== undefined && { dataset_id: dataset }),
    ...(pairs !== undefined && { pairs_path: pairs }),
    ...(student !== undefined && { student_path: student }),
    ...(maxSteps !== undefined && { max_steps: maxSteps }),
    ...(maxNewTokens !== undefined && { max_new_tokens: maxNewTokens }),
    ...(warmup !== undefined && { warmup_frac: warmup }),
    ...(floor !== undefined && { k_score_floor: floor }),
  }
  const answer = await client.call('/v1/distill/onpolicy', OnPolicyAnswer, { method: 'POST', json })
  context.output.result(answer, () =>
    formatFacts([
      ['run', answer.run_id],
      ['student', answer.student],
      ['teacher', answer.teacher],
      ['supervised', `${Math.round(100 * answer.warmup_frac)} % of the steps`],
      ['status', answer.poll_url],
    ]),
  )
}

/** Options of `svc cloud plan`. */
export interface PlanFlags {
  readonly target?: string
  readonly name?: string
  readonly region?: string
}

/** `svc cloud plan`. */
export async function planDeployment(context: CliContext, artifact: string, flags: PlanFlags): Promise<void> {
  const client = await context.client()
  const json = { artifact_id: await findArtifactId(client, artifact), ...flags }
  const answer = await client.call('/v1/cloud/deploy-plan', DeployPlanAnswer, { method: 'POST', json })
  context.output.result(answer, () =>
    [
      `# needs ${answer.required_secret_refs.join(', ')}`,
      ...answer.steps.flatMap(({ label, command }) => [`# ${plainText(label)}`, command]),
    ].join('\n'),
  )
}

/** `svc cloud targets`. */
export async function listTargets(context: CliContext): Promise<void> {
  const client = await context.client()
  const answer = await client.call('/v1/cloud/deploy-targets', DeployTargetsAnswer)
  context.output.result(answer, () =>
    formatTable(
      ['target', 'what', 'category', 'plan'],
      answer.targets.map(({ id, label, category, why_not: why }) => [id, label, category, why ?? 'yes']),
    ),
  )
}

/** Next steps by state; other states have the hint of their slot. */
const READINESS_HINTS: Readonly<Record<string, string>> = {
  ready: '',
  not_available: '',
  never_probed: 'svc cloud readiness --probe',
}

/** `svc cloud readiness`. */
export async function showReadiness(context: CliContext, { probe }: { readonly probe?: boolean }): Promise<void> {
  const client = await context.client()
  const answer = await client.call(
    '/v1/cloud/readiness',
    ReadinessAnswer,
    probe === true ? { method: 'POST', json: {} } : {},
  )
  context.output.result(answer, () =>
    [
      formatTable(
        ['slot', 'state', 'last probe', 'outcome', 'next'],
        answer.cloud.providers.map(({ id, state, last_probe: last, setup_hint: hint }) => [
          id,
          state,
          last === null ? '-' : formatTime(last.at),
          last?.outcome ?? '-',
          READINESS_HINTS[state] ?? hint,
        ]),
      ),
      answer.blockers.length === 0 ? 'nothing is missing' : `missing: ${answer.blockers.join(', ')}`,
    ].join('\n'),
  )
}

/** Options of `svc cloud broker`. */
export interface BrokerFlags {
  readonly privacy?: string
  readonly params?: number
  readonly rows?: number
  readonly budget?: number
}

/** States of lanes for people. */
const LANE_STATES: Readonly<Record<string, string>> = {
  ready: 'ready',
  needs_configuration: 'not configured',
  infeasible: 'does not fit',
  not_available: 'not offered',
}

/** `svc cloud broker`. */
export async function rankLanes(context: CliContext, workload: string, flags: BrokerFlags): Promise<void> {
  const { privacy, params, rows, budget } = flags
  const client = await context.client()
  const json = {
    workload,
    ...(privacy !== undefined && { privacy }),
    ...(params !== undefined && { params_b: params }),
    ...(rows !== undefined && { rows }),
    ...(budget !== undefined && { budget_usd: budget }),
  }
  const answer = await client.call('/v1/cloud/broker', BrokerAnswer, { method: 'POST', json })
  context.output.result(answer, () =>
    [
      formatTable(
        ['lane', 'state', 'score', 'hours', 'USD', 'against it'],
        answer.ranked.map(({ label, state, score, estimate, blockers }) => [
          label,
          LANE_STATES[state] ?? state,
          String(score),
          estimate === null ? '-' : (estimate.duration_s / 3600).toFixed(2),
          estimate === null || estimate.cost_usd === null ? '-' : estimate.cost_usd.toFixed(2),
          blockersInWords(blockers),
        ]),
      ),
      'hours and USD are from a table of reference figures and are not measured',
      ...answer.next_actions,
    ].join('\n'),
  )
}

/** Options of `svc distill strategy`. */
export interface StrategyFlags {
  readonly task?: string
  readonly privacy?: string
  readonly pairs?: number
  readonly preferences?: number
  readonly teacher?: readonly string[]
}

/** `svc distill strategy`. */
export async function adviseStrategy(context: CliContext, flags: StrategyFlags): Promise<void> {
  const { task, privacy, pairs, preferences, teacher } = flags
  const client = await context.client()
  const json = {
    ...(task !== undefined && { task }),
    ...(privacy !== undefined && { privacy }),
    ...(pairs !== undefined && { real_pairs: pairs }),
    ...(preferences !== undefined && { preference_pairs: preferences }),
    ...(teacher !== undefined && { teachers: [...teacher] }),
  }
  const answer = await client.call('/v1/distill/strategy', DistillStrategyAnswer, { method: 'POST', json })
  const { ranked, recommendation } = answer.data.plan
  context.output.result(answer, () =>
    [
      formatTable(
        ['strategy', 'score', 'feasible', 'against it'],
        ranked.map(({ label, score, feasible, blockers }) => [
          label,
          String(score),
          feasible ? 'yes' : 'no',
          blockersInWords(blockers),
        ]),
      ),
      `${recommendation.label}: ${recommendation.command ?? ''}`,
    ].join('\n'),
  )
}

/** `svc distill doctor`. Returns 1 when neither kind of training can be done. */
export async function examineTrainers(context: CliContext): Promise<number> {
  const client = await context.client()
  const [onPolicy, preference] = await Promise.all([
    client.call('/v1/distill/onpolicy/doctor', TrainerDoctorAnswer),
    client.call('/v1/distill/preference/doctor', TrainerDoctorAnswer),
  ])
  const answer = { onpolicy: onPolicy, preference }
  context.output.result(answer, () =>
    [
      formatTable(
        ['training', 'ready', 'objectives', 'trainers'],
        [onPolicy, preference].map(({ kind, ready, objectives, trainer }) => [
          kind,
          ready ? 'yes' : 'no',
          objectives.join(', '),
          trainer ?? '-',
        ]),
      ),
      ...onPolicy.trainers.map(
        ({ kind, device, versions }) =>
          `${kind} on ${device ?? 'an unknown device'}: ${Object.entries(versions)
            .flatMap((pair) => pair.join(' '))
            .join(', ')}`,
      ),
      ...new Set([...onPolicy.missing, ...preference.missing].map(({ why }) => why)),
    ].join('\n'),
  )
  return onPolicy.ready || preference.ready ? 0 : 1
}
