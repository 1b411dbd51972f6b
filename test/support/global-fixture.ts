import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endAbandonedStacks, TEST_DATA_DIR, TEST_DIR_PREFIX, TEST_OWNER } from './stack/stack.ts'
import { identifySelf } from '../../stack/process/process-identity.ts'
import { stopStack } from '../../stack/stack.ts'

/**
 * Names the folder of this run's stack. Nothing is started yet: the first test that asks for the stack starts it, so
 * that a run of pure unit tests pays nothing.
 */
export async function mochaGlobalSetup(): Promise<void> {
  await endAbandonedStacks()
  const folder = await mkdtemp(join(tmpdir(), TEST_DIR_PREFIX))
  // Root's Postgres runs as another user, who has to pass through.
  await chmod(folder, 0o711)
  process.env[TEST_DATA_DIR] = folder
  process.env[TEST_OWNER] = JSON.stringify(await identifySelf())
}

/** Stops the stack of this run, when a test has started it, and removes its folder. */
export async function mochaGlobalTeardown(): Promise<void> {
  const dataDir = process.env[TEST_DATA_DIR]
  if (dataDir === undefined) return
  await stopStack(dataDir, await identifySelf(), () => undefined)
  await rm(dataDir, { recursive: true, force: true })
}
