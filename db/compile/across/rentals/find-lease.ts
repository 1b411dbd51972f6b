import type { FitLane } from '../../../../core/compile/stages/rentals/lanes.ts'
import type { Database } from '../../../kernel/database.ts'
import { service } from '../../../kernel/queries/service.ts'

const WHY = 'a machine shows the secret of its lease, and that names its tenant'

/** The lease that a machine works under. */
export interface DoorLease {
  readonly id: string
  readonly jobId: string
  readonly tenantId: string
  readonly fit: string | null
  readonly sessionHash: string | null
  readonly checkpointAt: Date | null
  readonly closingAt: Date | null
  readonly lane: FitLane
  readonly seenAt: Date | null
  /** True when the lease takes no more: the machine ended, sent its adapter, failed, or its job is over. */
  readonly isOver: boolean
}

/** Finds the lease of a one-time token by the token's hash; null for an unknown one. */
export async function leaseOfToken(db: Database, tokenHash: string): Promise<DoorLease | null> {
  return await find(db, 'l.token_hash', tokenHash)
}

/** Finds the lease of a machine by the hash of the secret that it chose; null for an unknown one. */
export async function leaseOfSession(db: Database, sessionHash: string): Promise<DoorLease | null> {
  return await find(db, 'l.session_hash', sessionHash)
}

async function find(db: Database, by: 'l.token_hash' | 'l.session_hash', hash: string): Promise<DoorLease | null> {
  const [lease] = await service.read(db, WHY, (q) =>
    q
      .selectFrom('rental_leases as l')
      .innerJoin('rentals as r', 'r.job_id', 'l.job_id')
      .innerJoin('compile_jobs as j', 'j.id', 'l.job_id')
      .select([
        'l.id',
        'l.job_id as jobId',
        'l.tenant_id as tenantId',
        'r.fit',
        'l.session_hash as sessionHash',
        'l.checkpoint_at as checkpointAt',
        'l.closing_at as closingAt',
        'l.seen_at as seenAt',
        'r.lane',
      ])
      .select((of) =>
        of
          .case()
          .when(
            of.or([
              of('l.ended_at', 'is not', null),
              of('l.result', 'is not', null),
              of('l.failure_code', 'is not', null),
              of('j.finished_at', 'is not', null),
            ]),
          )
          .then(true)
          .else(false)
          .end()
          .as('isOver'),
      )
      .where(by, '=', hash)
      .limit(1),
  )
  return lease ?? null
}
