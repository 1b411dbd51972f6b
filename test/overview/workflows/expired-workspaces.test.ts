import { expect } from 'chai'
import { DEFAULT_LIMITS } from '../../../core/limits.ts'
import { expireWorkspaces } from '../../../db/overview/across/deletion/expire-workspaces.ts'
import { requestPurges } from '../../../db/overview/across/deletion/request-purges.ts'
import { sendSql } from '../../support/db/send-sql.ts'
import { useDatabase } from '../../support/stack/postgres.ts'

const DAY_MS = 86_400_000

describe('expired workspaces and accounts past their grace period', function () {
  this.timeout(180_000)
  const test = useDatabase()
  const now = new Date()

  /** More tenants than one transaction handles. */
  async function givenTenants(kind: 'anonymous' | 'user', dates: { readonly expires?: Date; readonly deleted?: Date }) {
    await sendSql(
      test.db,
      `with made as (
         insert into tenants (id, name, kind, plan, is_email_verified, created_at, expires_at, deleted_at)
         select 'ten_' || $1 || n, $1 || n, $1, 'free', false, now(), $2, $3 from generate_series(1, 230) n returning id
       )
       insert into audit_heads (tenant_id, seq, hash) select id, 0, '' from made`,
      [kind, dates.expires ?? null, dates.deleted ?? null],
    )
  }

  it('are all handled by one sweep, once, and by none that has no time left', async () => {
    await givenTenants('anonymous', { expires: new Date(now.getTime() - DAY_MS) })
    expect(await expireWorkspaces(test.db, now, AbortSignal.abort())).to.equal(0)
    expect(await expireWorkspaces(test.db, now)).to.equal(230)
    expect(await expireWorkspaces(test.db, now)).to.equal(0)

    const deleted = new Date(now.getTime() - (DEFAULT_LIMITS.deleted_tenant_days + 1) * DAY_MS)
    await givenTenants('user', { deleted })
    expect(await requestPurges(test.db, { limits: DEFAULT_LIMITS, now })).to.equal(230)
    expect(await requestPurges(test.db, { limits: DEFAULT_LIMITS, now })).to.equal(0)
  })
})
