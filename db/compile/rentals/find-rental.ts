import type { Json, JsonObject, Sha256 } from '../../../core/kernel/json/json.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { TenantAccess } from '../../kernel/operation.ts'
import type { Lease, Rental } from './rental.ts'

/** A machine of a rental. */
export interface LeaseFacts extends Pick<
  Lease,
  'id' | 'number' | 'machineName' | 'rateUsdMicros' | 'orderedAt' | 'costUsdMicros'
> {
  readonly machineId: string | null
  readonly openedAt: Date | null
  readonly seenAt: Date | null
  readonly progress: Json
  readonly checkpointAt: Date | null
  readonly closingAt: Date | null
  readonly result: JsonObject | null
  readonly failureCode: string | null
  readonly endedAt: Date | null
  readonly configSha256: Sha256 | null
  readonly weightsSha256: Sha256 | null
  readonly trainingSha256: Sha256 | null
}

/** A rental with its machines, in the order in which they were rented. */
export interface RentalFacts extends Pick<
  Rental,
  'jobId' | 'tenantId' | 'lane' | 'budgetUsdMicros' | 'rateUsdMicros' | 'quote' | 'costUsdMicros' | 'createdAt'
> {
  readonly fit: string | null
  readonly providerKeyId: string | null
  readonly allowsSensitive: boolean
  readonly errorCode: string | null
  readonly endedAt: Date | null
  readonly leases: readonly LeaseFacts[]
}

/** Finds the rental of a job; null when it rents no machine. */
export async function findRental(op: TenantAccess, jobId: string): Promise<RentalFacts | null> {
  const [[rental], leases] = await op.read((q) => [
    q
      .selectFrom('rentals')
      .select([
        'job_id as jobId',
        'tenant_id as tenantId',
        'lane',
        'fit',
        'budget_usd_micros as budgetUsdMicros',
        'rate_usd_micros as rateUsdMicros',
        'quote',
        'provider_key_id as providerKeyId',
        'allows_sensitive as allowsSensitive',
        'cost_usd_micros as costUsdMicros',
        'error_code as errorCode',
        'created_at as createdAt',
        'ended_at as endedAt',
      ])
      .where('job_id', '=', jobId)
      .where('tenant_id', '=', op.tenantId),
    q
      .selectFrom('rental_leases')
      .select([
        'id',
        'number',
        'machine_name as machineName',
        'machine_id as machineId',
        'rate_usd_micros as rateUsdMicros',
        'ordered_at as orderedAt',
        'opened_at as openedAt',
        'seen_at as seenAt',
        'progress',
        'checkpoint_at as checkpointAt',
        'closing_at as closingAt',
        'result',
        'failure_code as failureCode',
        'ended_at as endedAt',
        'cost_usd_micros as costUsdMicros',
        'config_sha256 as configSha256',
        'weights_sha256 as weightsSha256',
        'training_sha256 as trainingSha256',
      ])
      .where('job_id', '=', jobId)
      .where('tenant_id', '=', op.tenantId)
      .orderBy('number'),
  ])
  return rental === undefined ? null : { ...rental, leases }
}

/** The same for a job that must have one. Throws `not_found`. */
export async function requireRental(op: TenantAccess, jobId: string): Promise<RentalFacts> {
  const rental = await findRental(op, jobId)
  if (rental === null) throw KERNEL_ERRORS.not_found('the job rents no machine')
  return rental
}
