/**
 * Starts of workflows under kill -9: `npm run bench -- starts`, or `node bench/service/jobs/starts.ts [--starts 2000]
 * [--kills 16] [--seed 1]`. Half of the starts are exports (a family of kind `once`), half are mails of sign-ups (a family
 * of kind `wake`). Meanwhile worker, API, Temporal and Postgres are killed in turn. Limits: each export has one run in
 * Temporal and ends well, each mail reaches the mail server, and the outbox is empty in the end.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { openDatabase, type Database } from '../../../db/kernel/database.ts'
import { createTemporalClient } from '../../../temporal/client.ts'
import { sendSql } from '../../../test/support/db/send-sql.ts'
import { startMailServer } from '../../../test/support/mail/smtp.ts'
import { signUpClient } from '../../harness/client.ts'
import { callUntilAnswered, killInTurn, type JsonAnswer } from '../../harness/kill-in-turn.ts'
import { compileRecipe } from '../../harness/recipe.ts'
import { report, short } from '../../harness/report.ts'
import { RAISED_LIMITS, startBenchService } from '../../harness/service.ts'

const { values: options } = parseArgs({
  options: {
    starts: { type: 'string', default: '2000' },
    kills: { type: 'string', default: '16' },
    seed: { type: 'string', default: '1' },
  },
})
const EACH = Math.ceil(Number(options.starts) / 2)
const KILLS = Number(options.kills)
const CALLERS = 8
const LONGEST_MS = 20 * 60_000

const Concept = z.object({ versions: z.array(z.object({ artifact_id: z.string() })) })
const Accepted = z.object({ export_id: z.string() })

/** Rows of the two families that have no result yet, and rows of the outbox. */
interface Unfinished {
  readonly exports: number
  readonly mails: number
  readonly outbox: number
}

const mailServer = await startMailServer()
const service = await startBenchService({
  limits: {
    ...RAISED_LIMITS,
    unfinished_exports_per_tenant: 1e6,
    planning_calls_per_ip_minute: 1e6,
    stored_bytes_free: 1e12,
  },
  env: { SVC_SMTP_URL: mailServer.smtpUrl, SVC_MAIL_FROM: 'svc <svc@mail.example>' },
})
const client = await signUpClient(service.apiUrl)
const temporal = createTemporalClient({ address: service.temporalAddress, namespace: 'svc' })
const db = await openDatabase({ url: service.databaseUrl, poolSize: 2, masterKey: service.masterKey })
try {
  const concept = await client.call('GET', `/v1/concepts/${await compileRecipe(client)}`)
  const artifactId = Concept.parse(concept.body).versions[0]?.artifact_id
  if (artifactId === undefined) throw new Error('the compile has no artifact')

  const started = performance.now()
  const isLate = () => performance.now() - started > LONGEST_MS
  const killing = killInTurn(service, {
    kills: KILLS,
    seed: Number(options.seed),
    pauseMs: [2000, 8000],
    isOver: isLate,
  })
  const [exportIds] = await Promise.all([sendAll(async (n) => await startExport(artifactId, n)), sendAll(signUp)])
  console.log(`all calls answered after ${Math.round((performance.now() - started) / 1000)} s`)
  const kills = await killing
  const unfinished = await awaitEnd(isLate)
  const seconds = (performance.now() - started) / 1000

  const runs = await countRuns('export')
  const [rows] = await sendSql<{ ready: string; mails: string; sent: string }>(
    db,
    `select (select count(*) from exports where state = 'succeeded') ready, (select count(*) from mails) mails,
            (select count(*) from mails where state = 'sent') sent`,
  )
  const received = new Map<string, number>()
  for (const { messageId = '' } of mailServer.mails) received.set(messageId, (received.get(messageId) ?? 0) + 1)
  const mails = Number(rows?.mails)
  const verdicts = [
    { what: 'kill -9', value: kills, limit: KILLS },
    { what: 'exports accepted', value: new Set(exportIds).size, limit: EACH },
    { what: 'exports ready', value: Number(rows?.ready), limit: EACH },
    { what: 'exports with one run in Temporal', value: [...runs.values()].filter((n) => n === 1).length, limit: EACH },
    { what: 'mails sent', value: Number(rows?.sent), limit: mails },
    { what: 'mails received', value: received.size, limit: mails },
    { what: 'rows in the outbox', value: unfinished.outbox, limit: 0 },
  ]
  const twice = [...received.values()].filter((n) => n > 1).length
  await report('starts', [
    ...verdicts,
    // SMTP has no transaction: a kill between the server's answer and the row's change sends the mail again.
    { what: 'mails received again with the same Message-ID', value: twice, limit: '' },
    { what: 'seconds', value: short(seconds), limit: '' },
  ])
  if (verdicts.some(({ value, limit }) => value !== limit)) process.exitCode = 1
} finally {
  await db.close()
  await temporal.close()
  await client.close()
  await service.stop()
  await mailServer.close()
}

/** Makes `EACH` calls from `CALLERS` callers at once and returns their results. */
async function sendAll<T>(send: (number: number) => Promise<T>): Promise<readonly T[]> {
  const results: T[] = []
  let begun = 0
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      while (begun < EACH) results.push(await send(begun++))
    }),
  )
  return results
}

async function startExport(artifactId: string, number: number): Promise<string> {
  const headers = { 'x-api-key': client.key, 'idempotency-key': `start-${number}` }
  const answer = await call('/v1/exports', { artifact_id: artifactId }, headers, 202)
  return Accepted.parse(answer.body).export_id
}

/** A sign-up whose answer was lost is made again: each of the two has a mail of its own. */
async function signUp(number: number): Promise<void> {
  await call('/v1/signup', { email: `starts-${number}@example.com`, name: `Starts ${number}` }, {}, 201)
}

async function call(
  path: string,
  body: object,
  headers: Readonly<Record<string, string>>,
  status: number,
): Promise<JsonAnswer> {
  const answer = await callUntilAnswered(service.apiUrl, { method: 'POST', path, body, headers })
  if (answer.status !== status) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer
}

/** Waits until every export and mail is over and the outbox is empty. Returns what is unfinished when it gives up. */
async function awaitEnd(isLate: () => boolean): Promise<Unfinished> {
  for (;;) {
    try {
      const unfinished = await countUnfinished(db)
      if (unfinished.exports + unfinished.mails + unfinished.outbox === 0 || isLate()) return unfinished
    } catch (error) {
      // Postgres is being started again.
      if (!KERNEL_ERRORS.store_unavailable.matches(error) || isLate()) throw error
    }
    await sleep(1000)
  }
}

async function countUnfinished(database: Database): Promise<Unfinished> {
  const [counts] = await sendSql<{ exports: string; mails: string; outbox: string }>(
    database,
    `select (select count(*) from exports where finished_at is null) exports,
            (select count(*) from mails where state = 'queued') mails, (select count(*) from outbox) outbox`,
  )
  return { exports: Number(counts?.exports), mails: Number(counts?.mails), outbox: Number(counts?.outbox) }
}

/** Runs in Temporal by workflow id. */
async function countRuns(workflowType: string): Promise<ReadonlyMap<string, number>> {
  const runs = new Map<string, number>()
  for await (const { workflowId } of temporal.client.workflow.list({ query: `WorkflowType = '${workflowType}'` })) {
    runs.set(workflowId, (runs.get(workflowId) ?? 0) + 1)
  }
  return runs
}
