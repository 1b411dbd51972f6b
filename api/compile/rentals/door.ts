import { Readable } from 'node:stream'
import { z } from 'zod'
import { FIT_FAILURES } from '../../../core/compile/stages/rentals/fit-failures.ts'
import { FitHistory, MOST_LOOKS } from '../../../core/model/training/loop/history.ts'
import type { Sha256 } from '../../../core/kernel/json/json.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { bindSession, changeLease } from '../../../db/compile/rentals/door.ts'
import { readBlob } from '../../../db/kernel/blobs/read-blob.ts'
import type { Database } from '../../../db/kernel/database.ts'
import { envelope, rawAnswer } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'
import { DOOR_ERRORS, hashSecret, leaseOf, leaseToOpen, MACHINES } from './lease.ts'
import { LeaseSecret, LeaseView } from '../../../core/compile/wire/jobs/rentals/lease.ts'
import { newestCheckpoint, presentLease, REPORT_S, storedBytes } from './present-lease.ts'

const Amount = z.number().min(0).max(1e12)
const Steps = z.int().min(0).max(1e9)

export const openLeaseRoute = defineRoute({
  method: 'post',
  path: '/v1/trainer/lease',
  operationId: 'openTrainerLease',
  group: 'trainer',
  summary: 'Open the lease of a rented machine',
  description:
    'For the trainer on a rented machine. `Authorization: Bearer` holds the one-time token of its lease; from then on the machine shows the secret that it chose here. A second machine with the same token is refused.',
  auth: 'public',
  scope: undefined,
  limit: MACHINES,
  stores: 'bounded',
  body: z.object({ secret: LeaseSecret }),
  answers: {
    200: envelope('The work of the lease', LeaseView),
  },
  errors: [...DOOR_ERRORS, 'lease_taken', 'not_found'],
}).handle(async (call) => {
  const open = await leaseToOpen(call)
  await bindSession(open.op, { leaseId: open.lease.id, sessionHash: hashSecret(call.body.secret) })
  return {
    status: 200,
    body: await presentLease(open, call.services.limits),
  }
})

export const readDocumentRoute = defineRoute({
  method: 'get',
  path: '/v1/trainer/document',
  operationId: 'readTrainerDocument',
  group: 'trainer',
  summary: 'Read the rows and settings of a fit',
  description: 'Token ids of train rows and the hyper-parameters (`svc-fit/1`); nothing else of the job.',
  auth: 'public',
  scope: undefined,
  limit: MACHINES,
  answers: { 200: rawAnswer('The document', 'application/octet-stream') },
  errors: [...DOOR_ERRORS, 'not_found'],
}).handle(async (call) => {
  const { op, fit } = await leaseOf(call)
  return await bytesOf(op.db, fit)
})

export const readCheckpointRoute = defineRoute({
  method: 'get',
  path: '/v1/trainer/checkpoint',
  operationId: 'readTrainerCheckpoint',
  group: 'trainer',
  summary: 'Read the newest checkpoint of a fit',
  auth: 'public',
  scope: undefined,
  limit: MACHINES,
  answers: { 200: rawAnswer('The checkpoint', 'application/octet-stream') },
  errors: [...DOOR_ERRORS, 'not_found'],
}).handle(async (call) => {
  const open = await leaseOf(call)
  const checkpoint = await newestCheckpoint(open)
  if (checkpoint === null) throw KERNEL_ERRORS.not_found('the fit has no checkpoint yet')
  return await bytesOf(open.op.db, checkpoint.sha256)
})

export const reportProgressRoute = defineRoute({
  method: 'post',
  path: '/v1/trainer/progress',
  operationId: 'reportTrainerProgress',
  group: 'trainer',
  summary: 'Report the progress of a fit',
  description: `Also the sign of life of the machine: sent every ${REPORT_S} seconds. The state \`stop\` asks it to send a checkpoint and to go.`,
  auth: 'public',
  scope: undefined,
  limit: MACHINES,
  stores: 'bounded',
  body: z.object({
    step: Steps,
    steps: Steps,
    epoch: Amount.default(0),
    loss: z.number().nullable().default(null),
    validation_loss: z.number().nullable().default(null),
    learning_rate: Amount.nullable().default(null),
    tokens_per_second: Amount.default(0),
    eta_seconds: Amount.default(0),
    validations: FitHistory.shape.validations.max(MOST_LOOKS).default([]).meta({
      description: 'Measurements on the validation rows so far, at most the newest 200',
    }),
  }),
  answers: {
    200: envelope('What to do next', z.object({ state: z.enum(['go_on', 'stop']) })),
  },
  errors: [...DOOR_ERRORS],
}).handle(async (call) => {
  const { lease, op } = await leaseOf(call)
  const { isClosing } = await changeLease(op, lease.id, { progress: { ...call.body } })
  return { status: 200, body: { state: isClosing ? ('stop' as const) : ('go_on' as const) } }
})

export const finishLeaseRoute = defineRoute({
  method: 'post',
  path: '/v1/trainer/finish',
  operationId: 'finishTrainerLease',
  group: 'trainer',
  summary: 'Finish a fit whose files were sent',
  auth: 'public',
  scope: undefined,
  limit: MACHINES,
  stores: 'bounded',
  body: z.object({
    steps: Steps,
    best_step: Steps,
    stopped_early: z.boolean(),
    loss: z.number(),
    validation_loss: z.number().nullable(),
    tokens_per_second: Amount,
  }),
  answers: { 200: envelope('The fit is taken over', z.object({ state: z.literal('finished') })) },
  errors: [...DOOR_ERRORS],
}).handle(async (call) => {
  const { lease, op } = await leaseOf(call)
  await changeLease(op, lease.id, { result: { ...call.body } })
  return { status: 200, body: { state: 'finished' } }
})

export const failLeaseRoute = defineRoute({
  method: 'post',
  path: '/v1/trainer/failure',
  operationId: 'failTrainerLease',
  group: 'trainer',
  summary: 'Give up a fit',
  auth: 'public',
  scope: undefined,
  limit: MACHINES,
  stores: 'bounded',
  body: z.object({ code: z.enum(FIT_FAILURES) }),
  answers: { 200: envelope('The fit is given up', z.object({ state: z.literal('failed') })) },
  errors: [...DOOR_ERRORS],
}).handle(async (call) => {
  const { lease, op } = await leaseOf(call)
  await changeLease(op, lease.id, { failureCode: call.body.code })
  return { status: 200, body: { state: 'failed' } }
})

async function bytesOf(db: Database, sha256: Sha256) {
  const { size_bytes: lengthBytes } = await storedBytes(db, sha256)
  const stream = Readable.from(readBlob(db, sha256), { objectMode: false })
  return { status: 200, raw: { kind: 'stream', stream, lengthBytes } } as const
}
