import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Worker } from '@temporalio/worker'
import { expect } from 'chai'
import { FAMILIES } from '../../core/workflows.ts'
import { loadWorkflowBundle } from '../../workers/workflow-bundle.ts'
import { temporalLogger } from '../../workers/runtime.ts'
import { testLog } from '../support/workflows/quiet-runtime.ts'
import { HISTORIES_DIR, loadHistory } from '../support/workflows/histories.ts'
import { workerDataFolder } from '../support/stack/caches.ts'

describe('replay of recorded histories', () => {
  it('finds a history of every workflow, and each replays under the code of today', async () => {
    const files = (await readdir(HISTORIES_DIR)).filter((name) => name.endsWith('.json'))
    const workflowBundle = await loadWorkflowBundle({
      cacheDir: join(workerDataFolder(), 'cache'),
      logger: temporalLogger(testLog()),
    })
    const histories = await Promise.all(
      files.map(async (file) => ({ workflowId: file, history: await loadHistory(file) })),
    )
    const replays = Worker.runReplayHistories({ workflowBundle }, histories)
    for await (const { error, workflowId } of replays) expect(error, workflowId).to.equal(undefined)
    const replayed = new Set(files.map((file) => file.replace(/(-\w+)?\.json$/, '')))
    expect([...replayed]).to.have.members(FAMILIES.map(({ name }) => name))
  })
})
