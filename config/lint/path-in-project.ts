import { relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = resolve(fileURLToPath(new URL('../..', import.meta.url)))

/** The path of a file in the project, with slashes. */
export function pathInProject(file: string): string {
  return relative(ROOT, file).split(sep).join('/')
}
