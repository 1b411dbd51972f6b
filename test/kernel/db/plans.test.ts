import { expect } from 'chai'
import { PLAN_IDS } from '../../../core/kernel/tenant/plans.ts'
import { sendSql } from '../../support/db/send-sql.ts'
import { useDatabase } from '../../support/stack/postgres.ts'

describe('the list of plans', () => {
  const test = useDatabase()

  it('is what every CHECK constraint of a plan allows', async () => {
    const checks = await sendSql<{ name: string; definition: string }>(
      test.db,
      `select c.conrelid::regclass || '.' || a.attname as name, pg_get_constraintdef(c.oid) as definition
       from pg_constraint c
       join pg_attribute a on a.attrelid = c.conrelid and a.attnum = any(c.conkey)
       where c.contype = 'c' and a.attname like '%plan'
       order by 1`,
    )
    const allowed = checks.map(({ name, definition }) => [
      name,
      [...definition.matchAll(/'(\w+)'/g)].map(([, id]) => id),
    ])
    expect(allowed).to.deep.equal(
      [
        'audit_checkpoints.plan',
        'checkout_sessions.plan',
        'subscriptions.plan',
        'tenants.granted_plan',
        'tenants.pending_plan',
        'tenants.plan',
      ].map((name) => [name, [...PLAN_IDS]]),
    )
  })

  it('has a CHECK constraint on every column of a plan', async () => {
    const open = await sendSql<{ name: string }>(
      test.db,
      `select a.attrelid::regclass || '.' || a.attname as name
       from pg_attribute a join pg_class t on t.oid = a.attrelid
       where t.relkind = 'r' and t.relnamespace = 'public'::regnamespace and a.attname like '%plan'
         and not exists (select 1 from pg_constraint c where c.conrelid = a.attrelid and c.contype = 'c' and a.attnum = any(c.conkey))`,
    )
    expect(open).to.deep.equal([])
  })
})
