import { readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { LONG_FILES } from './long-files.ts'

/** Modules that start processes, workers or a browser; a test file that reaches one is not in the quick selection. */
const HEAVY_MODULES = ['test/support/workflows/service.ts', 'stack/stack.ts', 'workers/start-workers.ts']
/** The stack of the run, which every test of the database shares. */
const SHARED_STACK = 'test/support/stack/stack.ts'
/** Seconds from which a file is not in the quick selection, whatever it starts. */
const QUICK_BELOW_S = 20
const IMPORT = /\bfrom '([^']+)'/g

/** Which test files to run. */
export interface Selection {
  /** Folders of `test/` and of `test/holes/`; all when empty. */
  readonly areas: readonly string[]
  readonly isQuick: boolean
  /** Files or folders, relative to the project; all when empty. */
  readonly paths: readonly string[]
}

/** The area of a test file: the folder below `test/`, or below `test/holes/`. */
export function areaOf(file: string): string {
  const [, first = '', second = ''] = file.split('/')
  return first === 'holes' ? second : first
}

/**
 * The selected files, the longest first, so that no long file is left for one process at the end. `files` are paths
 * relative to `root`, the folder of the project. Throws for an area without tests.
 */
export function selectFiles(root: string, files: readonly string[], selection: Selection): readonly string[] {
  const areas = new Set(files.map(areaOf))
  const unknown = selection.areas.filter((area) => !areas.has(area))
  if (unknown.length > 0) throw new Error(`no tests of ${unknown.join(', ')}: ${[...areas].toSorted().join(', ')}`)
  const isWanted = (file: string): boolean =>
    (selection.areas.length === 0 || selection.areas.includes(areaOf(file))) &&
    (selection.paths.length === 0 || selection.paths.some((path) => isIn(file, path))) &&
    (!selection.isQuick || isQuick(root, file))
  const seconds = new Map(Object.entries(LONG_FILES))
  return files.filter(isWanted).toSorted((a, b) => (seconds.get(b) ?? 0) - (seconds.get(a) ?? 0) || (a < b ? -1 : 1))
}

function isIn(file: string, path: string): boolean {
  const folder = path.replace(/\/+$/, '')
  return file === folder || file.startsWith(`${folder}/`)
}

/** Whether a file is short and neither it nor the support that it imports starts a process, a worker or a browser. */
function isQuick(root: string, file: string): boolean {
  if ((LONG_FILES[file] ?? 0) >= QUICK_BELOW_S) return false
  const seen = new Set<string>()
  const waiting = [file]
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (seen.has(at)) continue
    seen.add(at)
    for (const [, specifier = ''] of readFileSync(resolve(root, at), 'utf8').matchAll(IMPORT)) {
      if (specifier === 'node:child_process' || specifier === 'playwright-core') return false
      if (!specifier.startsWith('.')) continue
      const target = relative(root, resolve(root, dirname(at), specifier))
      if (HEAVY_MODULES.includes(target)) return false
      if (target.startsWith('test/') && target !== SHARED_STACK) waiting.push(target)
    }
  }
  return true
}
