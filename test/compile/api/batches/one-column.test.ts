import { expect } from 'chai'
import { givenApiTenant, NO_TEMPORAL, useApi } from '../../../support/api.ts'
import { givenProgramVersion } from '../../../support/archives/signed-artifacts.ts'
import { setUpOperation } from '../../../support/people/given-members.ts'
import { useDatabase } from '../../../support/stack/postgres.ts'
import { linesOf, runFile } from '../../../support/wire/batches.ts'

describe('a batch of a file of one column', () => {
  const database = useDatabase()
  const api = useApi({ stores: () => ({ database, temporal: NO_TEMPORAL }) })

  it('reads a file of one column whose texts and amounts have commas', async () => {
    const tenant = await givenApiTenant(api)
    const { conceptId } = await givenProgramVersion(
      setUpOperation(database.db, tenant.id),
      api.server.services.signingKeys.current,
    )
    const run = async (file: { name: string; bytes: string }) =>
      await runFile(api.url, { key: tenant.key, headers: {} }, file, { concept_id: conceptId, format: 'jsonl' })
    const answersOf = async (bytes: string) =>
      linesOf(await run({ name: 'in.csv', bytes })).flatMap(({ row, output }) => (row === undefined ? [] : [output]))
    expect(await answersOf('input\nhello you\nHi, where is it\nlate again\n')).to.deep.equal([
      'HELLO YOU',
      'HI, WHERE IS IT',
      'LATE AGAIN',
    ])
    expect(await answersOf('input\n1.308,48 eur\n741,40 eur\n5 eur\n')).to.deep.equal([
      '1.308,48 EUR',
      '741,40 EUR',
      '5 EUR',
    ])
  })
})
