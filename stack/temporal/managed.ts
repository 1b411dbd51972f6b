import { findFreePort } from '../process/ports.ts'
import type { ManagedServer } from '../managed-server.ts'
import { StackError } from '../stack-error.ts'
import { findTemporalBinary } from './binary.ts'
import { findDevServer, startDevServer, stopDevServer, waitForTemporal } from './server.ts'

const PORT_ATTEMPTS = 5
const FOUND_TIMEOUT_MS = 30_000

/** The Temporal dev server of a data folder. */
export function openTemporal(options: {
  readonly dataDir: string
  readonly isDurable: boolean
  readonly searchPath: string
  readonly cacheDir: string
  readonly canFetch: boolean
  readonly lastPort: number | undefined
  readonly lastUiPort: number | undefined
  readonly log: (line: string) => void
}): ManagedServer {
  const { dataDir, isDurable, searchPath } = options
  const startOn = async (binary: string, port: number) => {
    const uiPort = await findFreePort(dataDir, 'temporal-ui', options.lastUiPort, [port])
    const started = await startDevServer({ binary, dataDir, port, uiPort, isDurable, searchPath })
    try {
      await waitForTemporal(`127.0.0.1:${port}`, { server: started })
    } catch (error) {
      await stopDevServer(started.identity)
      throw error
    }
    return { process: started.identity, port, uiPort }
  }
  return {
    name: 'temporal',
    find: async () => await findDevServer(dataDir),
    answers: async (port) =>
      await waitForTemporal(`127.0.0.1:${port}`, { timeoutMs: FOUND_TIMEOUT_MS }).then(
        () => true,
        () => false,
      ),
    start: async (fixedPort) => {
      const binary = await findTemporalBinary(options)
      if (fixedPort !== undefined) return await startOn(binary, fixedPort)
      const tried: number[] = []
      for (;;) {
        const port = await findFreePort(dataDir, 'temporal', options.lastPort, tried)
        try {
          return await startOn(binary, port)
        } catch (error) {
          const isTaken = error instanceof StackError && error.code === 'port_in_use'
          if (!isTaken || tried.push(port) >= PORT_ATTEMPTS) throw error
        }
      }
    },
  }
}
