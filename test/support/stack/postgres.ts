import { randomBytes } from 'node:crypto'
import { openDatabase, type Database } from '../../../db/kernel/database.ts'
import { ensureServiceKeys } from '../../../db/kernel/secrets/service-secrets.ts'
import { ensureAuditKey } from '../../../db/ledger/audit/audit-key.ts'
import { openNotifications, type Notifications } from '../../../db/kernel/notifications.ts'
import { testStack } from './stack.ts'
import { cloneTemplate, databaseAt, onServer } from './template.ts'

/** A migrated database of a test file's own. */
export interface TestDatabase {
  readonly url: string
  /** The key that seals its secrets. */
  readonly masterKey: Buffer
  readonly db: Database
  readonly notifications: Notifications
}

/**
 * Gives the tests of the surrounding suite a new, migrated database on the run's Postgres (`DATABASE_URL`, or the test
 * stack's) and drops it after them. Its members can be read once the suite runs.
 */
export function useDatabase(options: { readonly poolSize?: number } = {}): TestDatabase {
  let opened: TestDatabase | undefined
  let serverUrl = ''
  const name = `svc_test_${randomBytes(6).toString('hex')}`
  before(async () => {
    serverUrl = process.env['DATABASE_URL'] ?? (await testStack()).databaseUrl
    await cloneTemplate(serverUrl, name)
    const url = databaseAt(serverUrl, name)
    const masterKey = randomBytes(32)
    const db = await openDatabase({ url, poolSize: options.poolSize ?? 12, masterKey })
    // Sealed under this database's master key, so the template has none.
    await ensureAuditKey(db)
    await ensureServiceKeys(db)
    opened = { url, masterKey, db, notifications: await openNotifications(url) }
  })
  after(async () => {
    await opened?.notifications.close()
    await opened?.db.close()
    await onServer(serverUrl, (client) => client.query(`drop database if exists ${name} with (force)`))
  })
  const current = (): TestDatabase => {
    if (opened === undefined) throw new Error('the database is there once the tests run')
    return opened
  }
  return {
    get url() {
      return current().url
    },
    get masterKey() {
      return current().masterKey
    },
    get db() {
      return current().db
    },
    get notifications() {
      return current().notifications
    },
  }
}
