import { z } from 'zod'
import { LeaseSecret, LeaseView } from '../../../core/compile/wire/jobs/rentals/lease.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { poolOfToken } from '../../../db/compile/across/rentals/find-pool.ts'
import { leaseFit } from '../../../db/compile/rentals/pools/lease-fit.ts'
import { systemOperation } from '../../../db/kernel/operation.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'
import { hashSecret, leaseOfSecret, MACHINES, secretHash } from './lease.ts'
import { presentLease } from './present-lease.ts'

/** Seconds after which a worker without a fit asks again. */
const ASK_AGAIN_S = 5

export const leaseFitRoute = defineRoute({
  method: 'post',
  path: '/v1/trainer/pool',
  operationId: 'leaseTrainerFit',
  group: 'trainer',
  summary: 'Lease the next fit of a pool',
  description: (limits) =>
    `For the trainer on a machine of your own. \`Authorization: Bearer\` holds the token of its pool; from then on the worker shows the secret that it chose here, a new one for each fit. A lease without a report for ${limits.pool_lease_s} seconds is over, and another worker gets the fit, ${limits.pool_attempts} times at most. \`lease\` is null when no fit waits for the GPUs of the pool.`,
  auth: 'public',
  scope: undefined,
  limit: MACHINES,
  stores: 'bounded',
  body: z.object({
    secret: LeaseSecret,
    worker: z
      .string()
      .regex(/^[\w.-]{1,64}$/, { error: 'must be 1 to 64 letters, digits, dots, hyphens or underscores' })
      .default('worker')
      .meta({ description: 'Name of the worker, which the job shows' }),
  }),
  answers: {
    200: envelope('The lease', z.object({ lease: LeaseView.nullable(), ask_again_s: z.number() })),
  },
  errors: ['missing_credential', 'invalid_credential', 'lease_over', 'not_found'],
}).handle(async (call) => {
  const { services, body, request } = call
  const pool = await poolOfToken(services.db, secretHash(request))
  if (pool === null) throw KERNEL_ERRORS.invalid_credential('no pool has this token')
  const { tenantId } = pool
  const op = systemOperation(services.db, { tenantId, name: 'pool', requestId: pool.id, now: services.now })
  const sessionHash = hashSecret(body.secret)
  const mostAttempts = services.limits.pool_attempts
  const jobId = await leaseFit(op, { pool, name: body.worker, sessionHash, mostAttempts })
  if (jobId === null) return { status: 200, body: { lease: null, ask_again_s: ASK_AGAIN_S } }
  services.workflows.changedSoon(`${jobId}/rental`)
  const lease = await presentLease(await leaseOfSecret(call, sessionHash), services.limits)
  return { status: 200, body: { lease, ask_again_s: ASK_AGAIN_S } }
})
