import { sql } from 'kysely'
import type { FitLane, Lane } from '../../../../core/compile/stages/rentals/lanes.ts'
import type { MeasuredSpeed } from '../../../../core/compile/stages/rentals/quote/quote.ts'
import type { Database } from '../../../kernel/database.ts'
import { service } from '../../../kernel/queries/service.ts'

/** A rental that has not ended. */
export interface OpenRental {
  readonly jobId: string
  readonly tenantId: string
  readonly isJobOver: boolean
}

/** Reads rentals that have not ended and of which a machine may be left, or whose job is over; by job. */
export async function listOpenRentals(
  db: Database,
  page: { readonly orderedBefore: Date; readonly afterKey: string; readonly limit: number },
): Promise<readonly OpenRental[]> {
  return await service.read(db, 'ends the machines of all tenants that no workflow owns', (q) =>
    q
      .selectFrom('rentals as r')
      .innerJoin('compile_jobs as j', 'j.id', 'r.job_id')
      .select(['r.job_id as jobId', 'r.tenant_id as tenantId'])
      .select(sql<boolean>`j.finished_at is not null`.as('isJobOver'))
      .where('r.ended_at', 'is', null)
      .where('r.job_id', '>', page.afterKey)
      .where((of) =>
        of.or([
          of('j.finished_at', 'is not', null),
          of.exists(
            of
              .selectFrom('rental_leases as l')
              .select('l.id')
              .whereRef('l.job_id', '=', 'r.job_id')
              .where('l.ended_at', 'is', null)
              .where('l.ordered_at', '<', page.orderedBefore),
          ),
        ]),
      )
      .orderBy('r.job_id')
      .limit(page.limit),
  )
}

/** The lease of a machine that a provider lists. */
export interface NamedLease {
  readonly leaseId: string
  readonly jobId: string
  readonly tenantId: string
  readonly isEnded: boolean
}

/** Finds the leases of machines by their names. */
export async function leasesByName(db: Database, names: readonly string[]): Promise<ReadonlyMap<string, NamedLease>> {
  if (names.length === 0) return new Map()
  const rows = await service.read(db, 'compares the machines of a provider with the leases of all tenants', (q) =>
    q
      .selectFrom('rental_leases')
      .select(['machine_name as name', 'id as leaseId', 'job_id as jobId', 'tenant_id as tenantId'])
      .select(sql<boolean>`ended_at is not null`.as('isEnded'))
      .where('machine_name', 'in', [...names]),
  )
  return new Map(rows.map(({ name, ...lease }) => [name, lease]))
}

/** A rental that ended on the tenant's own key, whose copy is still there. */
export interface KeyedRental {
  readonly jobId: string
  readonly tenantId: string
  readonly lane: FitLane
  readonly providerKeyId: string | null
  readonly endedAt: Date | null
}

/** Reads rentals that ended and still have a copy of their tenant's key; by job. */
export async function listKeyedRentals(
  db: Database,
  page: { readonly afterKey: string; readonly limit: number },
): Promise<readonly KeyedRental[]> {
  return await service.read(db, 'ends machines of all tenants that appear after their rental ended', (q) =>
    q
      .selectFrom('rentals')
      .select(['job_id as jobId', 'tenant_id as tenantId', 'lane', 'provider_key_id as providerKeyId'])
      .select('ended_at as endedAt')
      .where('sealed_key', 'is not', null)
      .where('ended_at', 'is not', null)
      .where('job_id', '>', page.afterKey)
      .orderBy('job_id')
      .limit(page.limit),
  )
}

/** Fits of one lane whose speed counts: the newest. */
const NEWEST = 50

/**
 * Returns the speed of the newest fits on a lane with a base of about the same size; undefined where there was none. Fits on
 * the operator's machines count, and speeds say nothing about a tenant.
 */
export async function measuredSpeed(
  db: Database,
  { lane, parametersB }: { readonly lane: Lane; readonly parametersB: number },
): Promise<MeasuredSpeed | undefined> {
  const rows = await service.read(db, 'a quote rests on the speed of earlier fits, of all tenants', (q) =>
    q
      .selectFrom('rentals')
      .select('tokens_per_second as speed')
      .where('lane', '=', lane)
      .where('tokens_per_second', 'is not', null)
      // A tenant commands the machines of its own account, and could state any speed.
      .where('provider_key_id', 'is', null)
      .where('parameters_b', '>=', parametersB / 2)
      .where('parameters_b', '<=', parametersB * 2)
      .orderBy('ended_at', 'desc')
      .limit(NEWEST),
  )
  const speeds = rows.flatMap(({ speed }) => (speed === null || speed <= 0 ? [] : [speed]))
  if (speeds.length === 0) return undefined
  return {
    low: Math.min(...speeds),
    mean: speeds.reduce((sum, speed) => sum + speed, 0) / speeds.length,
    high: Math.max(...speeds),
    fits: speeds.length,
  }
}
