import { expect } from 'chai'
import { keepRunning, type Running } from '../../workers/keep-running.ts'
import { untilAvailable } from '../../workers/until-available.ts'
import { KERNEL_ERRORS } from '../../core/kernel/errors.ts'
import { testLog } from '../support/workflows/quiet-runtime.ts'

describe('workers that are set up again', () => {
  const failing: Running = { run: () => Promise.reject(new Error('failed')), close: () => Promise.resolve() }

  it('end well when they are stopped while they wait for Temporal', async () => {
    const stopping = new AbortController()
    const waiting = { log: testLog(), signal: stopping.signal }
    let attempts = 0
    const make = async (): Promise<Running> =>
      await untilAvailable('Temporal', waiting, () => {
        if (++attempts === 2) stopping.abort()
        return Promise.reject(KERNEL_ERRORS.workflow_engine_unavailable('away'))
      })
    await keepRunning(failing, make, waiting)
    expect(attempts).to.equal(2)
  })

  it('are given up when they cannot be set up for another reason', async () => {
    const broken = new Error('no such namespace')
    const given = { log: testLog(), signal: new AbortController().signal }
    const end = keepRunning(failing, () => Promise.reject(broken), given)
    expect(await end.catch((error: unknown) => error)).to.equal(broken)
  })
})
