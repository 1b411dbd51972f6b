import { cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { withLock } from '../../../stack/process/lock.ts'
import { temporalLogger } from '../../../workers/runtime.ts'
import { loadWorkflowBundle } from '../../../workers/workflow-bundle.ts'
import { workerDataFolder } from '../stack/caches.ts'
import { testLog } from './quiet-runtime.ts'

const making = new Map<string | undefined, Promise<{ readonly code: string }>>()

/**
 * The workflow code as one script, with this failure converter. The first process of the run makes it, which takes 5 seconds;
 * the others wait for it.
 */
export async function testBundle(failureConverterPath?: string): Promise<{ readonly code: string }> {
  const made = making.get(failureConverterPath) ?? makeBundle(failureConverterPath)
  making.set(failureConverterPath, made)
  return await made
}

async function makeBundle(failureConverterPath: string | undefined): Promise<{ readonly code: string }> {
  const cacheDir = join(workerDataFolder(), 'cache')
  await mkdir(cacheDir, { recursive: true })
  const logger = temporalLogger(testLog())
  const load = async () => await loadWorkflowBundle({ cacheDir, failureConverterPath, logger })
  return await withLock(join(workerDataFolder(), 'bundle.lock'), load)
}

/** Puts the bundle where a worker with this data folder looks for it. */
export async function giveBundle(dataDir: string): Promise<void> {
  await testBundle()
  await cp(join(workerDataFolder(), 'cache'), join(dataDir, 'cache'), { recursive: true })
}
