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
    const run = async (bytes: string, format: 'jsonl' | 'csv') =>
      await runFile(
        api.url,
        { key: tenant.key, headers: {} },
        { name: 'in.csv', bytes },
        { concept_id: conceptId, format },
      )
    const answersOf = async (bytes: string) =>
      linesOf(await run(bytes, 'jsonl')).flatMap(({ row, output }) => (row === undefined ? [] : [output]))
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
    const [header, first] = (await run('input\n12,5 eur\n7,1 eur\n', 'csv')).text.split('\r\n')
    expect(header).to.match(/^input,row,output,/)
    expect(first).to.match(/^"12,5 eur",1,"12,5 EUR",/)
  })
})
