import { expect } from 'chai'
import { unclaimedRequests } from '../../../activities/overview/housekeeping/unclaimed-requests.ts'
import { SPECIAL_SWEEPS, SWEEPS_OF_NO_TABLE } from '../../../activities/overview/housekeeping/special-sweeps.ts'
import { SWEEPS } from '../../../activities/overview/housekeeping/sweeps.ts'
import { DEFAULT_LIMITS } from '../../../core/limits.ts'
import { keptSince, TABLE_SWEEPS } from '../../../db/kernel/tables/sweeps.ts'
import type { AnyTable } from '../../../db/kernel/tables/define-table.ts'
import { TABLES } from '../../../db/schema.ts'

/** Parts of a key that grows with time or with each line. */
const GROWING = /^(?:day|hour|period|seq|ordinal|position)$/

/** Returns why rows of a table may pile up: they expire, they follow one another, or no deletion of a tenant removes them. */
function reasonToSweep({ meta, facts }: AnyTable): string | undefined {
  const columns = Object.entries(meta.properties).map(([name, column]) => ({
    name,
    column: column as { primary?: true },
  }))
  if (columns.some(({ name }) => name.startsWith('expire'))) return 'expires'
  if (columns.some(({ name, column }) => column.primary === true && GROWING.test(name))) return 'grows'
  return typeof facts.tenant === 'object' ? 'shared' : undefined
}

describe('sweeps of tables', () => {
  it('bound every table whose rows may pile up, or a reason says what does', () => {
    const unbound = (TABLES as readonly AnyTable[])
      .filter((table) => reasonToSweep(table) !== undefined && table.facts.sweeps === undefined)
      .map((table) => `${table.tableName} ${reasonToSweep(table)}`)
    expect(unbound).to.deep.equal([])
  })

  it('keep rows for a number of days or for those of a limit', () => {
    for (const sweep of TABLE_SWEEPS) {
      expect(keptSince(sweep, new Date(), DEFAULT_LIMITS).getTime(), sweep.name).to.be.at.most(Date.now())
    }
  })

  it('have a function where the fact calls them special, and nowhere else', () => {
    const special = TABLE_SWEEPS.filter(({ by }) => typeof by === 'object' && 'special' in by)
    expect(Object.keys(SPECIAL_SWEEPS)).to.have.members([...new Set(special.map(({ name }) => name))])
  })

  it('are one activity for each name, with one summary', () => {
    const names = [...new Set(TABLE_SWEEPS.map(({ name }) => name)), ...Object.keys(SWEEPS_OF_NO_TABLE)]
    // A report, which removes nothing.
    const report = unclaimedRequests.name
    expect(SWEEPS.map(({ name }) => name)).to.have.members([...names, report])
    for (const { name, summary } of TABLE_SWEEPS) {
      expect(SWEEPS.find((each) => each.name === name)?.summary).to.equal(summary)
    }
  })

  it('free space after the others have released it', () => {
    expect(SWEEPS.slice(-3).map(({ name }) => name)).to.deep.equal(['unfinishedUploads', 'orphanedBlobs', 'chunks'])
  })
})
