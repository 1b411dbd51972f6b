import { z } from 'zod'
import {
  DeleteHoldoutAnswer,
  HoldoutName,
  HoldoutRowsAnswer,
  HoldoutView,
  ListHoldoutsAnswer,
} from '../../../core/learn/wire/holdouts.ts'
import { deleteHoldout } from '../../../db/learn/holdouts/delete-holdout.ts'
import {
  attemptsByLineage,
  findHoldout,
  listHoldouts,
  type HoldoutFacts,
} from '../../../db/learn/holdouts/find-holdout.ts'
import { readRevealed, revealHoldout } from '../../../db/learn/holdouts/reveal-holdout.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { presentHoldout } from './present-holdout.ts'

const params = z.object({ corpus_id: HoldoutName })

export const listHoldoutsRoute = defineRoute({
  method: 'get',
  path: '/v1/eval/tenant_holdout',
  operationId: 'listHoldouts',
  group: 'eval',
  summary: 'List holdouts, newest first',
  description: 'Metadata only: no answer holds rows of a sealed holdout.',
  auth: 'key',
  scope: 'eval:read',
  namespace: 'bounded',
  answers: { 200: envelope('All holdouts that are not deleted', ListHoldoutsAnswer) },
}).handle(async ({ op }) => {
  const corpora = await listHoldouts(op)
  const attempts = await attemptsByLineage(op)
  const present = (corpus: HoldoutFacts) => presentHoldout(corpus, attempts.get(corpus.lineageId) ?? [])
  return { status: 200, body: { tenant_id: op.tenantId, corpora: corpora.map(present), count: corpora.length } }
})

export const getHoldoutRoute = defineRoute({
  method: 'get',
  path: '/v1/eval/tenant_holdout/{corpus_id}',
  operationId: 'getHoldout',
  group: 'eval',
  summary: 'Show what is stored of a holdout beside its rows',
  auth: 'key',
  scope: 'eval:read',
  namespace: 'bounded',
  params,
  answers: { 200: envelope('The holdout without its rows', HoldoutView) },
}).handle(async ({ op, params: { corpus_id: name } }) => ({
  status: 200,
  body: await presented(op, await findHoldout(op, name)),
}))

export const deleteHoldoutRoute = defineRoute({
  method: 'delete',
  path: '/v1/eval/tenant_holdout/{corpus_id}',
  operationId: 'deleteHoldout',
  group: 'eval',
  summary: 'Delete a holdout: its rows and their key',
  description:
    'Keyed hashes of the rows stay, so that the same rows under a new name are still the same holdout, with the attempts that it had.',
  auth: 'key',
  scope: 'eval:write',
  namespace: 'bounded',
  params,
  answers: { 200: envelope('The rows and their key are gone', DeleteHoldoutAnswer) },
}).handle(async ({ op, params: { corpus_id: name } }) => {
  await deleteHoldout(op, name)
  return { status: 200, body: { deleted: true, corpus_id: name.toLowerCase() } }
})

export const revealHoldoutRoute = defineRoute({
  method: 'post',
  path: '/v1/eval/tenant_holdout/{corpus_id}/reveal',
  operationId: 'revealHoldout',
  group: 'eval',
  summary: 'Unseal a holdout for good',
  description:
    'Its rows may then be read and learned from, and no gate takes it any more, nor another holdout that repeats its rows. There is no way back. The audit ledger has a line of it.',
  auth: 'key',
  scope: 'eval:write',
  namespace: 'bounded',
  stores: 'bounded',
  params,
  answers: { 200: envelope('The holdout is revealed', HoldoutView) },
}).handle(async ({ op, params: { corpus_id: name } }) => ({
  status: 200,
  body: await presented(op, await revealHoldout(op, name)),
}))

export const listHoldoutRowsRoute = defineRoute({
  method: 'get',
  path: '/v1/eval/tenant_holdout/{corpus_id}/rows',
  operationId: 'listHoldoutRows',
  group: 'eval',
  summary: 'Read the rows of a revealed holdout',
  auth: 'key',
  scope: 'eval:read',
  namespace: 'bounded',
  params,
  query: (limits) =>
    z.object({
      limit: z.coerce.number().int().min(1).max(limits.list_page).default(limits.list_page),
      offset: z.coerce.number().int().min(0).default(0),
    }),
  answers: { 200: envelope('One page, in the order in which the rows were stored', HoldoutRowsAnswer) },
  errors: ['holdout_sealed'],
}).handle(async ({ op, params: { corpus_id: name }, query: { limit, offset } }) => {
  const { rows, salt } = await readRevealed(op, name)
  const end = offset + limit
  return {
    status: 200,
    body: {
      corpus_id: name.toLowerCase(),
      salt: Buffer.from(salt).toString('hex'),
      rows: rows.slice(offset, end).map((row) => ({ ...row })),
      row_count: rows.length,
      next_offset: end < rows.length ? end : null,
    },
  }
})

async function presented(op: Operation, corpus: HoldoutFacts) {
  return presentHoldout(corpus, (await attemptsByLineage(op)).get(corpus.lineageId) ?? [])
}
