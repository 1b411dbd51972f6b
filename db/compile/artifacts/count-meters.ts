import { sql } from 'kysely'
import type { MeterAmounts, MeterMonth } from '../../../core/billing/ports.ts'
import type { Operation } from '../../kernel/operation.ts'

/** Counts the compiles accepted in a month, and in the present one the artifacts in force and their bytes. */
export async function countCompileMeters(op: Operation, month: MeterMonth): Promise<MeterAmounts> {
  const { tenantId } = op
  const [[jobs], kept] = await Promise.all([
    op.read((q) =>
      q
        .selectFrom('compile_jobs')
        .select(q.fn.countAll<number>().as('accepted'))
        .where('tenant_id', '=', tenantId)
        .where('created_at', '>=', month.from)
        .where('created_at', '<', month.until),
    ),
    month.isCurrent ? countInForce(op) : {},
  ])
  return { compile_jobs: jobs?.accepted ?? 0, ...kept }
}

async function countInForce(op: Operation): Promise<MeterAmounts> {
  const now = op.now()
  const [row] = await op.read((q) =>
    q
      .selectFrom('artifacts')
      .select([q.fn.countAll<number>().as('artifacts'), sql<number>`coalesce(sum(size_bytes), 0)::bigint`.as('bytes')])
      .where('tenant_id', '=', op.tenantId)
      .where('revoked_at', 'is', null)
      .where((of) => of.or([of('expires_at', 'is', null), of('expires_at', '>', now)])),
  )
  return { private_registry_artifacts: row?.artifacts ?? 0, storage_bytes: row?.bytes ?? 0 }
}
