import { setTimeout as sleep } from 'node:timers/promises'
import { openOutbox } from '../../../db/kernel/outbox/outbox.ts'
import { findRun, listRunning } from '../../../temporal/runs.ts'
import { startWorkflow } from '../../../temporal/start.ts'
import { ONE_ATTEMPT, type Chore, type ChoreActivity } from '../chores/chore.ts'
import type { ReconcileDeps } from './deps.ts'
import type { LostEnd, Reconciliation } from './reconciliation.ts'
import { Tally, type FamilyReport } from './tally.ts'

/** Page size for outbox requests and rows. */
const BATCH = 100
/** Rows that one tick reconciles with their runs; the others follow with the next ticks. */
const PER_TICK = 2000
/** A younger row may still be on its way to Temporal, milliseconds. */
const SETTLE_MS = 15_000
/** Grace period for a run that looks gone to finish its row, milliseconds. */
const SECOND_LOOK_MS = 500

/** A call to Temporal takes 30 seconds at most; the next tick is due after another 30. */
const STILL_S = 35

/** Returns the chore that reconciles a family. */
export function reconciles<Input extends object, Deps extends ReconcileDeps = ReconcileDeps>(
  reconciliation: Reconciliation<Input, Deps>,
): Chore<Deps> {
  const { name } = reconciliation.family
  return {
    name,
    stillS: STILL_S,
    attempts: ONE_ATTEMPT,
    summary: `Start due workflows of \`${name}\` and handle rows whose run is gone`,
    run: async (deps, activity) => ({ ...(await reconcileFamily(deps, reconciliation, activity)) }),
  }
}

/**
 * Reconciles the rows and the workflows of one family: admits waiting rows, starts every workflow whose outbox row is
 * due, and handles rows whose run is gone. Failures are counted and left to the next tick. Safe to run twice at once.
 */
async function reconcileFamily<Input extends object, Deps extends ReconcileDeps>(
  deps: Deps,
  reconciliation: Reconciliation<Input, Deps>,
  activity: ChoreActivity,
): Promise<FamilyReport> {
  const tally = new Tally(deps.log, activity)
  tally.add('admitted', (await reconciliation.admit?.(deps)) ?? 0)
  activity.progress()
  await startDue(deps, reconciliation.family.name, tally, activity)
  const isRunning = await runsOf(deps, reconciliation)
  let handled = 0
  let afterKey = ''
  while (handled < PER_TICK && !activity.signal.aborted) {
    const now = deps.now()
    const openSince = new Date(now.getTime() - SETTLE_MS)
    const page = await reconciliation.open(deps, { now, openSince, afterKey, limit: BATCH })
    activity.progress()
    const lost = page.filter((input) => !isRunning(reconciliation.family.plan(input).workflowId))
    await heal(deps, reconciliation, tally, lost)
    handled += lost.length
    const last = page.at(-1)
    if (last === undefined || page.length < BATCH) break
    afterKey = reconciliation.family.plan(last).workflowId
  }
  return tally.report
}

async function startDue(deps: ReconcileDeps, family: string, tally: Tally, activity: ChoreActivity): Promise<void> {
  const outbox = openOutbox(deps.db)
  for (let due = BATCH; due === BATCH && !activity.signal.aborted;) {
    const requests = await outbox.claimDue({ family, batch: BATCH, now: deps.now() })
    await tally.each(requests, 'started', (request) => deps.workflows.carryOut(request))
    due = requests.length
  }
}

/**
 * Returns whether a run of an id is listed as running. The list may lag, so missing ids are looked up one by one. Rows
 * of a family that is signalled are not compared with it: signalling a running workflow is harmless.
 */
async function runsOf<Input extends object, Deps extends ReconcileDeps>(
  { temporal }: Deps,
  { family, settle }: Reconciliation<Input, Deps>,
): Promise<(workflowId: string) => boolean> {
  if (settle === undefined) return () => false
  const running = await listRunning(temporal, family.name)
  return (workflowId) => running.has(workflowId)
}

async function heal<Input extends object, Deps extends ReconcileDeps>(
  deps: Deps,
  { family, settle }: Reconciliation<Input, Deps>,
  tally: Tally,
  inputs: readonly Input[],
): Promise<void> {
  const startAgain = (input: Input): Promise<boolean> => startWorkflow(deps.temporal, family, family.plan(input))
  if (settle === undefined) {
    await tally.each(inputs, 'restarted', startAgain)
    return
  }
  const missing: Input[] = []
  const over: { readonly input: Input; readonly end: LostEnd }[] = []
  await tally.each(inputs, null, async (input) => {
    const state = await findRun(deps.temporal, family.plan(input).workflowId)
    if (state === 'missing') missing.push(input)
    else if (state !== 'running' && state !== 'unknown') {
      over.push({ input, end: state === 'cancelled' ? 'cancelled' : 'ended' })
    }
    return false
  })
  if (missing.length + over.length === 0) return
  // A workflow may have ended between the two look-ups, its row with it: settling a finished row changes nothing.
  await sleep(SECOND_LOOK_MS)
  await tally.each(missing, 'restarted', startAgain)
  await tally.each(over, 'finished', ({ input, end }) => settle(deps, input, end))
}
