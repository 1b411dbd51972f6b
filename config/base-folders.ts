import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The base models that come with the project. */
const PROJECT_BASES = fileURLToPath(new URL('../bases', import.meta.url))

/** Folders whose sub-folders are base models, absolute: the given one, when there is one, before the project's. */
export function baseFolders(given: string | undefined): readonly string[] {
  return [...(given === undefined ? [] : [resolve(given)]), PROJECT_BASES]
}
