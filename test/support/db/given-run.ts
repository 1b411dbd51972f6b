import { DEFAULT_LIMITS } from '../../../core/limits.ts'
import { CHARGED_TO_NOBODY } from '../../../db/billing/usage/charged-to.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { createRun } from '../../../db/learn/distill/create-run.ts'

/** Accepts a distillation of the captures of a namespace. Returns its id. */
export async function givenRun(op: Operation, namespace: string): Promise<string> {
  return await createRun(op, {
    namespace,
    request: {
      kind: 'from_captures',
      mode: 'specialist',
      task: 'Answer the calls',
      capture_ids: null,
      statuses: ['pending', 'approved'],
      most: 100,
      train_ratio: 0.8,
      template_hash: null,
      k_score_floor: 0.85,
      base_model: 'none',
    },
    student: null,
    teacher: null,
    chargedTo: CHARGED_TO_NOBODY,
    plan: 'enterprise',
    limits: DEFAULT_LIMITS,
  })
}
