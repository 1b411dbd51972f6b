import type { SlotProbe } from '../../../core/learn/plans/cloud/readiness.ts'
import type { Database } from '../../kernel/database.ts'
import { service } from '../../kernel/queries/service.ts'

/** Returns the last probe of each slot. */
export async function listSlotProbes(db: Database): Promise<readonly SlotProbe[]> {
  return await service.read(db, 'probes are of connections of the whole service', (q) =>
    q
      .selectFrom('slot_probes')
      .select([
        'slot',
        'is_ready as isReady',
        'outcome',
        'latency_ms as latencyMs',
        'probed_at as probedAt',
        'ready_at as readyAt',
      ])
      .orderBy('slot'),
  )
}

/** Returns the outcome of the last probes of a sandbox for code; null when no worker has probed one. */
export async function findSandbox(db: Database): Promise<Pick<SlotProbe, 'isReady' | 'outcome'> | null> {
  const probes = await listSlotProbes(db)
  return probes.find(({ slot }) => slot === 'code_sandbox') ?? null
}

/** Records probes, each in place of the one before. An earlier probe never replaces a later one. */
export async function recordSlotProbes(db: Database, probes: readonly Omit<SlotProbe, 'readyAt'>[]): Promise<void> {
  await service.send(db, 'probes are of connections of the whole service', (q) =>
    q
      .insertInto('slot_probes')
      .values(
        probes.map(({ slot, isReady, outcome, latencyMs, probedAt }) => ({
          slot,
          is_ready: isReady,
          outcome,
          latency_ms: latencyMs,
          probed_at: probedAt,
          ready_at: isReady ? probedAt : null,
        })),
      )
      .onConflict((on) =>
        on
          .column('slot')
          .doUpdateSet((of) => ({
            is_ready: of.ref('excluded.is_ready'),
            outcome: of.ref('excluded.outcome'),
            latency_ms: of.ref('excluded.latency_ms'),
            probed_at: of.ref('excluded.probed_at'),
            ready_at: of.fn.coalesce('excluded.ready_at', 'slot_probes.ready_at'),
          }))
          .whereRef('excluded.probed_at', '>', 'slot_probes.probed_at'),
      ),
  )
}
