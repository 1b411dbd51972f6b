import { cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { withLock } from '../../../stack/process/lock.ts'
import { temporalLogger } from '../../../workers/runtime.ts'
import { loadWorkflowBundle } from '../../../workers/workflow-bundle.ts'
import { workerDataFolder } from '../stack/caches.ts'
import { testLog } from './quiet-runtime.ts'

let making: Promise<{ readonly code: string }> | undefined

/** The workflow code as one script. The first process of the run makes it, which takes 5 seconds; the others wait for it. */
export async function testBundle(): Promise<{ readonly code: string }> {
  making ??= makeBundle()
  return await making
}

async function makeBundle(): Promise<{ readonly code: string }> {
  const cacheDir = join(workerDataFolder(), 'cache')
  await mkdir(cacheDir, { recursive: true })
  const load = async () => await loadWorkflowBundle({ cacheDir, logger: temporalLogger(testLog()) })
  return await withLock(join(workerDataFolder(), 'bundle.lock'), load)
}

/** Puts the bundle where a worker with this data folder looks for it. */
export async function giveBundle(dataDir: string): Promise<void> {
  await testBundle()
  await cp(join(workerDataFolder(), 'cache'), join(dataDir, 'cache'), { recursive: true })
}
