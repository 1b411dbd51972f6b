import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'

/** Statements that stay text, by file: how many, and why a typed query cannot say the same. */
const RAW: Readonly<Record<string, readonly [count: number, reason: string]>> = {
  'db/gateway/across/capture-months.ts': [1, 'partitions'],
  'db/gateway/across/remove-months.ts': [
    5,
    'locks of tables, partitions, and their names in the catalogue of Postgres',
  ],
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

/** Selects that stay text inside of typed queries, by file: how many, and why a typed query cannot say the same. */
const SELECTS: Readonly<Record<string, readonly [count: number, reason: string]>> = {
  'db/billing/account/update-tax.ts': [1, 'an array out of the values of two others'],
  'db/compile/across/admit-waiting.ts': [1, 'a recursion whose branches have each an order and a limit'],
  'db/compile/across/fold-hours.ts': [1, 'elements of arrays with their places'],
  'db/compile/invocations/add-to-hour.ts': [1, 'elements of arrays with their places'],
  'db/compile/invocations/concept-stats.ts': [1, 'elements of arrays with their places'],
  'db/gateway/across/capture-months.ts': [1, 'the catalogue of Postgres'],
  'db/gateway/sums/count-captures.ts': [2, 'elements of JSON, by the row of another table'],
  'db/kernel/blobs/collect-orphans.ts': [1, 'tables and columns come from the facts of all tables'],
  'db/learn/evals/erase-rows.ts': [2, 'elements of JSON'],
  'db/learn/evals/evaluation-rows.ts': [2, 'elements of JSON'],
  'db/overview/across/counts/usage-totals.ts': [1, 'elements of arrays with their places'],
  'db/overview/deletion/purge/purge-tenant.ts': [1, 'tables and conditions come from the facts of all tables'],
}

const SENT = /\bquery(?:<[^()]*?>)?\(|\braw<|[^.\w]raw\(/g

const FRAGMENT = /\bsql(?:<[^`]*?>)?`/g

const files = readdirSync('db', { recursive: true, encoding: 'utf8' })
  .map((path) => `db/${path}`)
  .filter((path) => path.endsWith('.ts') && !path.startsWith('db/migrations/'))

describe('statements as text', () => {
  it('stand where a typed query cannot say the same, for a reason', () => {
    const senders = files.filter((path) => !(path in SENDERS))
    expect(countIn(senders, (text) => [...text.matchAll(SENT)].length)).to.deep.equal(countsOf(RAW))
  })

  it('are no selects inside of typed queries, where a typed one says the same', () => {
    const selects = (text: string) => fragmentsOf(text).filter((fragment) => /\bselect\b/.test(fragment)).length
    expect(countIn(files, selects)).to.deep.equal(countsOf(SELECTS))
    expect(fragmentsOf('sql<number>`a ${q.select(({ b }) => sql`b`)} c`')).to.deep.equal(['a $ c', 'b'])
  })

  it('are 40 at most', () => {
    const counts = [RAW, SELECTS].flatMap((list) => Object.values(countsOf(list)))
    expect(counts.reduce((sum, count) => sum + count, 0)).to.be.at.most(40)
  })
})

function countsOf(list: typeof RAW): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(list).map(([path, [count]]) => [path, count]))
}

function countIn(paths: readonly string[], count: (text: string) => number): Readonly<Record<string, number>> {
  const counts = paths.map((path) => [path, count(readFileSync(path, 'utf8'))] as const)
  return Object.fromEntries(counts.filter(([, some]) => some > 0))
}

/** Returns the text of each `sql` of a file, without the expressions inside of it. */
function fragmentsOf(text: string): readonly string[] {
  return [...text.matchAll(FRAGMENT)].map(({ index, 0: opening }) => {
    let fragment = ''
    let depth = 0
    for (const letter of text.slice(index + opening.length)) {
      if (depth === 0 && letter === '`') break
      if (letter === '{' && (depth > 0 || fragment.endsWith('$'))) depth++
      else if (letter === '}' && depth > 0) depth--
      else if (depth === 0) fragment += letter
    }
    return fragment
  })
}
