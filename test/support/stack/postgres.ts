import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { openDatabase, type Database } from '../../../db/kernel/database.ts'
import { migrate } from '../../../db/migrations/migrate.ts'
import { openNotifications, type Notifications } from '../../../db/kernel/notifications.ts'
import { testStack } from './stack.ts'

/** A migrated database of a test file's own. */
export interface TestDatabase {
  readonly url: string
  /** What its secrets are sealed under. */
  readonly masterKey: Buffer
  readonly db: Database
  readonly notifications: Notifications
}

/**
 * Gives the tests of the surrounding suite a new database on the run's Postgres (`DATABASE_URL`, or the test stack's)
 * and drops it after them. The members are there once the suite runs.
 */
export function useDatabase(options: { readonly poolSize?: number } = {}): TestDatabase {
  let opened: TestDatabase | undefined
  let serverUrl = ''
  const name = `svc_test_${randomBytes(6).toString('hex')}`
  before(async () => {
    serverUrl = process.env['DATABASE_URL'] ?? (await testStack()).databaseUrl
    await onServer(serverUrl, `create database ${name}`)
    const url = new URL(serverUrl)
    url.pathname = `/${name}`
    const masterKey = randomBytes(32)
    const db = await openDatabase({
      url: url.href,
      poolSize: options.poolSize ?? 12,
      masterKey,
    })
    await migrate(db)
    opened = { url: url.href, masterKey, db, notifications: await openNotifications(url.href) }
  })
  after(async () => {
    await opened?.notifications.close()
    await opened?.db.close()
    await onServer(serverUrl, `drop database if exists ${name} with (force)`)
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

async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
