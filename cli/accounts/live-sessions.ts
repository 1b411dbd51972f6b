import { ListSessionsAnswer, RevokeSessionAnswer } from '../../core/accounts/wire/identity/session-list.ts'
import type { CliContext } from '../context.ts'
import { formatTable, formatTime, plainText } from '../terminal/table.ts'

/** `svc sessions list`. */
export async function listSessions(context: CliContext): Promise<void> {
  const client = await context.client()
  const answer = await client.call('/v1/account/sessions', ListSessionsAnswer)
  context.output.result(answer, () =>
    answer.sessions.length === 0
      ? 'no browser is signed in'
      : formatTable(
          ['session', 'by', 'last used', 'ends', 'address', 'browser'],
          answer.sessions.map((session) => [
            session.id,
            session.auth_method,
            formatTime(session.last_seen_at),
            formatTime(session.expires_at),
            session.ip ?? '',
            plainText(session.user_agent ?? ''),
          ]),
        ),
  )
}

/** Ends every session, continuing after failures, and prints which ones ended; then throws the first failure. */
export async function endSessions(context: CliContext, ids: readonly string[]): Promise<void> {
  const client = await context.client()
  const ended: string[] = []
  const failures: unknown[] = []
  for (const id of ids) {
    try {
      await client.call(`/v1/account/sessions/${encodeURIComponent(id)}`, RevokeSessionAnswer, { method: 'DELETE' })
      ended.push(id)
    } catch (error) {
      failures.push(error)
    }
  }
  if (ended.length > 0) context.output.result({ ended }, () => ended.map((id) => `${id} has ended`).join('\n'))
  if (failures.length > 0) throw failures[0]
}
