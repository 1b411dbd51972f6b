import {
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  patched,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow'
import type { FitSummary, JobRef } from '../../../activities/compile/compile/results.ts'
import type { RentalActivities } from '../../../activities/compile/rental/activities.ts'
import type { RentedMachine } from '../../../activities/compile/rental/rent-machine.ts'
import { isErrorCode, type ErrorCode } from '../../../core/compile/errors.ts'
import { codeOfFailure } from '../../kernel/failures.ts'
import { STAGE_KEY } from '../../kernel/names.ts'
import { RENT, STORE, TEAR_DOWN, WATCH } from '../../kernel/policies.ts'
import { RowWait } from '../../kernel/row-wait.ts'
import { changedSignal, rentalSeenSignal, type RentalInput } from './messages.ts'
import { RentalState, type RentalStep } from './rental-state.ts'

const store = proxyActivities<RentalActivities>(STORE)
const market = proxyActivities<RentalActivities>(RENT)
const watch = proxyActivities<RentalActivities>(WATCH)
const ending = proxyActivities<RentalActivities>(TEAR_DOWN)

/**
 * Fits an adapter on another machine: reserve, rent or wait for a worker of the tenant's pool, fit, fetch, tear down. A lost
 * machine is replaced, and the next one continues from its checkpoint. Whatever happens, the machines are ended before the
 * run is. Fails with the machine code as its type.
 */
export async function rental(input: RentalInput): Promise<FitSummary> {
  const { jobId, tenantId } = input
  const job = { jobId, tenantId }
  const state = new RentalState()
  const show = (step: RentalStep): void => {
    state.enter(step)
    setCurrentDetails(state.describe())
    upsertSearchAttributes([{ key: STAGE_KEY, value: step }])
  }
  const workers = new RowWait()
  setHandler(changedSignal, () => workers.wake())
  setHandler(rentalSeenSignal, (seen) => {
    state.see(seen)
    setCurrentDetails(state.describe())
  })
  let errorCode: ErrorCode | null = 'internal'
  let fitted: FitSummary | null = null
  try {
    show('reserve')
    await store.reserveMachine.executeWithOptions({ ...STORE, summary: 'Reserve the rental' }, [input])
    for (;;) {
      show(input.isPool === true ? 'wait for pool' : 'rent')
      const { leaseId, number } =
        input.isPool === true
          ? await awaitPool(job, workers)
          : await market.rentMachine.executeWithOptions({ ...RENT, summary: 'Rent a machine' }, [job])
      show('fit')
      const lease = { ...job, leaseId }
      const { end, code } = await watch.watchMachine.executeWithOptions(
        { ...WATCH, summary: `Watch machine ${number} until its fit ends or its budget is nearly used up` },
        [lease],
      )
      if (end === 'fitted') {
        // A machine costs money until it is gone, and what it sent is stored here.
        if (input.isPool !== true && patched('end-before-fetch')) {
          await ending.endMachines.executeWithOptions({ ...TEAR_DOWN, summary: `End machine ${number}` }, [job])
        }
        show('fetch')
        fitted = await store.fetchAdapter.executeWithOptions({ ...STORE, summary: 'Check and take over the adapter' }, [
          lease,
        ])
        errorCode = null
        return fitted
      }
      // A worker of a pool that gave up without a reason in the fit is replaced as well.
      const isLost = end === 'lost' || (input.isPool === true && code === 'internal')
      if (!isLost) throw failure(end === 'failed' ? (code ?? 'internal') : 'rental_budget_used')
      await ending.endMachines.executeWithOptions({ ...TEAR_DOWN, summary: `End lost machine ${number}` }, [job])
    }
  } catch (error) {
    errorCode = isCancellation(error) ? 'compile_cancelled' : codeOfFailure(error, isErrorCode)
    throw isCancellation(error) ? error : failure(errorCode)
  } finally {
    const how = { ...job, errorCode, tokensPerSecond: fitted?.tokensPerSecond ?? null }
    await CancellationScope.nonCancellable(async () => {
      show('tear down')
      await ending.tearDown.executeWithOptions({ ...TEAR_DOWN, summary: 'End the machines' }, [how])
      show(errorCode === null ? 'done' : 'failed')
    })
  }
}

/** Waits until a worker of the tenant's pool has leased the fit. */
async function awaitPool(job: JobRef, workers: RowWait): Promise<RentedMachine> {
  for (;;) {
    workers.begin()
    const { machine, attempts, waitMs } = await store.findPoolLease.executeWithOptions(
      { ...STORE, summary: 'Look whether a worker of the pool has the fit' },
      [job],
    )
    if (machine !== null) return machine
    await workers.wait({ number: attempts + 1, waitMs })
  }
}

function failure(code: ErrorCode): ApplicationFailure {
  return ApplicationFailure.create({ type: code, message: `${code}: the row of the job says more`, nonRetryable: true })
}
