import { expect } from 'chai'
import { migrate } from '../../../db/migrations/migrate.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { sendSql } from '../../support/db/send-sql.ts'
import { schemaDifference } from './schema-difference.ts'

describe('schema', () => {
  const test = useDatabase()

  it('is the same by the migrations and by the entities', async () => {
    expect(await schemaDifference(test.url)).to.equal('')
  })

  it('is migrated once, however many processes start at once', async () => {
    expect(await Promise.all([migrate(test.db), migrate(test.db), migrate(test.db)])).to.deep.equal([[], [], []])
  })

  it('waits for the migration of another process for as long as that takes', async () => {
    const other = await test.db.pool.connect()
    try {
      await other.query('select pg_advisory_lock(7237001)')
      await other.query(
        `do $$ begin execute format('alter database %I set statement_timeout = 100', current_database()); end $$`,
      )
      const waiting = migrate(test.db)
      await other.query('select pg_sleep(0.3)')
      await other.query('select pg_advisory_unlock(7237001)')
      expect(await waiting).to.deep.equal([])
    } finally {
      await other.query(
        `do $$ begin execute format('alter database %I reset statement_timeout', current_database()); end $$`,
      )
      other.release()
    }
  })

  it('has an index that begins with the columns of each foreign key that names a tenant, a member, a team, a job, a concept or a blob', async () => {
    const missing = await sendSql<{ column: string }>(
      test.db,
      `select c.conrelid::regclass || '.' || a.attname as column
       from pg_constraint c
       join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
       where c.contype = 'f' and a.attname in ('tenant_id', 'member_id', 'team_id', 'source_key_id', 'job_id', 'concept_id', 'dataset_sha256', 'blob_sha256', 'archive_sha256')
         and not exists (select 1 from pg_index i where i.indrelid = c.conrelid and i.indkey[0] = c.conkey[1])
       order by 1`,
    )
    expect(missing.map((row) => row.column)).to.deep.equal([])
  })
})
