import type { ManagedServer, RunningServer, ServerOrigin } from './managed-server.ts'
import { stopPostmaster } from './postgres/server.ts'
import { isAlive, isSameProcess, type ProcessIdentity } from './process/process-identity.ts'
import { readRecord, writeRecord, type ServerRecord, type StackRecord } from './record.ts'
import { stopDevServer } from './temporal/server.ts'

/** A running server and its owner. */
export interface Custody {
  readonly server: RunningServer
  readonly origin: Exclude<ServerOrigin, 'given'>
  readonly owner: ProcessIdentity
}

/**
 * Finds a server, or starts it. One that runs without a living owner becomes this owner's; one that runs and does not
 * answer is started again. Call it under the stack's lock.
 */
export async function acquireServer(
  server: ManagedServer,
  recorded: ServerRecord | undefined,
  owner: ProcessIdentity,
  options: { readonly port?: number; readonly log: (line: string) => void; readonly stop: StopServer },
): Promise<Custody> {
  const running = await server.find()
  if (running !== undefined) {
    if (await server.answers(running.port)) {
      const isRecorded = recorded !== undefined && isSameProcess(recorded.process, running.process)
      if (isRecorded && (await isAlive(recorded.owner))) {
        const origin = isSameProcess(recorded.owner, owner) ? 'started' : 'found'
        return { server: running, origin, owner: recorded.owner }
      }
      return { server: running, origin: 'taken-over', owner }
    }
    options.log(`${server.name} runs (process ${running.process.pid}) and does not answer: starting it again`)
    await options.stop(running.process)
  }
  return { server: await server.start(options.port), origin: 'started', owner }
}

/** Stops a server. */
export type StopServer = (server: ProcessIdentity) => Promise<void>

/** Functions that stop the servers of a stack, in the order in which they are called. */
export const STOP_SERVER = { temporal: stopDevServer, postgres: stopPostmaster } as const satisfies Record<
  ManagedServer['name'],
  StopServer
>

/** Ends every server of a data folder that belongs to an owner. Call it under the stack's lock. */
export async function releaseServers(dataDir: string, owner: ProcessIdentity): Promise<void> {
  let record = await readRecord(dataDir)
  for (const name of ['temporal', 'postgres'] as const) {
    const recorded = record[name]
    if (recorded === undefined || !isSameProcess(recorded.owner, owner)) continue
    await STOP_SERVER[name](recorded.process)
    const { [name]: _stopped, ...rest } = record
    record = rest
    await writeRecord(dataDir, record)
  }
}

/** The record with a server's custody in it. */
export function withCustody(record: StackRecord, name: ManagedServer['name'], custody: Custody): StackRecord {
  const { process, port, uiPort } = custody.server
  const ports = { ...record.ports, [name]: port, ...(uiPort !== undefined && { [`${name}-ui`]: uiPort }) }
  return { ...record, [name]: { process, port, owner: custody.owner }, ports }
}
