import { expect } from 'chai'
import { commitCaptures } from '../../../db/gateway/across/commit-captures.ts'
import { makeMonths } from '../../../db/gateway/across/capture-months.ts'
import { indexCaptureTexts } from '../../../db/gateway/across/keep-captures.ts'
import { removeMonths } from '../../../db/gateway/across/remove-months.ts'
import { scanNewCaptures } from '../../../db/gateway/across/scan-copyright.ts'
import { forgetCaptures } from '../../../db/gateway/captures/forget/forget-captures.ts'
import { getCapture } from '../../../db/gateway/captures/get-capture.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { captureLearners } from '../../../db/learn/datasets/forget/flag-datasets.ts'
import { loadSigningKeys } from '../../../db/ledger/across/signing-keys.ts'
import { aCapture } from '../../support/db/given-captures.ts'
import { givenTenant } from '../../support/db/given.ts'
import { sendSql } from '../../support/db/send-sql.ts'
import { holdRow } from '../../support/stack/held-row.ts'
import { useDatabase } from '../../support/stack/postgres.ts'

const HEAD = 'select 1 from capture_heads where tenant_id = $1'

describe('work on stored captures that waits for the end of the tenant', () => {
  const database = useDatabase()
  const { signal } = new AbortController()

  const given = async (at = new Date()) => {
    const { op } = await givenTenant(database.db)
    const { current: signer } = await loadSigningKeys(database.db)
    const capture = aCapture(op.tenantId, { at })
    await commitCaptures(database.db, signer, [{ capture, blobSha256: null, bytes: 7 }], at)
    const forget = async () =>
      await forgetCaptures(op, {
        ids: [capture.facts.id],
        reason: 'user_request',
        signer,
        learners: captureLearners,
      })
    return { op, signer, id: capture.facts.id, forget }
  }
  /** The tables of a capture whose rows are free, while `work` waits for the end of the tenant. */
  const freeBeside = async (
    { op, id }: { readonly op: Operation; readonly id: string },
    work: () => Promise<unknown>,
  ) => {
    const held = await holdRow(database.db, HEAD, [op.tenantId])
    const working = work()
    const free: string[] = []
    try {
      await held.untilWaiting(1)
      for (const table of ['captures', 'capture_contents']) {
        const rows = await sendSql(database.db, `select 1 from ${table} where id = $1 for update skip locked`, [id])
        if (rows.length > 0) free.push(table)
      }
    } finally {
      await held.release()
    }
    await working
    return free
  }

  it('locks no capture before it, as commits and merges do', async () => {
    const captured = await given()
    const index = async () => await indexCaptureTexts(database.db, signal)
    expect(await freeBeside(captured, index), 'index').to.deep.equal(['captures', 'capture_contents'])
    const scan = async () => await scanNewCaptures(database.db, new Date(), signal)
    expect(await freeBeside(captured, scan), 'scan').to.deep.equal(['captures', 'capture_contents'])
    expect(await freeBeside(captured, captured.forget), 'forget').to.deep.equal(['captures', 'capture_contents'])
    const { content } = await getCapture(captured.op, captured.id)
    expect(content).to.equal(null)
  })

  it('keeps a month from being removed while some of it is forgotten', async () => {
    const now = new Date()
    const old = new Date(Date.UTC(now.getUTCFullYear() - 1, now.getUTCMonth(), 15))
    await makeMonths(database.db, old)
    await makeMonths(database.db, now)
    const { op, id, signer, forget } = await given(old)
    const recent = aCapture(op.tenantId, { at: now })
    await commitCaptures(database.db, signer, [{ capture: recent, blobSha256: null, bytes: 7 }], now)
    const held = await holdRow(database.db, 'select 1 from capture_contents where id = $1', [id])
    const forgetting = forget()
    await held.untilWaiting(1)
    const removal = removeMonths(database.db, { now, keptDays: 30, signer, signal })
    await held.untilWaiting(2)
    await held.release()
    expect((await forgetting).updated).to.deep.equal([id])
    await removal
    const [head] = await sendSql(database.db, 'select inline_bytes from capture_heads where tenant_id = $1', [
      op.tenantId,
    ])
    expect(head).to.deep.equal({ inline_bytes: 7 })
  })
})
