import { Gate } from '../../../core/learn/workflows.ts'
import { listOpenGates } from '../../../db/learn/across/open-gates.ts'
import { failGate } from '../../../db/learn/gates/run-gate.ts'
import { reconciles } from '../../kernel/reconcile/reconcile-family.ts'
import { operationOf } from './deps.ts'

/** Fails a gate whose run ended without deciding it. */
export const reconcileGates = reconciles({
  family: Gate,
  open: async ({ db }, page) => await listOpenGates(db, page),
  settle: async (deps, ref) => {
    await failGate(operationOf(deps, ref), ref.gateId, 'gate_failed')
    return true
  },
})
