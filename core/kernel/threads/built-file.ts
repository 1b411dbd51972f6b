import { existsSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** Names the folder of a build for this process, its threads and the processes that it starts. */
export const BUILD_VARIABLE = 'SVC_BUILD'

const PROJECT = new URL('../../../', import.meta.url)

/**
 * The built file of a module that a thread or a process begins with: it holds all that the module imports, so that one file is
 * read in place of hundreds. Without a build of this project (`null`), or in one that lacks the module, it is the module
 * itself.
 */
export function builtFile(source: URL, folder: string | null = buildFolder()): URL {
  if (folder === null || !source.href.startsWith(PROJECT.href)) return source
  const base = `${pathToFileURL(folder).href}/`
  if (!base.startsWith(PROJECT.href)) return source
  const built = new URL(source.href.slice(PROJECT.href.length).replace(/\.ts$/, '.mjs'), base)
  return existsSync(fileURLToPath(built)) ? built : source
}

/** The folder of the build that this process runs from, or null. */
function buildFolder(): string | null {
  // oxlint-disable-next-line no-process-env -- threads and processes inherit it, whatever starts them
  return process.env[BUILD_VARIABLE] || null
}
