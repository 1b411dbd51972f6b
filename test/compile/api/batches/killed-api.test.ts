import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { expect } from 'chai'
import { leafOfLine } from '../../../../core/compile/runtime/batch/render-rows.ts'
import { MerkleFrontier } from '../../../../core/ledger/merkle/frontier.ts'
import { loadSigningKeys } from '../../../../db/ledger/across/signing-keys.ts'
import { call, givenApiTenant, NO_TEMPORAL } from '../../../support/api.ts'
import { givenProgramVersion } from '../../../support/archives/signed-artifacts.ts'
import { sendSql } from '../../../support/db/send-sql.ts'
import { setUpOperation } from '../../../support/people/given-members.ts'
import { startApiProcess } from '../../../support/stack/api-process.ts'
import { useDatabase } from '../../../support/stack/postgres.ts'
import { batchForm, linesOf, runFile } from '../../../support/wire/batches.ts'

const ROWS = 30_000
const FILE = { name: 'in.jsonl', bytes: Array.from({ length: ROWS }, (_, i) => `"number ${i + 1}"`).join('\n') }

describe('a batch whose API process is killed', () => {
  const database = useDatabase()
  const start = async () =>
    await startApiProcess({
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: NO_TEMPORAL.address,
      SVC_MASTER_KEY: database.masterKey.toString('hex'),
      SVC_LIMITS: JSON.stringify({ quota_free: 1_000_000, signups_per_ip_day: 100 }),
    })

  it('is continued by another without a lost or repeated row or charge', async () => {
    const first = await start()
    const tenant = await givenApiTenant({ call: async (...args) => await call(first.url, ...args) })
    const signer = (await loadSigningKeys(database.db)).current
    const { conceptId } = await givenProgramVersion(setUpOperation(database.db, tenant.id), signer)
    const [given] = await sendSql<{ used: string }>(database.db, 'select sum(used_units) as used from quota_periods')
    const headers = { 'x-api-key': tenant.key, 'idempotency-key': 'killed' }
    const response = await fetch(`${first.url}/v1/run/batch`, {
      method: 'POST',
      headers,
      body: batchForm(FILE, { concept_id: conceptId }),
    })
    const lines: string[] = []
    try {
      for await (const line of createInterface({ input: Readable.from(response.body ?? []) })) {
        if (lines.push(line) === 2000) first.child.kill('SIGKILL')
      }
    } catch {
      // The connection ended with the process.
    }
    // The last line may be cut off; it is asked for again.
    const seen = lines.slice(0, -1)
    expect(seen.length).to.be.within(1999, ROWS - 1)
    const second = await start()
    try {
      const file = { concept_id: conceptId, from_row: seen.length + 1 }
      const rest = linesOf(await runFile(second.url, { key: tenant.key, headers }, FILE, file))
      const rows = [...seen.map((line) => JSON.parse(line)), ...rest.slice(0, -1)]
      expect(rows.map(({ row }) => row)).to.deep.equal(Array.from({ length: ROWS }, (_, i) => i + 1))
      expect(rows.every(({ row, output }) => output === `NUMBER ${row}`)).to.equal(true)
      const { batch } = rest.at(-1)
      expect(batch).to.include({ state: 'done', answered: ROWS, units: ROWS })
      const tree = new MerkleFrontier()
      for (const row of rows) tree.append(leafOfLine(row))
      expect(batch.receipt.root_hash).to.equal(tree.root())
      const [used] = await sendSql<{ used: string }>(database.db, 'select sum(used_units) as used from quota_periods')
      expect(Number(used?.used) - Number(given?.used)).to.equal(ROWS)
      const [counted] = await sendSql<{ n: string }>(
        database.db,
        `select quantity as n from usage_days where unit = 'quota_units' and quantity >= $1`,
        [ROWS],
      )
      expect(Number(counted?.n)).to.equal(ROWS)
    } finally {
      await second.stop()
    }
  })
})
