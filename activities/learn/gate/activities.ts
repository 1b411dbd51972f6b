import type { ErrorCode } from '../../../core/learn/errors.ts'
import { failGate } from '../../../db/learn/gates/run-gate.ts'
import { runActivity } from '../../kernel/run-activity.ts'
import { operationOf, type GateDeps, type GateRef } from './deps.ts'
import { scoreGate } from './score-gate.ts'

/** The activities of gates. All are safe to repeat: results are recorded as they come, and a gate is decided once. */
export const createGateActivities = (deps: GateDeps) => ({
  scoreGate: (ref: GateRef) => scoreGate(deps, ref),
  failGate: ({ errorCode, ...ref }: GateRef & { readonly errorCode: ErrorCode }): Promise<void> =>
    runActivity(deps.log, async () => await failGate(operationOf(deps, ref), ref.gateId, errorCode)),
})

/** The activities of gates, as their workflow sees them. */
export type GateActivities = ReturnType<typeof createGateActivities>
