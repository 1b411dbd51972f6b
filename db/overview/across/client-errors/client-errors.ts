import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Limits } from '../../../../core/overview/limits.ts'
import type { ReportedError } from '../../../../core/overview/reports/client-error.ts'
import type { Database } from '../../../kernel/database.ts'
import { service } from '../../../kernel/queries/service.ts'

const WHY = 'errors of browsers belong to no tenant'

/**
 * Stores a redacted error of a browser: one row for equal ones of a day (UTC), with their number. Beyond
 * `client_errors_per_day` different ones a day, new ones are dropped.
 */
export async function recordClientError(
  db: Database,
  { report, now, limits }: { readonly report: ReportedError; readonly now: Date; readonly limits: Limits },
): Promise<void> {
  const { message, source, line, col, stack, path, agent } = report
  const day = now.toISOString().slice(0, 10)
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([message, source, line, col]))
    .digest()
  await service.write(db, WHY, async (tx) => {
    const known = await tx.q
      .updateTable('client_errors')
      .set((of) => ({ reports: of('reports', '+', 1), last_at: now }))
      .where('day', '=', day)
      .where('fingerprint', '=', fingerprint)
      .returning('day')
      .execute()
    if (known.length > 0) return
    const [kept] = await tx.q
      .selectFrom('client_errors')
      .select((of) => of.fn.countAll<number>().as('rows'))
      .where('day', '=', day)
      .execute()
    if ((kept?.rows ?? 0) >= limits.client_errors_per_day) return
    const row = { message, source, line, col, stack, path, agent }
    await tx.q
      .insertInto('client_errors')
      .values({ day, fingerprint, ...row, reports: 1, first_at: now, last_at: now })
      // Another process may have stored it meanwhile.
      .onConflict((on) =>
        on
          .columns(['day', 'fingerprint'])
          .doUpdateSet({ reports: sql<number>`client_errors.reports + 1`, last_at: now }),
      )
      .execute()
  })
}

/** Lists the errors that browsers reported last. */
export async function listClientErrors(db: Database, limit: number) {
  return await service.read(db, WHY, (q) =>
    q
      .selectFrom('client_errors')
      .select(['day', 'message', 'source', 'line', 'col', 'stack', 'path', 'agent', 'reports'])
      .select(['first_at as firstAt', 'last_at as lastAt'])
      .orderBy('last_at', 'desc')
      .limit(limit),
  )
}
