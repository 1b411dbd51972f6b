import { z } from 'zod'
import { invalidField } from '../../../core/kernel/errors.ts'
import { BakeoffId } from '../../../core/kernel/wire/ids.ts'
import { pageOf } from '../../../core/kernel/wire/page.ts'
import type { BakeoffDefinition } from '../../../core/learn/evals/bakeoff/bakeoff.ts'
import { readContestant, type Contestant } from '../../../core/learn/evals/bakeoff/contestant.ts'
import { comparatorFor } from '../../../core/learn/evals/bakeoff/compare-output.ts'
import { taskPairOf } from '../../../core/learn/evals/bakeoff/task-pair.ts'
import { BakeoffBody, BakeoffView, ListBakeoffsAnswer } from '../../../core/learn/wire/evals/bakeoffs.ts'
import { EvalNamespace } from '../../../core/learn/wire/evals/evals.ts'
import { findBase } from '../../../core/model/files/find-base.ts'
import { chargedTo } from '../../../db/billing/usage/charged-to.ts'
import { boundsOf } from '../../../db/kernel/namespaces/bounds.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import type { Principal } from '../../../db/kernel/tenant/principal.ts'
import { createBakeoff } from '../../../db/learn/bakeoffs/create-bakeoff.ts'
import { findBakeoff, listBakeoffs } from '../../../db/learn/bakeoffs/find-bakeoff.ts'
import { findReadyVersion, type ReadyVersion } from '../../../db/learn/datasets/find-dataset.ts'
import { pendingForgets } from '../../../db/learn/datasets/forget/pending-forgets.ts'
import { readPage } from '../../../db/learn/datasets/read-rows.ts'
import { refuseSealedVersion } from '../../../db/learn/holdouts/refuse-sealed.ts'
import { waitForEnd } from '../../compile/submit/wait-for-end.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute, type CallFacts, type LearnServices } from '../services.ts'
import { presentBakeoff } from './present-bakeoff.ts'

/** Held-out rows by which the comparator is chosen where none is named. */
const LOOKED_AT = 200

const START = {
  method: 'post',
  group: 'evals',
  description: (limits: { readonly bakeoff_rows: number; readonly sync_bakeoff_wait_s: number }) =>
    `Lets contestants answer the held-out rows of a dataset: artifacts, what is made from its train rows (\`rule\`, \`classifier\`, \`cache\`), bases of this server and models of providers, each as it is named. At most ${limits.bakeoff_rows} held-out rows, chosen by their hash. Every figure has n and an interval, costs are those that were measured, and pairs are compared row by row (McNemar's exact test, adjusted by Benjamini and Hochberg). Recommended is the cheapest contestant that is shown to be no worse than the best by more than \`opts.margin\`. A contestant that cannot answer has the reason in its row. Answers 200 when all is done within ${limits.sync_bakeoff_wait_s} s, else 202; \`poll\` shows the rest.`,
  auth: 'key',
  scope: 'eval:write',
  namespace: 'bounded',
  stores: 'records',
  idempotency: 'kernel',
  body: BakeoffBody,
  answers: {
    200: envelope('The bake-off is done', BakeoffView),
    202: envelope('The bake-off is accepted', BakeoffView),
  },
  errors: [
    'not_found',
    'dataset_not_ready',
    'sealed_rows',
    'unknown_base_model',
    'artifact_revoked',
    'artifact_expired',
    'invalid_archive',
    'too_many_bakeoffs',
    'compute_exhausted',
    'limit_reached',
    'busy',
    'storage_full',
  ],
} as const

export const runBakeoffRoute = defineRoute({
  ...START,
  path: '/v1/bakeoff/run',
  operationId: 'runBakeoff',
  summary: 'Compare contestants on a dataset',
}).handle(async (call) => await startBakeoff(call, call.body))

export const createBakeoffRoute = defineRoute({
  ...START,
  path: '/v1/bakeoffs',
  operationId: 'createBakeoff',
  summary: 'Compare contestants on a dataset (the same under the path of the list)',
}).handle(async (call) => await startBakeoff(call, call.body))

export const listBakeoffsRoute = defineRoute({
  method: 'get',
  path: '/v1/bakeoffs',
  operationId: 'listBakeoffs',
  group: 'evals',
  summary: 'List bake-offs, newest first',
  auth: 'key',
  scope: 'eval:read',
  namespace: 'bounded',
  query: (limits) => pageOf(20)(limits).extend({ namespace: EvalNamespace.optional() }),
  answers: { 200: envelope('One page', ListBakeoffsAnswer) },
  errors: ['invalid_cursor'],
}).handle(async ({ op, query }) => {
  const { items, nextCursor, total } = await listBakeoffs(op, query)
  return {
    status: 200,
    body: { bakeoffs: items.map(presentBakeoff), total, count: items.length, next_cursor: nextCursor },
  }
})

