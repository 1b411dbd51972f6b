import { findFreePort } from '../process/ports.ts'
import type { ManagedServer } from '../managed-server.ts'
import { StackError } from '../stack-error.ts'
import { findPostgresAccount } from './account.ts'
import { keepCluster, type Cluster } from './cluster.ts'
import { findPostgresPlace } from './place.ts'
import { findPostmaster, startPostmaster, stopPostmaster, waitForPostgres } from './server.ts'

const PORT_ATTEMPTS = 5
/** A server that was found may still be recovering from a crash. */
const FOUND_TIMEOUT_MS = 60_000

/**
 * The embedded Postgres of a data folder, its cluster made when there is none. Call it under the stack's lock. Throws
 * `StackError`.
 */
export async function openPostgres(options: {
  readonly dataDir: string
  readonly isDurable: boolean
  readonly lastPort: number | undefined
  readonly log: (line: string) => void
}): Promise<{ readonly server: ManagedServer; readonly cluster: Cluster }> {
  const account = await findPostgresAccount(options.log)
  const place = await findPostgresPlace(options.dataDir, account, options.log)
  const cluster = await keepCluster(place, account, options.isDurable)

  const startOn = async (port: number) => {
    const started = await startPostmaster(cluster, port, options.isDurable)
    try {
      await waitForPostgres(cluster, port, { server: started })
    } catch (error) {
      await stopPostmaster(started.identity)
      throw error
    }
    return { process: started.identity, port }
  }
  const server: ManagedServer = {
    name: 'postgres',
    find: async () => await findPostmaster(cluster),
    answers: async (port) =>
      await waitForPostgres(cluster, port, { timeoutMs: FOUND_TIMEOUT_MS }).then(
        () => true,
        () => false,
      ),
    start: async (fixedPort) => {
      if (fixedPort !== undefined) return await startOn(fixedPort)
      const tried: number[] = []
      for (;;) {
        const port = await findFreePort(options.dataDir, 'postgres', options.lastPort, tried)
        try {
          return await startOn(port)
        } catch (error) {
          // Another process may have taken the port since it was probed.
          const isTaken = error instanceof StackError && error.code === 'port_in_use'
          if (!isTaken || tried.push(port) >= PORT_ATTEMPTS) throw error
        }
      }
    },
  }
  return { server, cluster }
}
