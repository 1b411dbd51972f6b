import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { isJsonObject } from '../../../core/kernel/json/json.ts'
import { listEvents } from '../../../db/compile/progress/events/list-events.ts'
import { findTrainingRecords, releaseTraining } from '../../../db/compile/progress/training/training-records.ts'
import { cacheVariables } from '../../support/stack/caches.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { testStack } from '../../support/stack/stack.ts'
import { givenFit, type GivenFit } from './given-fit.ts'

const BASES = fileURLToPath(new URL('../../model/golden', import.meta.url))
const ATTEMPT = fileURLToPath(new URL('fit-process.ts', import.meta.url))

describe('an interrupted fit', () => {
  const database = useDatabase()

  let temporalAddress = ''
  before(async () => {
    ;({ temporalAddress } = await testStack())
  })

  function attempt({ op, jobId, inputSha256 }: GivenFit) {
    const of = [op.tenantId, jobId, inputSha256, BASES, temporalAddress]
    return spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ATTEMPT, ...of], {
      env: {
        PATH: process.env['PATH'],
        ...cacheVariables(),
        DATABASE_URL: database.url,
        SVC_MASTER_KEY: database.masterKey.toString('hex'),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
  }

  async function stepOf({ op, jobId, inputSha256: fit }: GivenFit): Promise<number> {
    const facts = (await findTrainingRecords(op, { jobId, fit })).get('checkpoint')?.facts
    return isJsonObject(facts) && typeof facts['step'] === 'number' ? facts['step'] : 0
  }

  it('ends with the same adapter after three kills, and goes on from where it was', async function () {
    // Five processes start, one after the other.
    this.timeout(180_000)
    const whole = await givenFit(database.db, BASES)
    const undisturbed = await text(attempt(whole).stdout)
    expect(undisturbed).to.match(/^sha256:[0-9a-f]{64} \d+\n$/)

    const given = await givenFit(database.db, BASES)
    const { jobId, inputSha256, op } = given
    expect(inputSha256).to.equal(whole.inputSha256)
    const killedAt: number[] = []
    for (let kill = 0; kill < 3; kill++) {
      const child = attempt(given)
      const ended = new Promise<NodeJS.Signals | null>((resolve) =>
        child.on('exit', (_code, signal) => resolve(signal)),
      )
      const before = killedAt.at(-1) ?? 0
      while (child.exitCode === null && (await stepOf(given)) <= before) await sleep(2)
      child.kill('SIGKILL')
      expect(await ended, `attempt ${kill + 1} was over before it was killed`).to.equal('SIGKILL')
      killedAt.push(await stepOf(given))
    }
    expect(killedAt[0]).to.be.greaterThan(0)
    expect(killedAt[2]).to.be.greaterThan(killedAt[0] ?? 0)
    expect(await text(attempt(given).stdout)).to.equal(undisturbed)

    const events = await listEvents(op, { jobId, afterSeq: 0, limit: 1000 })
    expect(events.filter(({ body }) => body['code'] === 'fit_resumed')).to.have.length(3)
    expect(events.filter(({ kind, body }) => kind === 'metric' && typeof body['loss'] === 'number')).to.have.length(0)
    await releaseTraining(op, jobId)
    expect((await findTrainingRecords(op, { jobId, fit: inputSha256 })).size).to.equal(0)
  })
})
