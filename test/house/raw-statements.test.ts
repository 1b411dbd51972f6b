import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'

/** Statements that stay text, by file: how many, and why a typed query cannot say the same. */
const RAW: Readonly<Record<string, readonly [count: number, reason: string]>> = {
  'db/gateway/across/capture-months.ts': [4, 'partitions, and their names in the catalogue of Postgres'],
  'db/kernel/storage/count-held.ts': [1, 'blobs come from the facts of all tables'],
  'db/kernel/storage/measure-database.ts': [1, 'the catalogue of Postgres'],
  'db/kernel/tables/sweeps.ts': [1, 'tables and conditions come from the facts of all tables'],
  'db/kernel/outbox/claim-rows.ts': [1, 'tables and columns come from the families'],
  'db/ledger/across/rewrap-secrets.ts': [3, 'tables and columns come from the facts of all tables'],
  'db/ledger/audit/verify/check-ledger.ts': [4, 'a snapshot on a connection of its own'],
  'db/ledger/audit/verify/read-lines.ts': [1, 'rows as RFC 8785 text'],
  'db/overview/account/export/export-account.ts': [1, 'columns come from the facts of the table'],
  'db/overview/account/export/read-section.ts': [1, 'tables and columns come from the facts of all tables'],
  'db/overview/across/counts/applied-migrations.ts': [1, 'the table of the migrator'],
  'db/overview/across/merge-tenant.ts': [1, 'statements come from the facts of all tables'],
  'db/overview/deletion/purge/purge-tenant.ts': [1, 'tables come from the facts of all tables; bounded by `ctid`'],
}

/** Files that send the statements of others, and what they send of their own. */
const SENDERS: Readonly<Record<string, string>> = {
  'db/kernel/database.ts': 'the pool',
  'db/kernel/idempotency/enclosing-transaction.ts': 'savepoints',
  'db/kernel/notifications.ts': '`listen`',
  'db/kernel/queries/batch.ts': 'statements in one message',
  'db/kernel/queries/read-rows.ts': 'reads, with begin and commit around them',
  'db/kernel/queries/service.ts': 'the role of a transaction',
  'db/kernel/queries/session.ts': 'transactions, with begin and commit around them',
  'db/kernel/queries/typed.ts': 'declares `raw`',
  'db/kernel/tenant/tenant-grants.ts': 'grants',
  'db/kernel/tenant/tenant-role.ts': 'the role of tenants',
  'db/kernel/transaction.ts': 'transactions and locks by name',
}

const SENT = /\bquery(?:<[^()]*?>)?\(|\braw<|[^.\w]raw\(/g

describe('statements as text', () => {
  it('stand where a typed query cannot say the same, for a reason', () => {
    const found = Object.fromEntries(
      readdirSync('db', { recursive: true, encoding: 'utf8' })
        .map((path) => `db/${path}`)
        .filter((path) => path.endsWith('.ts') && !path.startsWith('db/migrations/') && !(path in SENDERS))
        .map((path) => [path, [...readFileSync(path, 'utf8').matchAll(SENT)].length] as const)
        .filter(([, count]) => count > 0),
    )
    expect(found).to.deep.equal(Object.fromEntries(Object.entries(RAW).map(([path, [count]]) => [path, count])))
  })

  it('are 40 at most', () => {
    const counts = Object.values(RAW).map(([count]) => count)
    expect(counts.reduce((sum, count) => sum + count, 0)).to.be.at.most(40)
  })
})
