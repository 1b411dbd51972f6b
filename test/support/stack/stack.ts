import { randomBytes } from 'node:crypto'
import { readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { endProcess, isAlive, listProcesses, identifyProcess } from '../../../stack/process/process-identity.ts'
import { startStack, type Stack } from '../../../stack/stack.ts'
import { foldersOfRuns } from './folders.ts'
import { databaseAt, onServer } from './template.ts'

/** Environment variables by which the run's main process tells its workers about the stack. */
export const TEST_DATA_DIR = 'SVC_TEST_DATA_DIR'
export const TEST_OWNER = 'SVC_TEST_OWNER'
export const TEST_DIR_PREFIX = 'svc-test-'

const Owner = z.object({ pid: z.int(), startedAt: z.string() })

/** The facts about the run's stack that a test needs. */
export interface TestStack {
  readonly databaseUrl: string
  readonly temporalAddress: string
  readonly masterKey: Buffer
}

let started: Promise<Stack> | undefined

/**
 * The Postgres and the Temporal of this test run: started by the first test that asks, shared by all test files in all
 * processes, stopped at the end of the run. Use a tenant of your own in it.
 */
export async function testStack(): Promise<TestStack> {
  started ??= startTestStack()
  return await started
}

/** The address of a new, empty database on the run's Postgres, for tests that need a whole one. */
export async function newDatabase(): Promise<string> {
  const { databaseUrl } = await testStack()
  const name = `test_${randomBytes(6).toString('hex')}`
  await onServer(databaseUrl, (client) => client.query(`create database ${name}`))
  return databaseAt(databaseUrl, name)
}

/**
 * Ends the stacks of runs that were killed before they could, and removes their folders, so that an interrupted run
 * leaves nothing behind for longer than until the next one.
 */
export async function endAbandonedStacks(): Promise<void> {
  for (const folder of await listRuns()) {
    const text = await readFile(join(folder, 'owner.json'), 'utf8').catch(() => undefined)
    if (text === undefined || (await isAlive(Owner.parse(JSON.parse(text))))) continue
    for (const { pid, command, folder: cwd } of await listProcesses()) {
      if (!command.includes(folder) && cwd?.startsWith(folder) !== true) continue
      const identity = await identifyProcess(pid)
      if (identity !== undefined) await endProcess(identity, [{ signal: 'SIGKILL', waitMs: 5000 }])
    }
    await rm(folder, { recursive: true, force: true })
  }
}

async function listRuns(): Promise<readonly string[]> {
  const lists = foldersOfRuns().map(async (parent) => {
    const names = await readdir(parent)
    return names.filter((each) => each.startsWith(TEST_DIR_PREFIX)).map((each) => join(parent, each))
  })
  return (await Promise.all(lists)).flat()
}

async function startTestStack(): Promise<Stack> {
  const dataDir = process.env[TEST_DATA_DIR]
  const owner = process.env[TEST_OWNER]
  if (dataDir === undefined || owner === undefined) {
    throw new Error('no test stack: run the tests with mocha and the .mocharc.json of the project')
  }
  await writeFile(join(dataDir, 'owner.json'), owner)
  return await startStack({
    dataDir,
    owner: Owner.parse(JSON.parse(owner)),
    searchPath: process.env['PATH'] ?? '',
    isDurable: false,
    log: (line) => process.stderr.write(`[stack] ${line}\n`),
  })
}
