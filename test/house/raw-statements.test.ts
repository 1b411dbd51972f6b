import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'

/** Statements that stay text, by file: how many, and why a typed query cannot say the same. */
const RAW: Readonly<Record<string, readonly [count: number, reason: string]>> = {
  'db/ledger/across/rewrap-secrets.ts': [3, 'tables and columns come from the facts of all tables'],
  'db/ledger/audit/verify/check-ledger.ts': [4, 'a snapshot on a connection of its own'],
  'db/ledger/audit/verify/read-lines.ts': [1, 'rows as RFC 8785 text'],
}

/** The kernel sends statements for others, and areas whose verbs are not typed queries yet. */
const NOT_COUNTED =
  /^db\/(kernel|migrations|accounts|billing|gateway|overview|compile\/(compute|events|invocations|jobs\/stages|teacher-samples|training))\//

const SENT = /\bquery(?:<[^()]*?>)?\(|\braw<|[^.\w]raw\(/g

describe('statements as text', () => {
  it('stand where a typed query cannot say the same, for a reason', () => {
    const found = Object.fromEntries(
      readdirSync('db', { recursive: true, encoding: 'utf8' })
        .map((path) => `db/${path}`)
        .filter((path) => path.endsWith('.ts') && !NOT_COUNTED.test(path))
        .map((path) => [path, [...readFileSync(path, 'utf8').matchAll(SENT)].length] as const)
        .filter(([, count]) => count > 0),
    )
    expect(found).to.deep.equal(Object.fromEntries(Object.entries(RAW).map(([path, [count]]) => [path, count])))
  })
})
