import { readdir } from 'node:fs/promises'
import { Worker } from '@temporalio/worker'
import { expect } from 'chai'
import { FAMILIES } from '../../../core/workflows.ts'
import { testBundle } from '../../support/workflows/bundle.ts'
import { HISTORIES_DIR, loadHistory } from '../../support/workflows/histories.ts'

describe('replay of recorded histories', () => {
  it('finds a history of every workflow, and each replays under the code of today', async () => {
    const files = (await readdir(HISTORIES_DIR)).filter((name) => name.endsWith('.json'))
    const workflowBundle = await testBundle()
    const histories = await Promise.all(
      files.map(async (file) => ({ workflowId: file, history: await loadHistory(file) })),
    )
    const replays = Worker.runReplayHistories({ workflowBundle }, histories)
    for await (const { error, workflowId } of replays) expect(error, workflowId).to.equal(undefined)
    const replayed = new Set(files.map((file) => file.replace(/(-\w+)?\.json$/, '')))
    expect([...replayed]).to.have.members(FAMILIES.map(({ name }) => name))
  })
})
