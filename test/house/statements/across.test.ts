import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'

/**
 * Statements on the rows of all tenants: `service`, the pool and the ORM themselves, a transaction that the kernel begins,
 * and the kernel's search for rows with work due.
 */
const SEES_ALL =
  /from '[^']*\/queries\/service\.ts'|\.(?:pool\.(?:query|connect)|orm\.em)\b|\b(?:inTransaction|claimRows)\b/

/** Where they belong. */
const ALLOWED = /^db\/(?:kernel|migrations|[a-z]+\/across)\//

/** Files elsewhere that need them, and why. */
const REASONS: Readonly<Record<string, string>> = {
  'db/billing/events/judge-event.ts': 'takes part in the transaction of an event, whose tenant it finds',
  'db/ledger/audit/audit-key.ts': 'the keys of the ledger belong to no tenant',
  'db/ledger/audit/verify-audit.ts': 'a snapshot on a connection of its own, which enters the tenant',
}

const LAYERS = ['activities', 'api', 'cli', 'db', 'temporal', 'workers', 'workflows']

describe('statements on the rows of all tenants', () => {
  const found = LAYERS.flatMap((layer) =>
    readdirSync(layer, { recursive: true, encoding: 'utf8' }).map((path) => `${layer}/${path}`),
  ).filter((path) => path.endsWith('.ts') && !ALLOWED.test(path) && SEES_ALL.test(readFileSync(path, 'utf8')))

  it('stand in the folders named across, and elsewhere for a reason', () => {
    const unexplained = found.filter((path) => !(path in REASONS))
    expect(unexplained).to.deep.equal([])
  })

  it('have no reason that is not needed', () => {
    expect(Object.keys(REASONS).filter((path) => !found.includes(path))).to.deep.equal([])
  })
})
