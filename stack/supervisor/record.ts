import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { endProcess, errorCode, isAlive, type ProcessIdentity } from '../process/process-identity.ts'

const Identity = z.object({ pid: z.int().positive(), startedAt: z.string() })

const ServicesRecordSchema = z.object({
  owner: Identity,
  apiUrl: z.url(),
  temporalUiUrl: z.string().optional(),
  processes: z.record(z.string(), Identity),
})

/** The service that a checkout runs: who supervises it, where it listens, and its processes. */
export type ServicesRecord = z.infer<typeof ServicesRecordSchema>

/** The service that runs on a data folder now, or undefined when none does. */
export async function findServices(dataDir: string): Promise<ServicesRecord | undefined> {
  const record = await readServices(dataDir)
  return record !== undefined && (await isAlive(record.owner)) ? record : undefined
}

/** Ends the running processes of a killed supervisor, since they would hold the port and do the work twice. */
export async function endOrphanedServices(dataDir: string, log: (line: string) => void): Promise<void> {
  const record = await readServices(dataDir)
  if (record === undefined || (await isAlive(record.owner))) return
  for (const [name, identity] of Object.entries(record.processes)) {
    if (!(await isAlive(identity))) continue
    log(`ending the ${name} of an earlier start`)
    await endProcess(identity, [
      { signal: 'SIGTERM', waitMs: 15_000 },
      { signal: 'SIGKILL', waitMs: 5000 },
    ])
  }
}

/** Replaces the record in one step. */
export async function writeServices(dataDir: string, record: ServicesRecord): Promise<void> {
  const draft = `${recordPath(dataDir)}.${process.pid}`
  await writeFile(draft, `${JSON.stringify(record, undefined, 2)}\n`, { mode: 0o600 })
  await rename(draft, recordPath(dataDir))
}

/** Forgets the service of an owner. */
export async function removeServices(dataDir: string, owner: ProcessIdentity): Promise<void> {
  const record = await readServices(dataDir)
  if (record?.owner.pid === owner.pid && record.owner.startedAt === owner.startedAt) await rm(recordPath(dataDir))
}

async function readServices(dataDir: string): Promise<ServicesRecord | undefined> {
  try {
    return ServicesRecordSchema.safeParse(JSON.parse(await readFile(recordPath(dataDir), 'utf8'))).data
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || error instanceof SyntaxError) return undefined
    throw error
  }
}

function recordPath(dataDir: string): string {
  return join(dataDir, 'services.json')
}
