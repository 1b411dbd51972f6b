import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { openDatabase } from '../../../db/kernel/database.ts'
import { enqueueMail } from '../../../db/accounts/mails/enqueue-mail.ts'
import { migrate } from '../../../db/migrations/migrate.ts'
import { startStack, type Stack } from '../../../stack/stack.ts'
import { startWorkerProcess } from '../../workers/worker-process.ts'
import { quickReconcile } from '../../support/workflows/quick-reconcile.ts'
import { mailsTo } from '../../support/mail/mails.ts'
import { writeAll } from '../../support/db/send-sql.ts'

describe('a Temporal that lost all its data', function () {
  this.timeout(300_000)
  let folder = ''
  let stack: Stack | undefined
  const closers: (() => Promise<unknown>)[] = []

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-emptied-'))
    stack = await startStack({ dataDir: folder, searchPath: process.env['PATH'] ?? '', log: () => undefined })
  })
  after(async () => {
    for (const close of closers.toReversed()) await close()
    await stack?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  it('is set up again by the workers, which then do what the rows say', async () => {
    if (stack === undefined) throw new Error('no stack')
    const { databaseUrl, temporalAddress, masterKey } = stack
    const db = await openDatabase({ url: databaseUrl, poolSize: 4, masterKey })
    db.pool.on('error', () => undefined)
    closers.push(() => db.close())
    await migrate(db)
    const worker = startWorkerProcess({
      DATABASE_URL: databaseUrl,
      TEMPORAL_ADDRESS: temporalAddress,
      SVC_TEMPORAL_CONFIG: await quickReconcile(folder),
      SVC_MASTER_KEY: masterKey.toString('hex'),
      SVC_COMPUTE_THREADS: '1',
    })
    closers.push(() => worker.end('SIGTERM'))
    await worker.ready

    const victim = stack.processes['temporal']
    if (victim === undefined) throw new Error('the stack did not start Temporal')
    process.kill(victim.pid, 'SIGKILL')
    for (const suffix of ['', '-wal', '-shm'])
      await rm(join(folder, 'temporal', `temporal.db${suffix}`), { force: true })
    while ((await stack.restartDead().catch(() => [])).length === 0) await sleep(200)

    // A mail whose workflow Temporal forgot, and nothing but the row tells of it. Without a mail server its workflow
    // ends it as failed.
    const to = 'lost@example.test'
    await writeAll(db, async (tx) => {
      const mailId = await enqueueMail(tx, db, {
        template: 'sign_in',
        to,
        tenantId: null,
        params: { workspace: 'w', link: 'https://x.test', expires_at: new Date(Date.now() + 3_600_000).toISOString() },
        now: new Date(Date.now() - 120_000),
      })
      await tx.query('delete from outbox where workflow_id = $1', [mailId])
    })
    const stateOf = async () => (await mailsTo(db, to)).map(({ state, errorCode }) => [state, errorCode])
    while ((await stateOf())[0]?.[0] === 'queued') {
      expect(worker.child.exitCode, worker.output()).to.equal(null)
      await sleep(200)
    }
    expect(await stateOf()).to.deep.equal([['failed', 'mail_not_configured']])
  })
})
