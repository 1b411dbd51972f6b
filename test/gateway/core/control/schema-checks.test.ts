import { expect } from 'chai'
import { openSchemaChecks, type SchemaChecks } from '../../../../core/gateway/control/schema/schema-checks.ts'
import { createCores } from '../../../../core/kernel/threads/cores.ts'
import { expectCode } from '../../../support/wire/expect-code.ts'

/** Takes all of its time and little memory: each item is compared with all others. */
const SLOW = { type: 'array', uniqueItems: true }
const ITEMS = Array.from({ length: 30_000 }, (_, n) => [n])

/** Less than the service gives: what is shown does not depend on it. */
const LIMIT_MS = 150

describe('checks of schemas', function () {
  // On a busy machine each slow check takes several seconds.
  this.timeout(240_000)
  let checks: SchemaChecks
  beforeEach(() => {
    checks = openSchemaChecks(createCores(), LIMIT_MS)
  })
  afterEach(async () => {
    await checks.close()
  })

  it('of tenants take turns: eight that take all of their time keep no other tenant waiting', async () => {
    // Both threads are there and have loaded their code.
    await Promise.all(['c', 'd'].map(async (tenant) => await checks.check(tenant, SLOW, ITEMS)))
    let left = 8
    const flood = Array.from({ length: left }, async () => {
      const verdict = await checks.check('a', SLOW, ITEMS)
      left--
      return verdict
    })
    const refused = await expectCode('busy', async () => await checks.check('a', {}, null))
    expect(refused.retryAfterS).to.equal(2)
    expect(await checks.check('b', {}, null)).to.deep.equal({ problem: null, mismatches: [] })
    // In the order in which they came, the last of the eight would be under way at most.
    expect(left).to.be.greaterThan(2)
    for (const { problem } of await Promise.all(flood)) expect(problem).to.match(/^takes longer than \d+ ms to check$/)
    expect(await checks.check('a', {}, null)).to.deep.equal({ problem: null, mismatches: [] })
  })

  it('take as many tenants at once as there is room for, and forget a tenant whose check has ended', async () => {
    const checkFor = async (count: number) =>
      await Promise.allSettled(Array.from({ length: count }, async (_, n) => await checks.check(`ten_${n}`, {}, null)))
    const refused = (await checkFor(65)).filter(({ status }) => status === 'rejected')
    expect(refused).to.have.length(1)
    expect(refused[0]).to.have.nested.property('reason.code', 'busy')
    expect((await checkFor(64)).every(({ status }) => status === 'fulfilled')).to.equal(true)
  })
})
