import type { Operation } from '../../db/kernel/operation.ts'

/** Facts of a planner beside its data. */
interface Facts<S extends string> {
  readonly surface: S
  readonly spec: string
  readonly stage: string
  readonly status: string
  readonly requirements?: readonly string[]
  readonly proofs?: readonly string[]
  readonly actions?: readonly NextAction[]
}

/** A step that the reader can take next. */
export interface NextAction {
  readonly kind: 'command' | 'configure' | 'collect'
  readonly label: string
  readonly value: string
}

/** Returns a planner's answer: its data, and the frame around it. */
export function framed<S extends string, D>(op: Operation, facts: Facts<S>, data: D) {
  return { ...frameOf(facts, op.now()), tenant: { id: op.tenantId }, data }
}

/** Returns the answer of a public planner, which is the same for all callers. */
export function framedForAll<S extends string, D>(facts: Facts<S>, now: Date, data: D) {
  return { ...frameOf(facts, now), tenant: null, data }
}

function frameOf<S extends string>(facts: Facts<S>, now: Date) {
  const { surface, spec, stage, status, requirements = [], proofs = [], actions = [] } = facts
  return {
    surface,
    journey: { stage },
    readiness: { status, requirement_ids: [...requirements] },
    evidence: { proof_refs: [...proofs] },
    next_actions: actions.map((action, i) => ({ ...action, priority: i + 1 })),
    meta: { spec, generated_at: now.toISOString() },
  }
}
