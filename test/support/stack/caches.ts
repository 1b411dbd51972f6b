import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Kept between runs; the folder of one checkout and one user, which no other user can write to. */
const FOLDER = fileURLToPath(new URL('../../../node_modules/.cache/svc-tests', import.meta.url))

/** The data folder of workers in a test process: it holds the bundle of the workflow code, which takes seconds to make. */
export function workerDataFolder(): string {
  return join(FOLDER, 'workers')
}

/** The folder of Node's compile cache, which halves the time in which a process loads the service's modules. */
export function compileCacheFolder(): string {
  return join(FOLDER, 'compiled')
}
