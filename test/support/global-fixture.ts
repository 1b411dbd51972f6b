import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { atEnd } from '../runner/at-end.ts'
import { giveJobsMemory, keepMemoryFromChildren } from '../runner/job-memory.ts'
import { describeTimes, processorSeconds, readTimes, recordTime } from '../runner/times.ts'
import { endHosts, endSpareHosts, hostIds } from './cli/hosts.ts'
import { compileCacheFolder } from './stack/caches.ts'
import { fetchTemporal } from './stack/fetch-temporal.ts'
import { folderForRuns } from './stack/folders.ts'
import { endAbandonedStacks, TEST_DATA_DIR, TEST_DIR_PREFIX, TEST_OWNER } from './stack/stack.ts'
import { dropTemplate, nameTemplate } from './stack/template.ts'
import { identifySelf } from '../../stack/process/process-identity.ts'
import { stopStack } from '../../stack/stack.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** When the last file of this process ended; the first begins with the process. */
let lastEndMs = 0
let lastCpuSeconds = 0

/** Keeps settings of the process to itself, and records how long each file took. With several files in one process there is one time for all, which says nothing. */
export const mochaHooks = {
  beforeAll() {
    keepMemoryFromChildren()
  },
  async afterAll(this: Mocha.Context) {
    const files = new Set(this.test?.parent?.suites.map((suite) => suite.file))
    const [file] = files
    const dataDir = process.env[TEST_DATA_DIR]
    await endSpareHosts()
    const now = performance.now()
    const cpuSeconds = processorSeconds(hostIds())
    if (files.size === 1 && file !== undefined && dataDir !== undefined) {
      await recordTime(dataDir, { file, seconds: (now - lastEndMs) / 1000, cpuSeconds: cpuSeconds - lastCpuSeconds })
    }
    lastEndMs = now
    lastCpuSeconds = cpuSeconds
  },
}

/**
 * Names the folder of this run's stack. Nothing is started yet: the first test that asks for the stack starts it, so
 * that a run of pure unit tests pays nothing. A Temporal CLI that this machine lacks is fetched here, since its build
 * takes longer than the hook of a test may.
 */
export async function mochaGlobalSetup(): Promise<void> {
  await fetchTemporal()
  await endAbandonedStacks()
  const folder = await mkdtemp(join(await folderForRuns(), TEST_DIR_PREFIX))
  // Root's Postgres runs as another user, who has to pass through.
  await chmod(folder, 0o711)
  process.env[TEST_DATA_DIR] = folder
  process.env[TEST_OWNER] = JSON.stringify(await identifySelf())
  process.env['NODE_COMPILE_CACHE'] ??= compileCacheFolder()
  giveJobsMemory()
  nameTemplate()
}

/** Stops the stack of this run, when a test has started it, and removes its folder. */
export async function mochaGlobalTeardown(): Promise<void> {
  await endHosts()
  for (const end of atEnd) await end()
  const dataDir = process.env[TEST_DATA_DIR]
  if (dataDir === undefined) return
  const times = await readTimes(dataDir)
  if (times.length > 1) for (const line of describeTimes(times, ROOT)) process.stderr.write(`${line}\n`)
  if (process.env['DATABASE_URL'] !== undefined) await dropTemplate(process.env['DATABASE_URL'])
  await stopStack(dataDir, await identifySelf(), () => undefined)
  await rm(dataDir, { recursive: true, force: true })
}
