import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { Gate } from './gate.ts'

/** A gate as it may be shown: without results of rows. */
export type GateState = Pick<
  Gate,
  | 'id'
  | 'mode'
  | 'state'
  | 'decision'
  | 'candidateId'
  | 'baselineId'
  | 'rowCount'
  | 'registration'
  | 'registrationHash'
  | 'outcome'
  | 'receipt'
  | 'errorCode'
  | 'createdAt'
  | 'finishedAt'
>

/** Returns a gate. Throws `not_found`, also for another tenant's. */
export async function findGate(op: Operation, gateId: string): Promise<GateState> {
  const [gate] = await op.read((q) =>
    q
      .selectFrom('gates')
      .select([
        'id',
        'mode',
        'state',
        'decision',
        'candidate_id as candidateId',
        'baseline_id as baselineId',
        'row_count as rowCount',
        'registration',
        'registration_hash as registrationHash',
        'outcome',
        'receipt',
        'error_code as errorCode',
        'created_at as createdAt',
        'finished_at as finishedAt',
      ])
      .where('id', '=', gateId)
      .where('tenant_id', '=', op.tenantId),
  )
  if (gate === undefined) throw KERNEL_ERRORS.not_found('no such gate')
  return gate
}
