import { z } from 'zod'
import { LEARN_ERRORS } from '../../../core/learn/errors.ts'
import { pageQuery } from '../../../core/kernel/wire/page.ts'
import { ListRunsAnswer, RunAnswer, RunNamespace } from '../../../core/learn/wire/distill/runs.ts'
import { cancelWithCompile } from '../../../db/learn/distill/cancel-with-compile.ts'
import { findRun, listRuns } from '../../../db/learn/distill/find-run.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'
import { presentRun, presentRunDetail } from './present-run.ts'

/** Runs of a page, and of the largest. */
const PAGE = 100
const MOST_LISTED = 500

/** The form of an id: anything else is no id of a run at all. */
const RUN_ID = /^run_[a-z0-9_]+$/i

/** The path of one run. */
export const RunPath = z.object({
  run_id: z.string().max(200).meta({ description: 'Id of a run', example: 'run_0123456789abcdefghjkmnpqrs' }),
})

/** Throws `invalid_run_id` for a text that has not the form of an id. */
export function requireRunId(runId: string): void {
  if (!RUN_ID.test(runId)) throw LEARN_ERRORS.invalid_run_id('run_id: must have the form run_ with letters and digits')
}

export const listRunsRoute = defineRoute({
  method: 'get',
  path: '/v1/distill/runs',
  operationId: 'listDistillRuns',
  group: 'distill',
  summary: 'List runs of distillation, newest first',
  description: 'Each with its measured figures; one that was not measured is null.',
  auth: 'key',
  scope: 'distill:read',
  namespace: 'bounded',
  query: pageQuery(PAGE, MOST_LISTED).extend({ namespace: RunNamespace.optional() }),
  answers: { 200: envelope('One page', ListRunsAnswer) },
  errors: ['invalid_cursor'],
}).handle(async ({ op, query }) => {
  const { items, nextCursor } = await listRuns(op, query)
  return { status: 200, body: { runs: items.map(presentRun), count: items.length, next_cursor: nextCursor } }
})

export const getRunRoute = defineRoute({
  method: 'get',
  path: '/v1/distill/runs/{run_id}',
  operationId: 'getDistillRun',
  group: 'distill',
  summary: 'Show a run with its measured steps, its manifest and the end of its log',
  auth: 'key',
  scope: 'distill:read',
  namespace: 'bounded',
  params: RunPath,
  answers: { 200: envelope('The run as it stands', RunAnswer) },
  errors: ['invalid_run_id'],
}).handle(async ({ op, params: { run_id: runId } }) => {
  requireRunId(runId)
  return { status: 200, body: { run: await presentRunDetail(op, await findRun(op, runId)) } }
})

export const cancelRunRoute = defineRoute({
  method: 'post',
  path: '/v1/distill/runs/{run_id}/cancel',
  operationId: 'cancelDistillRun',
  group: 'distill',
  summary: 'Cancel a run',
  description:
    'Ends the run and its compile at once, and returns the units of the compile. Cancelling twice changes nothing; a run with another end answers 409.',
  auth: 'key',
  scope: 'distill:write',
  namespace: 'bounded',
  stores: 'bounded',
  params: RunPath,
  answers: { 200: envelope('The run is cancelled', RunAnswer) },
  errors: ['invalid_run_id', 'already_finished'],
}).handle(async ({ op, services, params: { run_id: runId } }) => {
  requireRunId(runId)
  const workflows = await cancelWithCompile(op, { runId, limits: services.limits })
  for (const id of workflows) services.workflows.cancelSoon(id)
  return { status: 200, body: { run: await presentRunDetail(op, await findRun(op, runId)) } }
})
