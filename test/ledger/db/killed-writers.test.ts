import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { streamAudit } from '../../../db/ledger/audit/list-audit.ts'
import { verifyAudit } from '../../../db/ledger/audit/verify-audit.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { givenTenant } from '../../support/db/given.ts'
import { sendSql } from '../../support/db/send-sql.ts'

const PROCESS = fileURLToPath(new URL('./writing-process.ts', import.meta.url))

describe('audit chain of processes that are killed', () => {
  const test = useDatabase()

  /** Starts a process that writes; answers, once it has written some, what ends it and what it said was written. */
  async function startWriting(tenantId: string, prefix: string) {
    const child = spawn(process.execPath, [PROCESS, test.url, test.masterKey.toString('hex'), tenantId, prefix], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const said: string[] = []
    const lines = createInterface({ input: child.stdout })
    await new Promise<void>((resolve, reject) => {
      child.once('exit', () => reject(new Error('the process ended by itself')))
      lines.on('line', (line) => {
        if (said.push(line) === 40) resolve()
      })
    })
    return {
      kill: async (): Promise<readonly string[]> => {
        const closed = once(child, 'close')
        child.kill('SIGKILL')
        await closed
        return said
      },
    }
  }

  /** The database may still be at a commit that a process was killed in. */
  async function untilIdle(): Promise<void> {
    for (let busy = 1; busy > 0;) {
      const rows = await sendSql(
        test.db,
        `select 1 from pg_stat_activity
         where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`,
      )
      busy = rows.length
    }
  }

  it('holds, with one line for each change that was committed and none for any other', async () => {
    const { op } = await givenTenant(test.db)
    const written: string[] = []
    for (let round = 0; round < 3; round++) {
      const writing = await Promise.all(
        ['a', 'b'].map(async (name) => await startWriting(op.tenantId, `${name}${round}`)),
      )
      for (const { kill } of writing) written.push(...(await kill()))
    }
    await untilIdle()
    const verified = await verifyAudit(op)
    expect(verified).to.include({ ok: true, broken_at: null })
    const told: unknown[] = []
    for await (const { action, payload } of streamAudit(op, {})) {
      if (action === 'next_action.snoozed') told.push(payload['dismiss_key'])
    }
    const changed = await sendSql<{ key: string }>(
      test.db,
      'select dismiss_key as key from snoozes where tenant_id = $1',
      [op.tenantId],
    )
    expect(told.length).to.equal(verified.total - 1)
    expect(new Set(told)).to.deep.equal(new Set(changed.map(({ key }) => key)))
    expect(told).to.have.length(changed.length)
    expect(told).to.include.members(written)
  }).timeout(120_000)
})
