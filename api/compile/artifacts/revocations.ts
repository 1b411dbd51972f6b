import { listTime, revocationList } from '../../../core/compile/artifacts/life/revocation-list.ts'
import { RevocationList, type Revocation } from '../../../core/compile/wire/artifacts/revocations.ts'
import { sha256 } from '../../../core/kernel/json/json.ts'
import { listRevocations } from '../../../db/compile/across/list-revocations.ts'
import type { Database } from '../../../db/kernel/database.ts'
import { DOCUMENTS } from '../../kernel/guard/public-limits.ts'
import { rawAnswer, rawDocument } from '../../kernel/reply/answers.ts'
import { defineRoute, type CompileServices } from '../services.ts'

/** A list as it was answered. */
interface AnsweredList {
  readonly revoked: readonly Revocation[]
  readonly time: string
  readonly text: string
}

/** Entries never change, so a process reads only those behind the last one that it knows. */
const known = new WeakMap<Database, AnsweredList>()

async function currentText({ db, signingKeys, now }: Pick<CompileServices, 'db' | 'signingKeys' | 'now'>) {
  const before = known.get(db)
  const revoked = before?.revoked ?? []
  const added = await listRevocations(db, { after: revoked.length })
  const at = now()
  const time = listTime(at)
  if (before !== undefined && added.length === 0 && before.time === time) return before.text
  const all = [...revoked, ...added]
  const text = JSON.stringify(revocationList(all, signingKeys.current, at))
  known.set(db, { revoked: all, time, text })
  return text
}

export const getRevocationsRoute = defineRoute({
  method: 'get',
  path: '/v1/revocations',
  operationId: 'getRevocations',
  group: 'artifacts',
  summary: 'Get the signed list of revoked artifacts',
  description:
    'The document `svc-revocations-1`, signed by the current key of `/.well-known/jwks.json`: `svc verify --revocations FILE` ' +
    'checks it without the service. Entries name archives by digests, and no account. `If-None-Match` with the ETag of the ' +
    'last list answers 304.',
  auth: 'public',
  scope: undefined,
  limit: DOCUMENTS,
  answers: {
    200: rawDocument('The list, in the order of its numbers', RevocationList),
    304: rawAnswer('Nothing changed', 'application/json; charset=utf-8'),
  },
}).handle(async ({ services, request }) => {
  const text = await currentText(services)
  const headers = { ETag: `"${sha256(text)}"`, 'Cache-Control': 'public, max-age=60' }
  if (request.headers['if-none-match'] === headers.ETag) return { status: 304, raw: { kind: 'empty' }, headers }
  return { status: 200, raw: { kind: 'bytes', bytes: text }, headers }
})