export const getBakeoffRoute = defineRoute({
  method: 'get',
  path: '/v1/bakeoffs/{id}',
  operationId: 'getBakeoff',
  group: 'evals',
  summary: 'Show a bake-off and its figures',
  auth: 'key',
  scope: 'eval:read',
  namespace: 'bounded',
  params: z.object({ id: BakeoffId }),
  answers: { 200: envelope('The bake-off as it stands', BakeoffView) },
}).handle(async ({ op, params }) => ({ status: 200, body: presentBakeoff(await findBakeoff(op, params.id)) }))

type StartingCall = Pick<CallFacts, 'services' | 'endOfCall'> & { readonly op: Operation }

async function startBakeoff(
  call: StartingCall & { readonly principal: Principal },
  body: z.output<typeof BakeoffBody>,
) {
  const { op, services, principal } = call
  const { limits } = services
  const { dataset_id: datasetId, opts } = body
  const version = await findReadyVersion(op, datasetId, body.dataset_version)
  const held = await heldRows(op, version)
  const contestants = body.contestants.map((name, at) => readContestant(name, `contestants[${at}]`))
  requireDifferent(contestants)
  for (const contestant of contestants) await requireContestant(op, services, contestant)
  await refuseSealedVersion(op, 'dataset_id', version)
  const rows = Math.min(opts.rows ?? limits.bakeoff_rows, limits.bakeoff_rows)
  const definition: BakeoffDefinition = {
    contestants,
    options: {
      comparator: opts.comparator ?? comparatorFor(held.outputs),
      margin: opts.margin,
      rows,
      instruction: opts.instruction ?? null,
      shots: opts.shots,
      maxTokens: opts.max_tokens,
      judge: opts.judge ?? null,
      judgedRows: opts.judged_rows,
    },
    caller: { memberId: principal.memberId, teamId: principal.teamId },
  }
  const id = await createBakeoff(op, {
    namespace: version.namespace,
    datasetId,
    datasetVersion: version.version,
    merkleRoot: version.merkleRoot ?? '',
    definition,
    rowCount: Math.min(rows, version.holdoutCount),
    trainCount: Math.min(version.trainCount, limits.bakeoff_train_rows),
    chargedTo: { ...chargedTo(principal), namespace: version.namespace },
    limits,
  })
  const isOver = async () => (await findBakeoff(op, id)).finishedAt !== null
  await waitForEnd(call, { id, seconds: limits.sync_bakeoff_wait_s, isOver })
  const bakeoff = await findBakeoff(op, id)
  return { status: bakeoff.finishedAt === null ? (202 as const) : (200 as const), body: presentBakeoff(bakeoff) }
}

/** Looks at some held-out rows. Throws `validation_failed` for a dataset without any, or whose rows have no output. */
async function heldRows(op: Operation, version: ReadyVersion) {
  const { hashes } = await pendingForgets(op, version.datasetId)
  const { rows } = await readPage(op.db, version, { from: 0, limit: LOOKED_AT, isHeld: true, forgotten: hashes })
  const outputs = rows.flatMap(({ stored }) => (stored === null ? [] : (taskPairOf(stored.row)?.output ?? [])))
  if (rows.length === 0) {
    throw invalidField('dataset_id', 'has no held-out rows: POST /v1/datasets/{dataset_id}/split holds some out')
  }
  if (outputs.length === 0) {
    throw invalidField('dataset_id', `has held-out rows of type ${version.rowType} without an output to score by`)
  }
  return { outputs }
}

function requireDifferent(contestants: readonly Contestant[]): void {
  const names = new Set<string>()
  for (const [at, { name }] of contestants.entries()) {
    if (names.has(name)) throw invalidField(`contestants[${at}]`, `names ${name} again`)
    names.add(name)
  }
}

/**
 * Throws `not_found`, `artifact_revoked` and the like for an artifact that cannot run, and `unknown_base_model`. A model is
 * looked for when it is asked.
 */
async function requireContestant(
  op: Operation,
  { recipes, settings }: LearnServices,
  contestant: Contestant,
): Promise<void> {
  if (contestant.kind === 'artifact') {
    await recipes.load(op.tenantId, { artifactId: contestant.artifactId }, boundsOf(op))
  }
  if (contestant.kind === 'base') await findBase(contestant.base, settings.baseFolders)
}
