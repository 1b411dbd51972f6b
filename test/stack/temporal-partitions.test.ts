import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { Connection } from '@temporalio/client'
import { openTemporal } from '../../stack/temporal/managed.ts'
import { DEFAULT_CACHE_DIR } from '../../stack/temporal/binary.ts'
import { stopDevServer } from '../../stack/temporal/server.ts'

/** Starts the dev server of a folder, counts the partitions of a task queue, and stops it. */
async function countPartitions(dataDir: string): Promise<number> {
  const temporal = openTemporal({
    dataDir,
    isDurable: false,
    searchPath: process.env['PATH'] ?? '',
    cacheDir: DEFAULT_CACHE_DIR,
    canFetch: false,
    lastPort: undefined,
    lastUiPort: undefined,
    log: () => undefined,
  })
  const server = await temporal.start(undefined)
  try {
    const connection = await Connection.connect({ address: `127.0.0.1:${server.port}` })
    try {
      const { activityTaskQueuePartitions } = await connection.workflowService.listTaskQueuePartitions({
        namespace: 'default',
        taskQueue: { name: 'compile' },
      })
      return activityTaskQueuePartitions.length
    } finally {
      await connection.close()
    }
  } finally {
    await stopDevServer(server.process)
  }
}

describe('partitions of the task queues of a dev server', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-partitions-test-'))
  })
  after(async () => {
    await rm(folder, { recursive: true, force: true })
  })

  it('are one in a new folder, also after a restart, and four in a folder without a record of them', async () => {
    expect(await countPartitions(folder)).to.equal(1)
    expect(await countPartitions(folder)).to.equal(1)
    await rm(join(folder, 'temporal', 'partitions'))
    expect(await countPartitions(folder)).to.equal(4)
  })
})
