import { createHash } from 'node:crypto'
import { createServer } from 'node:net'
import { StackError } from '../stack-error.ts'

/** Below the ports that systems hand out to outgoing connections, so that a stopped stack finds its own again. */
const FIRST_PORT = 20_000
const PORT_COUNT = 12_000

/** True when nothing listens on the port of that address. */
export async function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return await new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(true)))
  })
}

/**
 * A free port for one purpose of one data folder. The preferred one when it is free; else the search starts at a place
 * that folder and purpose decide, so that two checkouts look in different places.
 */
export async function findFreePort(
  dataDir: string,
  purpose: string,
  preferred: number | undefined,
  excluded: readonly number[] = [],
): Promise<number> {
  if (preferred !== undefined && !excluded.includes(preferred) && (await isPortFree(preferred))) return preferred
  const start = createHash('sha256').update(`${dataDir}\0${purpose}`).digest().readUInt32BE(0) % PORT_COUNT
  for (let step = 0; step < PORT_COUNT; step++) {
    const port = FIRST_PORT + ((start + step) % PORT_COUNT)
    if (!excluded.includes(port) && (await isPortFree(port))) return port
  }
  throw new StackError(
    'port_in_use',
    `no free port for ${purpose} between ${FIRST_PORT} and ${FIRST_PORT + PORT_COUNT}`,
  )
}
