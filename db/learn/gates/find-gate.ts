import { sql } from 'kysely'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { Operation } from '../../kernel/operation.ts'
import { newestFirst, type Page, type PageRequest } from '../../kernel/tables/page.ts'
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
  | 'alpha'
  | 'registration'
  | 'registrationHash'
  | 'outcome'
  | 'receipt'
  | 'errorCode'
  | 'createdAt'
  | 'finishedAt'
>

const SHOWN = [
  'id',
  'mode',
  'state',
  'decision',
  'candidate_id as candidateId',
  'baseline_id as baselineId',
  'row_count as rowCount',
  'alpha',
  'registration',
  'registration_hash as registrationHash',
  'outcome',
  'receipt',
  'error_code as errorCode',
  'created_at as createdAt',
  'finished_at as finishedAt',
] as const

/** A gate with the results of a sequential one that is under way. */
export interface FoundGate extends GateState {
  /** Null for a gate on a sealed holdout, which shows none, and for one that is over. */
  readonly results: Buffer | null
}

/** Returns a gate. Throws `not_found`, also for another tenant's. */
export async function findGate(op: Operation, gateId: string): Promise<FoundGate> {
  const [gate] = await op.read((q) =>
    q
      .selectFrom('gates')
      .select([...SHOWN, sql<Buffer | null>`case when mode = 'sequential' then results end`.as('results')])
      .where('id', '=', gateId)
      .where('tenant_id', '=', op.tenantId),
  )
  if (gate === undefined) throw KERNEL_ERRORS.not_found('no such gate')
  return gate
}

/** Lists measured gates, newest first. Throws `invalid_cursor`. */
export async function listGates(
  op: Operation,
  input: PageRequest & { readonly namespace?: string | undefined },
): Promise<Page<GateState>> {
  const newest = newestFirst(input)
  const { namespace } = input
  const rows = await op.read((q) => {
    const all = q.selectFrom('gates').select(SHOWN).where('tenant_id', '=', op.tenantId)
    return newest.take(namespace === undefined ? all : all.where('namespace', '=', namespace))
  })
  return newest.page(rows)
}
