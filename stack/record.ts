import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { errorCode } from './process/process-identity.ts'

const Identity = z.object({ pid: z.int().positive(), startedAt: z.string() })

const Server = z.object({
  process: Identity,
  port: z.int(),
  /** The process that stops it. */
  owner: Identity,
})

const StackRecordSchema = z.object({
  postgres: Server.optional(),
  temporal: Server.optional(),
  /** Ports of earlier starts, used again when they are free. */
  ports: z.record(z.string(), z.int()).default({}),
})

/** A server of the stack, as it is remembered between starts. */
export type ServerRecord = z.infer<typeof Server>
/** The record of a folder's stack: running servers, their owners, and ports. */
export type StackRecord = z.infer<typeof StackRecordSchema>

/** The record of a data folder; an absent or unreadable one is an empty one. */
export async function readRecord(dataDir: string): Promise<StackRecord> {
  try {
    const parsed = StackRecordSchema.safeParse(JSON.parse(await readFile(recordPath(dataDir), 'utf8')))
    return parsed.success ? parsed.data : { ports: {} }
  } catch (error) {
    // A half-written record cannot be (it is renamed into place), yet a full disk may leave an empty one.
    if (errorCode(error) === 'ENOENT' || error instanceof SyntaxError) return { ports: {} }
    throw error
  }
}

/** Replaces the record in one step. */
export async function writeRecord(dataDir: string, record: StackRecord): Promise<void> {
  const draft = `${recordPath(dataDir)}.${process.pid}`
  await writeFile(draft, `${JSON.stringify(record, undefined, 2)}\n`, { mode: 0o600 })
  await rename(draft, recordPath(dataDir))
}

function recordPath(dataDir: string): string {
  return join(dataDir, 'stack.json')
}
