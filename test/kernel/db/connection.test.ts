import { expect } from 'chai'
import { DomainError } from '../../../core/kernel/errors.ts'
import { openDatabase, pingDatabase } from '../../../db/kernel/database.ts'
import { openNotifications } from '../../../db/kernel/notifications.ts'
import { createKeyAuthenticator } from '../../../db/accounts/keys/authentication/authenticator.ts'
import { expectCode } from '../../support/wire/expect-code.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { givenTenant, limits } from '../../support/db/given.ts'
import { writeAll, sendSql } from '../../support/db/send-sql.ts'

describe('connection to Postgres', () => {
  const test = useDatabase({ poolSize: 3 })

  it('recovers after every connection was cut, and drops its caches', async () => {
    const { apiKey, keyId } = await givenTenant(test.db)
    const keys = createKeyAuthenticator({
      db: test.db,
      notifications: test.notifications,
      limits: limits(),
      now: () => new Date(),
    })
    expect(await keys.authenticate(apiKey)).not.to.equal(null)
    const isBack = new Promise<void>((resolve) => test.notifications.onReconnect(resolve))
    // A revocation without a notification, as if it had come while the connection was away.
    await sendSql(test.db, 'update api_keys set revoked_at = now() where id = $1', [keyId])
    await sendSql(
      test.db,
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    )
    await isBack
    const answers = await Promise.allSettled(Array.from({ length: 6 }, async () => await sendSql(test.db, 'select 1')))
    for (const each of answers) if (each.status === 'rejected') expect(each.reason).to.be.instanceOf(DomainError)
    await pingDatabase(test.db, 5000)
    expect(await keys.authenticate(apiKey)).to.equal(null)
    keys.close()
  })

  it('keeps all its places when connections are lost during transactions', async () => {
    const db = await openDatabase({ url: test.url, poolSize: 2, masterKey: test.masterKey })
    try {
      for (let outage = 0; outage < 4; outage++) {
        await expectCode('store_unavailable', async () => {
          await writeAll(db, async (tx) => await tx.query('select pg_terminate_backend(pg_backend_pid())'))
        })
      }
      expect(await writeAll(db, async (tx) => await tx.query('select 1 as one'))).to.have.length(1)
    } finally {
      await db.close()
    }
  })

  it('signs up more at once than it has connections', async () => {
    const tenants = await Promise.all(Array.from({ length: 12 }, async () => await givenTenant(test.db)))
    expect(new Set(tenants.map(({ tenant }) => tenant.id)).size).to.equal(12)
  })

  it('says when there is no database', async () => {
    const url = new URL(test.url)
    url.port = '1'
    await expectCode('store_unavailable', async () => {
      await openDatabase({ url: url.href, poolSize: 1, masterKey: new Uint8Array(32) })
    })
    await expectCode('store_unavailable', async () => await openNotifications(url.href))
  })

  it('repeats a transaction that was chosen as the victim of a deadlock', async () => {
    const [one, two] = [await givenTenant(test.db), await givenTenant(test.db)]
    let runs = 0
    let holders = 0
    // Both hold their first row before one of them asks for its second.
    const bothHold = Promise.withResolvers<void>()
    const lockBoth = async (first: string, second: string) => {
      await writeAll(test.db, async (tx) => {
        runs++
        await tx.query('select 1 from tenants where id = $1 for update', [first])
        if (++holders === 2) bothHold.resolve()
        await bothHold.promise
        await tx.query('select 1 from tenants where id = $1 for update', [second])
      })
    }
    await Promise.all([lockBoth(one.tenant.id, two.tenant.id), lockBoth(two.tenant.id, one.tenant.id)])
    expect(runs).to.be.at.least(3)
  })

  it('refuses a text that Postgres cannot hold as a mistake of the caller', async () => {
    await expectCode('validation_failed', async () => await sendSql(test.db, 'select $1::text', ['a\0b']))
  })
})
