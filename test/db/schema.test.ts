import { expect } from 'chai'
import { migrate } from '../../db/migrations.ts'
import { useDatabase } from '../support/postgres.ts'

describe('schema', () => {
  const test = useDatabase()

  it('is the same by the migrations and by the entities', async () => {
    expect(await test.db.orm.schema.getUpdateSchemaSQL({ wrap: false })).to.equal('')
  })

  it('is migrated once, however many processes start at once', async () => {
    expect(await Promise.all([migrate(test.db), migrate(test.db), migrate(test.db)])).to.deep.equal([[], [], []])
  })

  it('has an index that begins with the columns of each foreign key that names a tenant, a job, a concept or a blob', async () => {
    const missing = await test.db.query<{ column: string }>(
      `select c.conrelid::regclass || '.' || a.attname as column
       from pg_constraint c
       join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
       where c.contype = 'f' and a.attname in ('tenant_id', 'job_id', 'concept_id', 'dataset_sha256', 'blob_sha256', 'archive_sha256')
         and not exists (select 1 from pg_index i where i.indrelid = c.conrelid and i.indkey[0] = c.conkey[1])
       order by 1`,
    )
    expect(missing.map((row) => row.column)).to.deep.equal(['outbox.tenant_id'])
  })
})
