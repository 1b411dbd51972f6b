import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BUILD_VARIABLE } from '../../../core/kernel/threads/built-file.ts'

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

/** The variables with which a process of a test loads the service's modules quickly: its cache, and the build of this run. */
export function cacheVariables(): Readonly<Record<string, string>> {
  const build = process.env[BUILD_VARIABLE]
  return { NODE_COMPILE_CACHE: compileCacheFolder(), ...(build !== undefined && { [BUILD_VARIABLE]: build }) }
}
