import type { z } from 'zod'
import { GATEWAY_ERRORS } from '../../../core/gateway/errors.ts'
import { DomainError, invalidField } from '../../../core/kernel/errors.ts'
import { LEARN_ERRORS } from '../../../core/learn/errors.ts'
import type { TargetSpec } from '../../../core/learn/evals/evaluation.ts'
import { settingsOf } from '../../../core/learn/evals/targets/generation-settings.ts'
import type { TaskSet } from '../../../core/learn/evals/task/read-tasks.ts'
import type { EvalBody } from '../../../core/learn/wire/evals/evals.ts'
import { findBase } from '../../../core/model/files/find-base.ts'
import { resolveModel } from '../../../db/gateway/models/resolve-model.ts'
import { boundsOf } from '../../../db/kernel/namespaces/bounds.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import type { Principal } from '../../../db/kernel/tenant/principal.ts'
import { keySources } from '../../gateway/calls/find-reach.ts'
import type { LearnServices } from '../services.ts'

/** The facts of a call by which models are found. */
interface ResolvingCall {
  readonly op: Operation
  readonly principal: Principal
  readonly services: LearnServices
}

/**
 * Checks that a model of a provider, or the operator's teacher, can be asked for a caller. Throws `unknown_model`,
 * `provider_disabled` and `no_provider_key` with the field.
 */
export async function requireModel(
  { op, principal, services }: ResolvingCall,
  { model, namespace, field }: { readonly model: string; readonly namespace: string; readonly field: string },
): Promise<void> {
  const { memberId, teamId } = principal
  const sources = {
    ...keySources(services),
    db: services.db,
    overlays: services.overlays,
    gatewayMode: services.settings.gatewayMode,
    teacherModel: services.settings.teacher?.model ?? null,
  }
  try {
    await resolveModel(sources, { tenantId: op.tenantId, memberId, teamId, namespace }, model)
  } catch (error) {
    const code = MODEL_ERRORS.map((name) => GATEWAY_ERRORS[name]).find((each) => each.matches(error))
    if (code === undefined || !(error instanceof DomainError)) throw error
    throw invalidField(field, error.message.replace(/^model: /, ''), code, error)
  }
}

/** Codes of a model that cannot be asked. */
export const MODEL_ERRORS = ['unknown_model', 'provider_disabled', 'no_provider_key'] as const

/**
 * Resolves a target of a body. Throws `not_found`, `artifact_revoked`, `unknown_base_model`, `validation_failed`; of a
 * provider's model `unknown_model`, `provider_disabled` and `no_provider_key`.
 */
export async function resolveTarget(
  call: ResolvingCall,
  given: z.output<typeof EvalBody>['target'],
  namespace: string,
): Promise<TargetSpec> {
  const { op, services } = call
  const load = async (artifactId: string) => await services.recipes.load(op.tenantId, { artifactId }, boundsOf(op))
  if ('artifact_id' in given) {
    const { runnable } = await load(given.artifact_id)
    return { kind: 'artifact', artifactId: runnable.artifactId, cid: runnable.cid }
  }
  if ('model' in given) {
    const { memberId, teamId } = call.principal
    await requireModel(call, { model: given.model, namespace, field: 'target.model' })
    return { kind: 'model', model: given.model, memberId, teamId }
  }
  await findBase(given.base, services.settings.baseFolders)
  if (given.adapter_id === undefined) return { kind: 'base', base: given.base, adapterId: null, cid: null }
  const { runnable, recipe } = await load(given.adapter_id)
  if (recipe.kind !== 'lora') throw invalidField('target.adapter_id', 'holds no adapter')
  if (recipe.baseName !== given.base)
    throw invalidField('target.base', `must be ${recipe.baseName}, the base of the adapter`)
  return { kind: 'base', base: given.base, adapterId: runnable.artifactId, cid: runnable.cid }
}

/** Throws `eval_needs_likelihoods` and `invalid_eval_task` for tasks that a target cannot do. */
export function requireAnswerable({ kind }: TargetSpec, { tasks }: TaskSet): void {
  if (kind === 'base') return
  const what = kind === 'artifact' ? 'an artifact' : "a provider's model"
  if (tasks.some(({ output_type: type }) => type !== 'generate_until')) {
    throw LEARN_ERRORS.eval_needs_likelihoods(
      `${what} gives answers and no likelihoods: its tasks must be generate_until`,
    )
  }
  const ranked = kind === 'model' ? tasks.find((task) => settingsOf(task).topK > 0) : undefined
  if (ranked !== undefined) {
    throw LEARN_ERRORS.invalid_eval_task(
      `${ranked.task}: generation_kwargs.top_k is sent to no provider; leave it out or use top_p`,
      { details: { file: 'task', field: 'generation_kwargs.top_k' } },
    )
  }
}
