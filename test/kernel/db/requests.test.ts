import { expect } from 'chai'
import { sweepNamed } from '../../support/workflows/chores.ts'
import { answerOnce } from '../../../api/kernel/guard/idempotency.ts'
import { MODEL_ERRORS } from '../../../core/model/errors.ts'
import { openDatabase } from '../../../db/kernel/database.ts'
import {
  abandonRequest,
  CLAIM_LEASE_MS,
  claimRequest,
  completeRequest,
  renewRequest,
} from '../../../db/kernel/idempotency/claims.ts'
import { service } from '../../../db/kernel/queries/service.ts'
import { raw } from '../../../db/kernel/queries/typed.ts'
import { createRateLimiter } from '../../../db/kernel/rate-limits/rate-limiter.ts'
import { expectCode } from '../../support/wire/expect-code.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { givenTenant, limits, operationOf } from '../../support/db/given.ts'

const EMPTY = { status: 200, text: '{}', headers: {} }

describe('repeated requests', () => {
  const test = useDatabase()

  const given = async () => {
    const tenant = await givenTenant(test.db)
    const clock = { now: new Date() }
    const op = operationOf(test.db, tenant, () => clock.now)
    const name = { route: 'createThing', key: 'k1', credential: 'key:a' }
    const claim = async (bodyHash = 'a') => await claimRequest(op, { ...name, bodyHash, limits: limits() })
    const wait = (ms: number) => {
      clock.now = new Date(clock.now.getTime() + ms)
    }
    return { op, name, claim, wait }
  }

  it('does the work once and returns the same answer again', async () => {
    const { op, name, claim } = await given()
    const claims = await Promise.allSettled(Array.from({ length: 8 }, async () => await claim()))
    const won = claims.flatMap((each) => (each.status === 'fulfilled' && each.value.kind === 'new' ? [each.value] : []))
    expect(won).to.have.length(1)
    const claimToken = won[0]?.claimToken ?? ''
    await expectCode('request_in_progress', claim)
    await expectCode('idempotency_key_reused', async () => await claim('b'))
    const answer = { status: 201, text: '{"id":"x"}', headers: { 'X-Id': 'x' } }
    await completeRequest(op, { ...name, claimToken, answer }, null)
    expect(await claim()).to.deep.equal({ kind: 'replay', answer })
    await expectCode('idempotency_key_reused', async () => await claim('b'))
  })

  it('frees the key of a process that died, not of one that renews', async () => {
    const { op, name, claim, wait } = await given()
    const first = await claim()
    const claimToken = first.kind === 'new' ? first.claimToken : ''
    wait(CLAIM_LEASE_MS - 1)
    expect(await renewRequest(op, { ...name, claimToken })).to.equal(true)
    wait(CLAIM_LEASE_MS - 1)
    await expectCode('request_in_progress', claim)
    wait(2)
    expect((await claim()).kind).to.equal('new')
    await expectCode('request_in_progress', async () => {
      await completeRequest(op, { ...name, claimToken, answer: EMPTY }, null)
    })
  })

  it('frees a key that was abandoned, and one whose day is over', async () => {
    const { op, name, claim, wait } = await given()
    const first = await claim()
    if (first.kind === 'new') await abandonRequest(op, { ...name, claimToken: first.claimToken })
    const second = await claim('b')
    if (second.kind === 'new') {
      await completeRequest(op, { ...name, claimToken: second.claimToken, answer: EMPTY }, null)
    }
    wait(24 * 3_600_000)
    expect((await claim('c')).kind).to.equal('new')
    wait(24 * 3_600_000)
    expect(await sweepNamed(test.db, 'idempotencyKeys', op.now())).to.be.at.least(1)
    expect((await claim('d')).kind).to.equal('new')
  })

  it('leaves no claim whose day is over, however many calls there were', async () => {
    const { op } = await given()
    await service.send(test.db, 'a test', () =>
      raw(
        `insert into idempotency_keys (tenant_id, route, key, credential, body_hash, claim_token, lease_until, created_at, expires_at)
         select $1, 'run', 'key ' || i, 'key:a', 'a', gen_random_uuid(), $2, $2, $2 from generate_series(1, 12000) i`,
        [op.tenantId, op.now()],
      ),
    )
    expect(await sweepNamed(test.db, 'idempotencyKeys', op.now(), AbortSignal.abort())).to.equal(0)
    expect(await sweepNamed(test.db, 'idempotencyKeys', op.now())).to.be.at.least(12_000)
  })
})

describe('answers that are kept', () => {
  const test = useDatabase()

  it('report the cause, also when the database is away by then', async () => {
    const tenant = await givenTenant(test.db)
    const db = await openDatabase({ url: test.url, poolSize: 1, masterKey: test.masterKey })
    const call = {
      op: operationOf(db, tenant),
      route: 'createThing',
      key: 'k1',
      credential: 'key:a',
      asked: {},
      limits: limits(),
    }
    await expectCode('recipe_failed', async () => {
      await answerOnce(call, async () => {
        await db.close()
        throw MODEL_ERRORS.recipe_failed('the real reason')
      })
    })
  })
})

describe('rate limits', () => {
  const test = useDatabase()

  it('lets exactly the points pass, over all processes', async () => {
    const open = () => createRateLimiter(test.db, { name: 'signup', points: 5, durationS: 60 })
    const processes = [open(), open()]
    const taken = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => await processes[n % 2]?.take('127.0.0.1')),
    )
    expect(taken.filter((each) => each?.isAllowed)).to.have.length(5)
    const refused = await open().take('127.0.0.1')
    expect(refused.remaining).to.equal(0)
    expect(refused.resetMs).to.be.within(1, 60_000)
    expect((await open().take('127.0.0.2')).isAllowed).to.equal(true)
  })
})
