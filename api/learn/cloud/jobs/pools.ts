import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { PoolId } from '../../../../core/kernel/wire/ids.ts'
import { ListPoolsAnswer, PoolBody, PoolRegistered, PoolRemoved } from '../../../../core/learn/wire/cloud/jobs.ts'
import { listPools, registerPool, removePool } from '../../../../db/compile/rentals/pools/pools.ts'
import { jobsWithoutPool } from '../../../../db/learn/cloud/jobs-without-pool.ts'
import { hashSecret } from '../../../compile/rentals/lease.ts'
import { envelope } from '../../../kernel/reply/answers.ts'
import { requireAccount } from '../../gates/gate.ts'
import { defineRoute } from '../../services.ts'
import { gpusOf } from './gpus.ts'
import { presentPool } from './present.ts'

export const registerPoolRoute = defineRoute({
  method: 'post',
  path: '/v1/cloud/pools',
  operationId: 'registerPool',
  group: 'cloud',
  summary: 'Register a pool of your own machines',
  description: (limits) =>
    `The token is shown once and kept as a hash. Workers that have it lease the fits of your cloud jobs for these GPUs at \`/v1/trainer/pool\`, and see token ids of train rows only. At most ${limits.pools_per_tenant} pools.`,
  auth: 'key',
  scope: 'cloud:write',
  namespace: 'refused',
  idempotency: 'kernel',
  stores: 'bounded',
  body: PoolBody,
  answers: { 201: envelope('The pool, with its token', PoolRegistered) },
  errors: ['unknown_gpu_sku', 'unknown_vram_tier', 'pool_exists', 'limit_reached', 'forbidden'],
}).handle(async ({ op, services, principal, body, whenKept }) => {
  requireAccount(principal)
  const { sku: gpuSku, tier: vramTier } = gpusOf(body.gpu_sku, body.vram_tier)
  const token = `pool_${randomBytes(32).toString('hex')}`
  const most = services.limits.pools_per_tenant
  const pool = await registerPool(op, { name: body.name, gpuSku, vramTier, tokenHash: hashSecret(token), most })
  const waiting = await jobsWithoutPool(op, { gpuSku, vramTier })
  whenKept(() => {
    for (const id of waiting) services.workflows.changedSoon(id)
  })
  const url = services.publicUrl().replace(/\/+$/, '')
  return {
    status: 201,
    body: {
      pool: presentPool(pool),
      token,
      command: `SVC_TRAINER_URL=${url} SVC_POOL_TOKEN=${token} python -m svc_trainer.pool`,
      waiting_jobs: waiting.length,
    },
  }
})

export const listPoolsRoute = defineRoute({
  method: 'get',
  path: '/v1/cloud/pools',
  operationId: 'listPools',
  group: 'cloud',
  summary: 'List your pools, newest first',
  auth: 'key',
  scope: 'cloud:read',
  namespace: 'refused',
  answers: { 200: envelope('The pools', ListPoolsAnswer) },
}).handle(async ({ op }) => {
  const pools = (await listPools(op)).map(presentPool)
  return { status: 200, body: { pools, count: pools.length } }
})

export const removePoolRoute = defineRoute({
  method: 'delete',
  path: '/v1/cloud/pools/{pool_id}',
  operationId: 'removePool',
  group: 'cloud',
  summary: 'Remove a pool',
  description: 'Its token ends at once, and fits that its workers have go back to the queue.',
  auth: 'key',
  scope: 'cloud:write',
  namespace: 'refused',
  params: z.object({ pool_id: PoolId }),
  answers: { 200: envelope('The pool is removed', PoolRemoved) },
}).handle(async ({ op, params: { pool_id: id } }) => {
  await removePool(op, id)
  return { status: 200, body: { pool_id: id, removed: true } }
})
