import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { Sha256 } from '../../../core/kernel/json/json.ts'
import { leaseOfSession, leaseOfToken, type DoorLease } from '../../../db/compile/across/rentals/find-lease.ts'
import { systemOperation, type Operation } from '../../../db/kernel/operation.ts'
import type { RateLimitRule } from '../../kernel/guard/rate-limits.ts'
import type { LimitName } from '../../../core/compile/limits.ts'
import type { CallFacts } from '../services.ts'

/** Calls of rented machines; a provider may send many of them from one address. */
export const MACHINES: RateLimitRule<LimitName> = {
  name: 'trainer-door',
  limit: 'trainer_calls_per_ip_minute',
  windowS: 60,
  counts: 'calls',
  isOfProcess: true,
}

/** Codes that every route of the door may answer with. */
export const DOOR_ERRORS = ['missing_credential', 'invalid_credential', 'lease_over'] as const

type DoorCall = Pick<CallFacts, 'services' | 'request'>

/** A lease in force, and the operation under which its machine's reports are stored. */
export interface OpenLease {
  readonly lease: DoorLease
  readonly fit: Sha256
  readonly op: Operation
}

/** Finds the lease of a machine by the secret that it opened it with. Throws `DOOR_ERRORS`. */
export async function leaseOf(call: DoorCall): Promise<OpenLease> {
  return await leaseOfSecret(call, secretHash(call.request))
}

/** The same by the hash of that secret. Throws `DOOR_ERRORS`. */
export async function leaseOfSecret(call: Pick<DoorCall, 'services'>, sessionHash: string): Promise<OpenLease> {
  return inForce(call, await leaseOfSession(call.services.db, sessionHash))
}

/** Finds a lease by its one-time token. Throws `DOOR_ERRORS`. */
export async function leaseToOpen(call: DoorCall): Promise<OpenLease> {
  return inForce(call, await leaseOfToken(call.services.db, secretHash(call.request)))
}

function inForce({ services }: Pick<DoorCall, 'services'>, lease: DoorLease | null): OpenLease {
  if (lease === null) throw KERNEL_ERRORS.invalid_credential('no lease has this token')
  const { fit, tenantId, jobId, isOver } = lease
  if (isOver || fit === null) throw COMPILE_ERRORS.lease_over('the lease is over')
  if (isExpired(services, lease)) {
    throw COMPILE_ERRORS.lease_over('the lease is over: no heartbeat came in time, and the fit goes to another worker')
  }
  const op = systemOperation(services.db, { tenantId, name: 'trainer', requestId: jobId, now: services.now })
  return { lease, fit: `sha256:${fit.slice('sha256:'.length)}`, op }
}

/** A rented machine is ended by its workflow; one of a pool cannot be, so its late words must not count. */
function isExpired({ limits, now }: DoorCall['services'], { lane, seenAt }: DoorLease): boolean {
  return lane === 'pool' && seenAt !== null && now().getTime() - seenAt.getTime() > limits.pool_lease_s * 1000
}

/** Returns the hash of the secret that a machine shows. Throws `missing_credential`. */
export function secretHash(request: IncomingMessage): string {
  const [, secret] = /^Bearer (\S{1,200})$/.exec(request.headers.authorization ?? '') ?? []
  if (secret === undefined) throw KERNEL_ERRORS.missing_credential('send the token in the header Authorization: Bearer')
  return hashSecret(secret)
}

/** The SHA-256 of a secret of a lease, hexadecimal: all that is stored of it. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
